#include <core.p4>

extern Store {
    Store();
}

control C(inout bit<8> x) {
    apply {
        tuple<bit<8>, match_kind> t = { x, ... }; // <- here
    }
}
