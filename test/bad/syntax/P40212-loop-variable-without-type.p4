control C(inout bit<8> x) {
    apply {
        for (i in 1 .. 6) { x = 1; }
    }
}
