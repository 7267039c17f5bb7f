#define ADD(a, b) ((a) + (b))
const bit<8> a = ADD(1);
const bit<8> b = ADD(1, 2;
