header h_t { bit<8> a, bit<8> b }
control c(inout h_t h) {
    action set(bit<8> v) {
        h.a = v
        h.b = v;
    }
    table t {
        key = { h.a: exact }
        actions = { set, NoAction; }
        default_action = set(1) size = 3;
    }
    apply { t.apply(); }
}
