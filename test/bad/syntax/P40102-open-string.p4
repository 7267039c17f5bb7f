@name("open)
const bit<8> a = 1;
