#include <core.p4>

control C(inout bit<8> x, in bit<8> y, in tuple<bit<8>, bit<8>> t) {
    apply {
        x = t[y]; // <- here
    }
}
