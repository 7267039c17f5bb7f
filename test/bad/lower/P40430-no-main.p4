#include <core.p4>
#include <v1model.p4>

struct last_t { bit<8> x; } // <- here
