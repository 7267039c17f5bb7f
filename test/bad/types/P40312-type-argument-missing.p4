#include <core.p4>

struct Pair<T> { T a; T b; }
struct S {
    Pair p; // <- here
}
