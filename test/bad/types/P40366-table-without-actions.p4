#include <core.p4>

control C(inout bit<8> x) {
    action set(bit<8> v) { x = v; }
    table t { // <- here
        key = { x : exact; }
    }
    apply {
        t.apply();
    }
}
