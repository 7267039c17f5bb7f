#include <core.p4>

control C(inout bit<8> x) {
    table t { actions = { NoAction; } }
    action a() { t.apply(); } // <- here
    apply {
        a();
    }
}
