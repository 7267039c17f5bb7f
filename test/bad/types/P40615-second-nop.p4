#include <core.p4>

control Block(inout bit<8> x);

@pkginfo(arch = "TNA", version = "1")
package Chip(Block first, Block second);

control A(inout bit<8> x) {
    @name(".nop")
    action nop() { }
    table t {
        actions = { nop; }
        default_action = nop();
    }
    apply { t.apply(); }
}

control B(inout bit<8> x) {
    @name(".nop") // <- here
    action nothing() { }
    table t {
        actions = { nothing; }
        default_action = nothing();
    }
    apply { t.apply(); }
}

Chip(A(), B()) main;
