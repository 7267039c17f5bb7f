#include <core.p4>
header H { bit<8> a; }

control C(inout bit<8> x, in H h) {
    apply {
        if (h.isValid) { x = 1; } // <- here
    }
}
