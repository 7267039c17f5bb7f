#include <core.p4>

enum bool Answer { yes = true, no = false } // <- here
