#include <core.p4>

header H { bit<8> a; }

control C(inout H[2] hs, in bit<8> x) {
    apply {
        hs.push_front(x); // <- here
    }
}
