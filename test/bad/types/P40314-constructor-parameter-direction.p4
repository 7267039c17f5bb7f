#include <core.p4>

control C(inout bit<8> x)(in bit<8> start) { // <- here
    apply { x = start; }
}
