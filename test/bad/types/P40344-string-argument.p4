#include <core.p4>

extern void show<T>(in T value);

control C(inout bit<8> x) {
    apply {
        show("text"); // <- here
    }
}
