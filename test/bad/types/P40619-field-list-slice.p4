#include <core.p4>

control Block(inout bit<8> x);

@pkginfo(arch = "TNA", version = "1")
package Chip(Block first);

@field_list_field_slice("f", 7, 0) // <- here
struct S { bit<8> f; }

control C(inout bit<8> x) {
    apply { x = 1; }
}

Chip(C()) main;
