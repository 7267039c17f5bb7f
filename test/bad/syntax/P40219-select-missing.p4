parser P(in bit<8> x) {
    state start {
        transition selct(x) {
            1: accept;
        }
    }
}
