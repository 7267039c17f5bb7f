#include <core.p4>

void f(inout bit<8> x) {
    exit; // <- here
}
