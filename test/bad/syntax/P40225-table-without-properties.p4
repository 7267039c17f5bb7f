control C(inout bit<8> x) {
    table t {
    }
    apply { }
}
