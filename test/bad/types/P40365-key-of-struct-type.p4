#include <core.p4>

struct S { bit<8> a; }

control C(inout bit<8> x, in S h) {
    action set(bit<8> v) { x = v; }
    table t {
        key = { h : exact; } // <- here
        actions = { set; NoAction; }
    }
    apply {
        t.apply();
    }
}
