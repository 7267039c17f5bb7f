#include <core.p4>
const bit<8> length = 4;

control C(inout bit<8> x) {
    apply {
        x = lenght; // <- here
    }
}
