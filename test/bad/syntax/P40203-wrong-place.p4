bit<8> counter = 0;
table t { actions = { NoAction; } }
control c(inout bit<8> x) {
    struct s { bit<8> a; }
    x = 1;
    apply { }
}
parser p() {
    action a() { }
    state start { }
}
