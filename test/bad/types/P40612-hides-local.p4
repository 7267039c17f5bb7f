#include <core.p4>

control C(inout bit<8> x) {
    bit<16> y = 0;
    action set() {
        bit<8> y = x; // <- here
        x = y + 1;
    }
    apply {
        set();
        y = y + 1;
    }
}
