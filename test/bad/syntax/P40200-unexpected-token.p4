header h_t { bit<8> a; bit<8 b; }
const bit<8> k 3;
control c(inout h_t h) {
    action set(bit<8> v) { h.a == v; }
    table t {
        key { h.a: exact; }
        actions = { set; }
    }
    apply {
        if (h.a = 3) h.a = 4;
        h.a++;
        while (h.a > 0) { h.a = h.a - 1; }
        t.apply(;
    }
}
