control C(inout bit<8> x) {
    apply {
        while (x > 0) { x = x - 1; }
    }
}
