#include <core.p4>

control C(inout bit<8> x) {
    action set(bit<8> v) { x = v; }
    table t {
        key = { x : ternary; }
        actions = { set; NoAction; }
        entries = {
            priority = 5: 1 : set(1);
            priority = 9: 2 : set(2); // <- here
        }
    }
    apply {
        t.apply();
    }
}
