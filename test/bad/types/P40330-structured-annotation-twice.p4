#include <core.p4>

@limit[1]
@limit[2] // <- here
struct S { bit<8> a; }
