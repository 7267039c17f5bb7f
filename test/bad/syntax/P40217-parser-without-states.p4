parser P(in bit<8> x) {
}
