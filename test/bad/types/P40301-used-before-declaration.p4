#include <core.p4>

const bit<8> first = second; // <- here
const bit<8> second = 2;
