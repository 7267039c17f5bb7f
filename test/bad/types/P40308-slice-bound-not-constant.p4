#include <core.p4>

control C(inout bit<8> x, in bit<8> y) {
    apply {
        x[7:0] = x[y:0]; // <- here
    }
}
