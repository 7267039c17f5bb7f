#include <core.p4>

control Block(inout bit<8> x);

@pkginfo(arch = "TNA", version = "1")
package Chip(Block first);

control C(inout bit<8> x) {
    @stage // <- here
    table t {
        key = { x: exact; }
        actions = { NoAction; }
    }
    apply { t.apply(); }
}

Chip(C()) main;
