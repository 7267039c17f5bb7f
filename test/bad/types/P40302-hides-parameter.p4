#include <core.p4>

control C(inout bit<8> x) {
    apply {
        bit<8> x = 1; // <- here
    }
}
