#include <core.p4>
header H { bit<8> length; }

control C(inout bit<8> x, inout H h) {
    apply {
        x = h.lenth; // <- here
    }
}
