#include <core.p4>

control C(inout bit<8> x) {
    action set(bit<8> v) { x = v; }
    table t {
        key = { x : ternary; }
        actions = { set; }
        entries = {
            priority = (x): 1 : set(1); // <- here
        }
    }
    apply {
        t.apply();
    }
}
