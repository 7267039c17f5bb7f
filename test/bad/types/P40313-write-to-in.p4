#include <core.p4>

control C(inout bit<8> x, in bit<8> y) {
    apply {
        y = x; // <- here
    }
}
