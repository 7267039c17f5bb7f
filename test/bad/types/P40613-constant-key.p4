#include <core.p4>

control C(inout bit<8> x) {
    table t {
        key = { 8w5: exact; } // <- here
        actions = { NoAction; }
    }
    apply { t.apply(); }
}
