#include <core.p4>

struct S {
    bit<8> a;
}

const S s = { 1, 2 }; // <- here
