#include <core.p4>
extern void learn<T>(in T data);

control C(inout bit<8> x) {
    apply {
        learn({ x, 1 }); // <- here
    }
}
