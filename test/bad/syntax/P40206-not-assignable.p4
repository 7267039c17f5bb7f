control c(inout bit<8> x) {
    action f() { }
    apply {
        f() = 1;
        f()();
    }
}
