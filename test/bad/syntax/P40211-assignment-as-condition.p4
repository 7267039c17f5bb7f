control C(inout bit<8> x) {
    apply {
        if (x = 3) { x = 4; }
    }
}
