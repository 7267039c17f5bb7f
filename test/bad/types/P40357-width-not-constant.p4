#include <core.p4>

control C(inout bit<8> x) {
    apply {
        bit<(x)> y = 1; // <- here
    }
}
