#include <core.p4>

control C(inout bit<8> x) {
    action set(bit<8> v) { x = v; }
    table t {
        actions = { set; }
        default_action = set(x); // <- here
    }
    apply {
        t.apply();
    }
}
