#include <core.p4>

control C(inout bit<8> x) {
    @name("a")
    @name("b") // <- here
    table t { actions = { NoAction; } }
    apply {
        x = 1; t.apply();
    }
}
