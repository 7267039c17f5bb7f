#include <core.p4>

extern E { E(); }
E() main; // <- here
