#include <core.p4>

control C(inout bit<8> x) {
    apply {
        const bit<8> k = x; // <- here
        x = k;
    }
}
