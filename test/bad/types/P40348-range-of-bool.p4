#include <core.p4>

control C(inout bit<8> x) {
    apply {
        for (bool b in 0 .. 1) { x = 1; } // <- here
    }
}
