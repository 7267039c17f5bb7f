#include <core.p4>

control C(inout bit<8> x) {
    bit<16> x = 0; // <- here
    apply { }
}
