#include <core.p4>

const bit<8> width = 4;
struct S {
    width a; // <- here
}
