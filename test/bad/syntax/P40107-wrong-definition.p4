#define 1A 3
#define F(a, a) a
#define G(a b) a
#define H ## x
const bit<8> a = 1;
