#include <core.p4>

control C(inout bit<8> x) {
    action drop() { x = 0; }
    table t { actions = { NoAction; } }
    apply {
        switch (t.apply().action_run) {
            drop: { x = 1; } // <- here
        }
    }
}
