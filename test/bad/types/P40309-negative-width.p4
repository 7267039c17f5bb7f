#include <core.p4>

struct S {
    bit<(2 - 4)> a; // <- here
}
