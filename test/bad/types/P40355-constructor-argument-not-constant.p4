#include <core.p4>

control Sized(inout bit<8> x)(bit<8> size) {
    apply { x = size; }
}

control C(inout bit<8> x) {
    Sized(x) sized; // <- here
    apply {
        sized.apply(x);
    }
}
