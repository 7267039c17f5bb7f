#include <core.p4>

control C(inout bit<8> x) {
    apply {
        verify(x == 0, error.NoMatch); // <- here
    }
}
