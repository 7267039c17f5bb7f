bit<8> class_of(in bit<8> a, in bit<8> b) {
    return a == 1 ? 8w10 : b == 2 ? 8w20 : 8w30; // <- here
}
