#include <core.p4>

header H { bit<8> a; }

control C(inout H[2] hs) {
    apply {
        hs.push_front(true); // <- here
    }
}
