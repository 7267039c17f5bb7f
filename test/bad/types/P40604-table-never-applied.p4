#include <core.p4>

control C(inout bit<8> x) {
    table t { actions = { NoAction; } } // <- here
    apply {
        x = 1;
    }
}
