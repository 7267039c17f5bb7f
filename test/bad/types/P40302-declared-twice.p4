#include <core.p4>

struct S {
    bit<8> a;
    bit<16> a; // <- here
}
