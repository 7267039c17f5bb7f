#include <core.p4>

control C(inout bit<8> x) {
    action set(bit<8> v = x) { x = v; } // <- here
    apply {
        set(1);
    }
}
