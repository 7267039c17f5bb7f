#include <core.p4>

control C(inout bit<8> x) {
    action set(bit<8> v) { x = v; }
    table t {
        actions = { set; NoAction; }
        size = 16;
        size = 32; // <- here
    }
    apply {
        t.apply();
    }
}
