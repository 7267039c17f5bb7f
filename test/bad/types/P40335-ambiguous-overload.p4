#include <core.p4>
extern bit<8> f(in bit<8> a, @optional in bit<8> b);
extern bit<8> f(in bit<8> a, @optional in bit<8> b, @optional in bit<8> c);

control C(inout bit<8> x) {
    apply {
        x = f(x); // <- here
    }
}
