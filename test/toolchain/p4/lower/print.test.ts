/** The text that `--dump` writes: P4 with every kind of type, statement and expression of the lowered program. */
import { expect, it } from "vitest";
import { compileParts, type Parts } from "./v1model.js";

/** All on one line a part: places in the text do not matter here. */
const PROGRAM: Parts = {
  top: "header io_t { bit<8> a; bit<8> b; bit<16> w; } header p_t { bit<8> p; int<8> q; } header v_t { varbit<16> v; } enum K { a, b } error { Mine } struct S { bit<8> x; bool f; }",
  headers: "io_t io; p_t h; v_t w; p_t[2] s;",
  metadata: "bit<8> x; S s; K k; error e; bit<16> y;",
  parserLocals: "value_set<bit<8>>(4) known;",
  states:
    "state start { S two = pkt.lookahead<S>(); bool ahead = pkt.lookahead<bool>(); pkt.extract(hdr.io); pkt.extract(hdr.h); pkt.extract(hdr.w, 32w8); pkt.advance(8); verify(hdr.io.a == 1 && ahead, error.Mine); pkt.extract(hdr.s.next); transition select(hdr.io.b, hdr.io.a) { (1, 2): more; (3 .. 5, 0x10 &&& 0xf0): accept; (7, _): accept; default: reject; } } state more { transition select(hdr.s.last.p) { known: accept; 2: start2; default: accept; } } state start2 { transition accept; }",
  locals:
    'register<bit<8>>(4) r; counter(8, CounterType.packets) c; action one(bit<8> v, K k) { meta.x = v; meta.k = k; } action none() {} @name("tab") table t { key = { meta.x: ternary; hdr.h.isValid(): optional @name("valid"); } actions = { one; none; } const entries = { (1, true): one(2, K.b); (4 &&& 12, _): none(); } const default_action = one(9, K.a); } table u { actions = { none; } default_action = none(); }',
  ingress:
    'bit<8> z = ~meta.x; bit<8>[2] l = { 1, 2 }; tuple<bit<8>, bool> pair = { 3, false }; varbit<16> v = hdr.w.v; l[1] = pair[0]; if (!hdr.h.isValid()) { r.read(meta.x, 1); } else if (meta.s.f) { c.count(2); exit; } else { mark_to_drop(sm); } switch (t.apply().action_run) { one: none: { meta.x = 3; } default: { return; } } if (u.apply().hit) { meta.x = 4; } else { meta.x = 5; } u.apply(); switch (meta.x) { 1: 2: { meta.y = 1; } default: { meta.y[3:0] = meta.x[7:4]; } } for (bit<8> i = 0; i < meta.x; i = i + 1) { if (i == 2) { continue; } meta.y = meta.y + (bit<16>) i; } meta.s = { 1, true }; hdr.s.push_front(1); hdr.s[1].setInvalid(); hdr.s[meta.x] = {#}; meta.e = error.Mine; meta.x = meta.s.f ? meta.x : (bit<8>) hdr.h.q; log_msg("x {}", { meta.x }); digest<S>(1, meta.s); meta.x = meta.x ++ meta.x == 3 ? 8w1 : 2; one(3, K.a);',
  deparser: "pkt.emit(hdr);",
};

const ELABORATED = `bit<9> tmp;
bit<8> tmp_0;
bit<1> tmp_1;
S two;
bit<1> tmp_2;
bool ahead;
bit<8> z;
bit<8>[2] l;
tuple pair;
varbit<16> v;
bit<8> i;

parser P {
    state start {
        tmp = lookahead<bit<9>>();
        tmp_0 = lookahead<bit<8>>();
        tmp_1 = lookahead<bit<1>>() /* 8 bits ahead */;
        two = { tmp_0, (bool) tmp_1 };
        tmp_2 = lookahead<bit<1>>();
        ahead = (bool) tmp_2;
        extract(hdr.io);
        extract(hdr.h);
        extract(hdr.w, 32w8);
        advance(32w8);
        verify(((hdr.io.a == 8w1) && ahead), error.Mine);
        extract(hdr.s.next);
        transition select(hdr.io.b, hdr.io.a) {
            (0x1, 0x2): more;
            (0x3 .. 0x5, 0x10 &&& 0xf0): accept;
            (0x7, _): accept;
            (_, _): reject;
        }
    }
    state more {
        transition select(hdr.s.last.p) {
            P.known: accept;
            (0x2): start2;
            (_): accept;
        }
    }
    state start2 {
        transition accept;
    }
}

control V {
    apply {
        /* V */ {
        }
    }
}

control I {
    @name("I.r") register(32w4);
    @name("I.c") counter(32w8, CounterType.packets);
    @name("I.one") action (bit<8> v, K k) {
        /* one */ {
            meta.x = v;
            meta.k = k;
        }
    }
    @name("I.none") action () {
        /* none */ {
        }
    }
    @name("I.tab") table {
        key = {
            meta.x: ternary @name("meta.x");
            hdr.h.isValid(): optional @name("valid");
        }
        actions = { I.one; I.none }
        const default_action = I.one(8w9, K.a);
        const entries = {
            (0x1, 0x1): I.one(8w2, K.b);
            (0x4 &&& 0xc, _): I.none();
        }
    }
    @name("I.u") table {
        actions = { I.none }
        default_action = I.none();
    }
    apply {
        /* I */ {
            sm.egress_spec = 9w1;
            z = ~meta.x;
            l = { 8w1, 8w2 };
            pair = { 8w3, false };
            v = hdr.w.v;
            l[1w1] = pair.f0;
            if (!hdr.h.isValid()) {
                I.r.read(meta.x, 32w1);
            } else {
                if (meta.s.f) {
                    I.c.count(32w2);
                    exit;
                } else {
                    mark_to_drop(sm);
                }
            }
            switch (I.tab.apply().action_run) {
                I.one:
                I.none: {
                    meta.x = 8w3;
                }
                default: {
                    /* to the end of I */ return;
                }
            }
            if (I.u.apply().hit) {
                meta.x = 8w4;
            } else {
                meta.x = 8w5;
            }
            I.u.apply();
            switch (meta.x) {
                8w1:
                8w2: {
                    meta.y = 16w1;
                }
                default: {
                    meta.y[3:0] = meta.x[7:4];
                }
            }
            /* break */ {
                i = 8w0;
                for (; (i < meta.x); i = (i + 8w1);) {
                    /* continue */ {
                        if ((i == 8w2)) {
                            /* to the end of continue */ return;
                        }
                        meta.y = (meta.y + (bit<16>) i);
                    }
                }
            }
            meta.s = { 8w1, true };
            hdr.s.push_front(1);
            hdr.s[1w1].setInvalid();
            hdr.s[meta.x] = {#};
            meta.e = error.Mine;
            meta.x = (meta.s.f ? meta.x : (bit<8>) hdr.h.q);
            log_msg("x {}", { meta.x });
            digest<S>(32w1, meta.s);
            meta.x = (((meta.x ++ meta.x) == 16w3) ? 8w1 : 8w2);
            /* I.one */ {
                /* one */ {
                    meta.x = 8w3;
                    meta.k = K.a;
                }
            }
        }
    }
}
`;

it("holds every declaration, statement and expression once, in the order of the program", () => {
  const text = compileParts(PROGRAM).dumps.get("elaborate")!;
  expect(text.slice(0, text.indexOf("\ncontrol E"))).toBe(ELABORATED);
});

it("shows hidden actions where they are made, and calls them by name", () => {
  const { dumps } = compileParts({
    metadata: "bit<8> x;",
    locals: "action none() {} table t { actions = { none; } default_action = none(); }",
    ingress: "meta.x = 1; if (t.apply().hit) { meta.x = 2; }",
  });
  const text = dumps.get("group-actions")!;
  expect(text.slice(text.indexOf("control I {"), text.indexOf("\ncontrol E"))).toBe(`control I {
    @name("I.none") action () {
    }
    @hidden @name("test15") action () {
        meta.x = 8w2;
    }
    @hidden @name("test14") action () {
        sm.egress_spec = 9w1;
        meta.x = 8w1;
    }
    @name("I.t") table {
        actions = { I.none }
        default_action = I.none();
    }
    apply {
        test14();
        if (I.t.apply().hit) {
            test15();
        } else {
        }
    }
}
`);
});
