#warning this program is old
const bit<8> a = 1;
