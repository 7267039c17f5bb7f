// Each level applies the one below twice: 65,536 times the lowest one, more than a graph may have.
#include <core.p4>

header h_t {
    bit<8> a;
}

struct s_t {
    h_t h;
}

control C0(inout s_t s) {
    apply {
        if (s.h.a == 1) { exit; }
    }
}

control C1(inout s_t s) {
    C0() one;
    C0() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C2(inout s_t s) {
    C1() one;
    C1() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C3(inout s_t s) {
    C2() one;
    C2() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C4(inout s_t s) {
    C3() one;
    C3() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C5(inout s_t s) {
    C4() one;
    C4() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C6(inout s_t s) {
    C5() one;
    C5() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C7(inout s_t s) {
    C6() one;
    C6() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C8(inout s_t s) {
    C7() one;
    C7() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C9(inout s_t s) {
    C8() one;
    C8() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C10(inout s_t s) {
    C9() one;
    C9() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C11(inout s_t s) {
    C10() one;
    C10() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C12(inout s_t s) {
    C11() one;
    C11() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C13(inout s_t s) {
    C12() one;
    C12() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C14(inout s_t s) {
    C13() one;
    C13() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C15(inout s_t s) {
    C14() one;
    C14() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control C16(inout s_t s) {
    C15() one;
    C15() two;
    apply {
        one.apply(s);
        two.apply(s);
    }
}

control Top(inout s_t s) { // <- here
    C16() all;
    apply {
        all.apply(s);
    }
}
