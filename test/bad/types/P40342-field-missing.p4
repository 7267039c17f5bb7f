#include <core.p4>

struct S {
    bit<8> a;
    bit<8> b;
}

const S s = { a = 1 }; // <- here
