#include "P40105-includes-itself.p4"
const bit<8> a = 1;
