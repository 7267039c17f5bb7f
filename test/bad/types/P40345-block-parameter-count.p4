#include <core.p4>

control Block(inout bit<8> x, in bit<8> y);
package Switch(Block block);

control C(inout bit<8> x) {
    apply { }
}

Switch(C()) main; // <- here
