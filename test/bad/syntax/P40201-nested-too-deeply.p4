#define L1(x) ((((((((x))))))))
#define L2(x) L1(L1(L1(L1(L1(L1(L1(L1(x))))))))
#define L3(x) L2(L2(L2(L2(L2(L2(L2(L2(x))))))))
const bit<8> a = L3(1);
const bit<8> b = 2 2;
