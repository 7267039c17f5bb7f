control C(inout bit<8> x) {
    table t {
        const key = { x : exact; }
        actions = { }
    }
    apply { }
}
