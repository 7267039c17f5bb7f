const bit<8> a = 1;
/* no end
const bit<8> b = 2;
