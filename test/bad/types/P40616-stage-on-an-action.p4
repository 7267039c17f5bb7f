#include <core.p4>

control Block(inout bit<8> x);

@pkginfo(arch = "TNA", version = "1")
package Chip(Block first);

control C(inout bit<8> x) {
    @stage(3) // <- here
    action a() { x = 1; }
    apply { a(); }
}

Chip(C()) main;
