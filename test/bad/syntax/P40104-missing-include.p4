#include "missing.p4"
const bit<8> a = 1;
