#include <core.p4>
@deprecated("call fresh instead") extern void old(in bit<8> a);

control C(inout bit<8> x) {
    apply {
        old(x); // <- here
    }
}
