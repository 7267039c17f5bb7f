#include <core.p4>

control C(inout bit<8> x) { apply { x = 1; } }
C() c; // <- here
