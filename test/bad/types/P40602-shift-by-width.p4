#include <core.p4>

control C(inout bit<8> x) {
    apply {
        x = x << 8; // <- here
    }
}
