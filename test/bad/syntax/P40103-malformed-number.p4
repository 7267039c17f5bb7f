const bit<8> a = 8wxFF;
const int<4> b = 4s-1;
const bit<8> c = 0b12;
const bit<8> d = 9999w1;
