parser p(inout bit<8> x) {
    state start {
        switch (x) { 1: { } }
        transition accept;
        x = 1;
    }
}
control c(inout bit<8> x) {
    apply { if (x == 1) bit<8> y = 2; }
}
