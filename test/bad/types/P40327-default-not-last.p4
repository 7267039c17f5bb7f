#include <core.p4>

control C(inout bit<8> x) {
    apply {
        switch (x) {
            default: { x = 1; } // <- here
            5: { x = 2; }
        }
    }
}
