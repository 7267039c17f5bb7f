control C(inout bit<8> x) {
    apply {
        x = x[x[1+:2]+:2];
    }
}
