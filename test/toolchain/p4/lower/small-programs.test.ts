/**
 * One rule of the language a program: what a packet comes out with. `io` has the bytes `a`, `b` and the 16 bits `w`; the packets begin
 * with 05 03 0102.
 */
import { describe, expect, it } from "vitest";
import { answer, IO, values } from "./packets.js";
import { compileParts, type Parts, tryCompile, v1model } from "./v1model.js";

const ENUM = "enum Kind { P, Q, R }";
const S = "struct S { bit<8> x; bit<8> y; }";

describe("constants", () => {
  it.each<[string, string, Parts, [number, number, number]]>([
    [
      "a member of an enum, and of `error`",
      "if (c == Kind.Q) { hdr.io.a = 1; } if (e == error.NoMatch) { hdr.io.b = 2; } if (c == Kind.P) { hdr.io.w = 9; }",
      { top: `${ENUM} const Kind c = Kind.Q; const error e = error.NoMatch;` },
      [1, 2, 0x102],
    ],
    [
      "a struct by names, and its fields in an order of their own",
      "hdr.io.a = c.x; hdr.io.b = c.y; meta.s = c; hdr.io.w = (bit<16>) meta.s.y;",
      { top: `${S} const S c = { y = 7, x = 4 };`, metadata: "S s;" },
      [4, 7, 7],
    ],
    [
      "a tuple and a struct within a struct",
      "hdr.io.a = c.s.y; hdr.io.b = c.t[0]; hdr.io.w = c.t[1];",
      { top: `${S} struct T { S s; tuple<bit<8>, bit<16>> t; } const T c = { { 1, 2 }, { 3, 4 } };` },
      [2, 3, 4],
    ],
    [
      "the value of `...`: zero, false, the first member, no header",
      `meta.t = { x = 9, ... }; hdr.io.a = meta.t.x + meta.t.s.y; if (!meta.t.f && meta.t.e == Kind.P) { hdr.io.b = 0x20; }
       if (meta.t.r == error.NoError) { hdr.io.w = 5; }`,
      {
        top: `${ENUM} ${S} struct T { bit<8> x; S s; bool f; Kind e; error r; }`,
        metadata: "T t;",
      },
      [9, 0x20, 5],
    ],
    [
      "numbers that saturate",
      `hdr.io.a = (8w250 |+| 8w10) - (8w5 |-| 8w9); hdr.io.b = (bit<8>) (8s100 |+| 8s100);
       hdr.io.w = (bit<16>) (bit<8>) (-8s100 |-| 8s100);`,
      {},
      [255, 127, 128],
    ],
    [
      "numbers at the edge of saturation",
      "hdr.io.a = 8w250 |+| 8w5; hdr.io.b = 8w9 |-| 8w9; hdr.io.w = (bit<16>) (bit<8>) (-8s28 |-| 8s100);",
      {},
      [255, 0, 128],
    ],
    [
      "comparisons of constants decide at compile time",
      "if (Kind.P == Kind.R || true == false) { hdr.io.a = 1; } else if (Kind.P != Kind.R && 3 < 4) { hdr.io.b = 1; }",
      { top: ENUM },
      [5, 1, 0x102],
    ],
    [
      "sizes of headers, in bits and whole bytes",
      "hdr.io.a = (bit<8>) hdr.io.minSizeInBytes(); hdr.io.b = (bit<8>) hdr.io.minSizeInBits(); hdr.io.w = (bit<16>) hdr.io.maxSizeInBytes();",
      {},
      [4, 32, 4],
    ],
    [
      "a choice whose condition is known",
      "hdr.io.a = true ? hdr.io.b : 8w9; hdr.io.b = false ? 8w1 : hdr.io.a + 8w1;",
      {},
      [3, 4, 0x102],
    ],
    [
      "a field and an element of a value that is just built",
      "hdr.io.a = ((S) { x = hdr.io.b, y = 8w1 }).x; hdr.io.b = { 8w7, hdr.io.w }[0]; hdr.io.w = { 8w7, hdr.io.w + 1 }[1];",
      { top: S },
      [3, 7, 0x103],
    ],
  ])("%s", (_, ingress, parts, expected) => {
    expect(values(ingress, parts)).toEqual(expected);
  });
});

describe("arithmetic with a neutral constant changes nothing", () => {
  const same = [
    "x + 0",
    "0 + x",
    "x - 0",
    "x * 1",
    "1 * x",
    "x / 1",
    "x | 0",
    "0 | x",
    "x ^ 0",
    "x & 255",
    "x << 0",
    "x >> 0",
  ];
  const other: [string, number][] = [
    ["0 - x", 251],
    ["1 + x", 6],
    ["x & 254", 4],
    ["x | 255", 255],
    ["x * 2", 10],
    ["2 * x", 10],
    ["x / 2", 2],
    ["255 & x", 5],
    ["254 & x", 4],
    ["x << 8", 0],
    ["x ^ 255", 250],
    ["x % 1", 0],
    ["8w1 << x", 32],
    ["(bit<8>) (x == 5 ? 8w1 : 8w0) * 1", 1],
    ["~(~x)", 5],
    ["-(-x)", 5],
    ["(bit<8>) (bit<16>) x", 5],
    ["(bit<8>) (int<8>) x", 5],
    ["(bit<8>) (bit<4>) (x << 4)", 0],
    ["(bit<8>) x[3:1]", 2],
    ["(x ++ hdr.io.b)[11:4]", 0x50],
    ["(bit<8>) (bit<1>) (x == 5 && true)", 1],
    ["(bit<8>) (bit<1>) (x == 5 && false)", 0],
    ["(bit<8>) (bit<1>) (x == 4 || true)", 1],
    ["(bit<8>) (bit<1>) (x == 5 || false)", 1],
    ["(bit<8>) (bit<1>) (true && x == 4)", 0],
  ];
  it.each([...same.map((text) => [text, 5] as const), ...other])("%s", (text, expected) => {
    const [a] = values(`bit<8> x = hdr.io.a; hdr.io.a = ${text};`);
    expect(a).toBe(expected);
  });
});

const PAIR = "header pair_t { bit<8> p; bit<8> q; }";

describe("headers and structs as wholes", () => {
  it.each<[string, string, Parts, string]>([
    [
      "a swap by a list",
      "hdr.h.setValid(); hdr.h = { 8w1, 8w2 }; hdr.h = { hdr.h.q, hdr.h.p };",
      {},
      "050301020201",
    ],
    [
      "a swap of a struct",
      "meta.s = { 8w1, 8w2 }; meta.s = { meta.s.y, meta.s.x }; hdr.io.a = meta.s.x; hdr.io.b = meta.s.y;",
      { top: S, metadata: "S s;" },
      "02010102",
    ],
    [
      "a choice between headers",
      "hdr.h = { 1, 2 }; hdr.g = { 3, 4 }; hdr.k = hdr.io.a == 5 ? hdr.g : hdr.h; hdr.h.setInvalid(); hdr.g.setInvalid();",
      {},
      "050301020304",
    ],
    [
      "a choice of the other one",
      "hdr.h = { 1, 2 }; hdr.g = { 3, 4 }; hdr.k = hdr.io.a == 4 ? hdr.g : hdr.h; hdr.h.setInvalid(); hdr.g.setInvalid();",
      {},
      "050301020102",
    ],
    [
      "a swap of structs within a struct",
      `meta.o = { { 1, 2 }, { 3, 4 } }; meta.o = { meta.o.q, meta.o.p };
       hdr.io.a = meta.o.p.x; hdr.io.b = meta.o.p.y; hdr.io.w = meta.o.q.x ++ meta.o.q.y;`,
      { top: `${S} struct O { S p; S q; }`, metadata: "O o;" },
      "03040102",
    ],
    [
      "a list with no header in it",
      "meta.t = { { 1, 2 }, 7 }; if (meta.t.h.isValid()) { hdr.io.b = 9; } meta.t = { {#}, 8 }; if (!meta.t.h.isValid()) { hdr.io.a = meta.t.x; }",
      { top: "struct T { pair_t h; bit<8> x; }", metadata: "T t;" },
      "08090102",
    ],
    [
      "comparisons with lists, by position and by names",
      `meta.s = { 1, 2 }; if (meta.s == { 1, 2 }) { hdr.io.a = 0x10; } if ({ 1, 3 } == meta.s) { hdr.io.a = 0x11; }
       if (meta.s == { y = 2, x = 1 }) { hdr.io.b = 0x20; } if (meta.s != { y = 1, x = 2 }) { hdr.io.w = 0x30; }`,
      { top: S, metadata: "S s;" },
      "10200030",
    ],
    [
      "a choice between structs",
      "S s = hdr.io.a == 5 ? { 1, 2 } : { 3, 4 }; meta.s = hdr.io.a == 4 ? s : { y = 6, x = 5 }; hdr.io.a = s.y; hdr.io.b = meta.s.y;",
      { top: S, metadata: "S s;" },
      "02060102",
    ],
    ["a header without value", "hdr.h = { 1, 2 }; hdr.g = { 3, 4 }; hdr.h = {#};", {}, "050301020304"],
    [
      "a header that is copied while it is invalid",
      "hdr.h = { 1, 2 }; hdr.h = hdr.g; if (!hdr.h.isValid()) { hdr.io.a = 0xaa; }",
      {},
      "aa030102",
    ],
    [
      "equal headers: both invalid, or both valid with equal fields",
      `if (hdr.h == hdr.g) { hdr.io.a = 0x10; } hdr.h = { 1, 2 }; if (hdr.h == hdr.g) { hdr.io.a = 0x20; }
       hdr.g = { 1, 3 }; if (hdr.h == hdr.g) { hdr.io.a = 0x30; } if (hdr.h != hdr.g) { hdr.io.b = 0x40; }
       hdr.g.q = 2; if (hdr.h == hdr.g) { hdr.io.w = 7; } hdr.h.setInvalid(); hdr.g.setInvalid();`,
      {},
      "10400007",
    ],
    [
      "a header equal to no header",
      "if (hdr.h == {#}) { hdr.io.a = 1; } hdr.h = { 1, 2 }; if (hdr.h == {#}) { hdr.io.b = 1; } hdr.h.setInvalid();",
      {},
      "01030102",
    ],
    [
      "equal stacks",
      `if (hdr.s == hdr.t) { hdr.io.a = 1; } hdr.s[1] = { 8, 9 }; if (hdr.s == hdr.t) { hdr.io.b = 1; }
       hdr.t[1] = { 8, 9 }; if (hdr.s == hdr.t) { hdr.io.w = 1; } hdr.s[1].setInvalid(); hdr.t[1].setInvalid();`,
      { headers: "pair_t h; pair_t g; pair_t k; pair_t[2] s; pair_t[2] t;" },
      "01030001",
    ],
    [
      "equal unions",
      `if (hdr.u == hdr.v) { hdr.io.a = 1; } hdr.u.p = { 1, 2 }; if (hdr.u == hdr.v) { hdr.io.b = 1; }
       hdr.v.p = { 1, 2 }; if (hdr.u == hdr.v) { hdr.io.w = 1; } hdr.u.p.setInvalid(); hdr.v.p.setInvalid();`,
      {
        top: "header one_t { bit<8> o; } header_union U { pair_t p; one_t o; }",
        headers: "U u; U v;",
      },
      "01030001",
    ],
    [
      "pushed and popped stacks, by one and by two",
      "hdr.s[0] = { 1, 2 }; hdr.s[1] = { 3, 4 }; hdr.s.push_front(1); hdr.s[0] = { 5, 6 }; hdr.t[0] = { 7, 8 }; hdr.t[1] = { 9, 10 }; hdr.t.pop_front(1);",
      { headers: "pair_t h; pair_t[3] s; pair_t[2] t;" },
      "05030102050601020304090a",
    ],
  ])("%s", (_, ingress, parts, expected) => {
    const headers = "pair_t h; pair_t g; pair_t k;";
    const top = `${PAIR} ${parts.top ?? ""}`;
    expect(answer({ headers, ...parts, top, ingress }, "")).toBe(expected);
  });
});

const TABLE = (actions: string, rest: string) =>
  `action one() { hdr.io.b = 1; } action two() { hdr.io.b = 2; } action none() {}
   table t { key = { hdr.io.a: exact; } actions = { ${actions} } ${rest} }`;

describe("results of tables", () => {
  const entries = "const entries = { 5: one(); 6: two(); } const default_action = none();";
  it.each<[string, string, string, [number, number, number]]>([
    [
      "hit as a value",
      TABLE("one; two; none;", entries),
      "bool h = t.apply().hit; if (h) { hdr.io.w = 1; }",
      [5, 1, 1],
    ],
    [
      "miss as a value",
      TABLE("one; two; none;", entries),
      "hdr.io.a = 7; bool m = t.apply().miss; if (m) { hdr.io.w = 1; }",
      [7, 3, 1],
    ],
    [
      "no hit, twice asked",
      TABLE("one; two; none;", entries),
      "hdr.io.a = 7; if (t.apply().hit) { hdr.io.w = 1; } else { hdr.io.w = 2; }",
      [7, 3, 2],
    ],
    [
      "the action that ran, with labels that share a body",
      TABLE("one; two; none;", entries),
      "switch (t.apply().action_run) { two: { hdr.io.w = 1; } one: none: { hdr.io.w = 2; } }",
      [5, 1, 2],
    ],
    [
      "the action that ran, by default",
      TABLE("one; two; none;", entries),
      "switch (t.apply().action_run) { two: { hdr.io.w = 1; } default: { hdr.io.w = 3; } }",
      [5, 1, 3],
    ],
    [
      "the first of two entries that match, in the order in which they are written",
      TABLE("one; two; none;", "const entries = { 4 &&& 4: two(); 5: one(); }").replace("exact", "ternary"),
      "t.apply();",
      [5, 2, 0x102],
    ],
    [
      "the entry of the larger priority, where they have some",
      TABLE(
        "one; two; none;",
        "largest_priority_wins = true; entries = { const priority = 10: 4 &&& 4: two(); const priority = 20: 5: one(); }",
      ).replace("exact", "ternary"),
      "t.apply();",
      [5, 1, 0x102],
    ],
    [
      "the entry of the smaller priority, where the table says so",
      TABLE(
        "one; two; none;",
        "largest_priority_wins = false; entries = { priority = 10: 4 &&& 4: two(); priority = 20: 5: one(); }",
      ).replace("exact", "ternary"),
      "t.apply();",
      [5, 2, 0x102],
    ],
    [
      "priorities that count on from the one before, by the step",
      TABLE(
        "one; two; none;",
        "largest_priority_wins = false; priority_delta = 10; entries = { priority = 10: 1: none(); 4 &&& 4: two(); priority = 15: 5: one(); }",
      ).replace("exact", "ternary"),
      "t.apply();",
      [5, 1, 0x102],
    ],
  ])("%s", (_, locals, ingress, expected) => {
    expect(values(ingress, { locals })).toEqual(expected);
  });
});

describe("entries", () => {
  const run = (key: string, entries: string, property = "const entries") =>
    values("t.apply();", {
      locals: `action one() { hdr.io.w = 1; } action two() { hdr.io.w = 2; } action none() {}
        table t { key = { ${key} } actions = { one; two; none; } default_action = none; ${property} = { ${entries} } }`,
    })[2];

  it.each<[string, string, string, number]>([
    ["two keys", "hdr.io.a: exact; hdr.io.b: exact;", "(5, 4): two(); (5, 3): one();", 1],
    ["one key in parentheses", "hdr.io.a: exact;", "(5): one();", 1],
    ["`default` for all keys", "hdr.io.a: ternary; hdr.io.b: ternary;", "(5, 4): two(); default: one();", 1],
    ["`_` for all keys", "hdr.io.a: ternary; hdr.io.b: ternary;", "(5, 4): two(); _: one();", 1],
    ["`_` for one key", "hdr.io.a: ternary; hdr.io.b: ternary;", "(_, 4): two(); (5, _): one();", 1],
    ["a mask without bits", "hdr.io.a: ternary;", "1 &&& 0: one();", 1],
    ["a value beyond its mask", "hdr.io.a: ternary;", "0xf5 &&& 0x0f: one();", 1],
    ["a range with its upper end", "hdr.io.a: range;", "1 .. 4: two(); 2 .. 5: one();", 1],
    ["a range with its lower end", "hdr.io.a: range;", "6 .. 9: two(); 5 .. 9: one();", 1],
    ["a range of one value", "hdr.io.a: range;", "4 .. 4: two(); 5 .. 5: one();", 1],
    ["a prefix", "hdr.io.w: lpm;", "0x100 &&& 0xff00: one(); 0x102 &&& 0xffff: two();", 2],
    [
      "@priority: the smaller wins",
      "hdr.io.a: ternary;",
      "4 &&& 4: two() @priority(9); 5: one() @priority(3);",
      1,
    ],
  ])("%s", (_, key, entries, expected) => {
    expect(run(key, entries)).toBe(expected);
  });

  it.each([
    ["the first has the largest", ""],
    ["by steps", "priority_delta = 10;"],
    ["the first has the smallest", "largest_priority_wins = false; priority_delta = 10;"],
  ])("priorities without any that is written: %s", (_, properties) => {
    const { program } = compileParts({
      metadata: "bit<8> x;",
      locals: `action a() {} table t { key = { meta.x: ternary; } actions = { a; } default_action = a; ${properties}
        entries = { 1: a(); 2: a(); 3: a(); } }`,
      ingress: "t.apply();",
    });
    const { entries } = program.bmv2.pipelines[0]!.tables.find(({ name }) => name === "I.t")!;
    const order = entries!.map(({ priority }) => priority);
    // BMv2 takes the smaller number first: the order is that of the program.
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(new Set(order).size).toBe(3);
  });
});

describe("loops", () => {
  it.each<[string, string, [number, number, number]]>([
    [
      "over a range, both ends included",
      "hdr.io.w = 0; for (bit<16> i in 3 .. 6) { hdr.io.w = hdr.io.w + i; }",
      [5, 3, 18],
    ],
    [
      "over signed numbers",
      "hdr.io.w = 0; for (int<16> i in -2 .. 1) { hdr.io.w = hdr.io.w + (bit<16>) i; }",
      [5, 3, 0xfffe],
    ],
    [
      "with `continue` and `break`",
      "hdr.io.w = 0; for (bit<16> i in 1 .. 9) { if (i == 2) { continue; } if (i == 5) { break; } hdr.io.w = hdr.io.w + i; }",
      [5, 3, 8],
    ],
    [
      "in loops, each with a count of its own",
      "hdr.io.w = 0; for (bit<8> i = 0; i < 3; i = i + 1) { for (bit<8> j = i; j < 3; j = j + 1) { hdr.io.w = hdr.io.w + 1; } }",
      [5, 3, 6],
    ],
    [
      "that a packet bounds",
      "hdr.io.w = 0; for (bit<8> i = 0; i < hdr.io.a; i = i + 1) { hdr.io.w = hdr.io.w + 2; }",
      [5, 3, 10],
    ],
    [
      "whose count the body changes",
      "hdr.io.w = 0; for (bit<8> i = 0; i < 10; i = i + 1) { i = i + 1; hdr.io.w = hdr.io.w + 1; }",
      [5, 3, 5],
    ],
    [
      "with a known value that the body changes",
      "bit<8> k = 1; hdr.io.w = 0; for (bit<8> i = 0; i < 3; i = i + 1) { hdr.io.w = hdr.io.w + (bit<16>) k; k = k + hdr.io.b; }",
      [5, 3, 12],
    ],
    [
      "that are unrolled, with values that saturate on the way",
      `int<8> k = 50; int<8> l = -50; bit<8> m = 200; for (bit<8> i = 0; i < 3; i = i + 1) { k = k |+| 50; l = l |-| 50; m = m |+| 50; }
       hdr.io.a = (bit<8>) k; hdr.io.b = (bit<8>) l; hdr.io.w = (bit<16>) m;`,
      [127, 128, 255],
    ],
  ])("%s", (_, ingress, expected) => {
    expect(values(ingress)).toEqual(expected);
  });
});

describe("the parser", () => {
  it("copies the header that was extracted last, and looks ahead at fields of a struct, signed ones too", () => {
    const out = answer(
      {
        top: `${PAIR} struct L { bit<8> f; int<8> g; bool h; bit<7> rest; }`,
        headers: "pair_t[2] s; pair_t k;",
        metadata: "L l; bit<8> n;",
        states: `state start { pkt.extract(hdr.io); meta.l = pkt.lookahead<L>(); pkt.extract(hdr.s.next); pkt.extract(hdr.s.next); hdr.k = hdr.s.last; meta.n = (bit<8>) hdr.s.lastIndex; transition accept; }`,
        ingress: `hdr.io.a = meta.l.f; if (meta.l.g < 0 && meta.l.h) { hdr.io.b = (bit<8>) meta.l.rest; } hdr.io.w = (bit<16>) meta.n;`,
      },
      "11fe81041299",
    );
    expect(out).toBe("11010001" + "11fe8104" + "8104" + "1299");
  });

  it("extracts members of unions in a stack one after the other", () => {
    const out = answer(
      {
        top: `${PAIR} header one_t { bit<8> o; } header_union U { pair_t p; one_t o; }`,
        headers: "U[2] s;",
        states: `state start { pkt.extract(hdr.io); pkt.extract(hdr.s.next.o); pkt.extract(hdr.s.next.p); transition accept; }`,
        ingress: `hdr.io.a = hdr.s[0].o.o; hdr.io.b = hdr.s[1].p.q; if (hdr.s[0].p.isValid() || hdr.s[1].o.isValid()) { hdr.io.w = 0xffff; }`,
      },
      "0a0b0c0d",
    );
    expect(out).toBe("0a0c0102" + "0a0b0c0d");
  });
});

describe("warnings of whole programs", () => {
  const warned = (parts: Parts, port = "") => {
    const text = v1model({ metadata: "@field_list(0) bit<8> x;", ...parts }).replace(
      "sm.egress_spec = 1;",
      port,
    );
    const { codes, diagnostics } = tryCompile(text);
    return codes.filter((code) => code !== "P40611" && diagnostics.errorCount === 0);
  };

  it.each([
    ["no statement that decides the port", "meta.x = 1;", ["P40650"]],
    ["an extern that does not decide it", "random(meta.x, 1, 2);", ["P40650"]],
    ["mark_to_drop", "mark_to_drop(sm);", []],
    ["resubmit", "resubmit_preserving_field_list(0);", []],
    ["a multicast group", "sm.mcast_grp = 1;", []],
  ])("%s", (_, ingress, codes) => {
    expect(warned({ ingress })).toEqual(codes);
  });

  it("a header that is read and whose fields are written, but that is never valid", () => {
    const parts = { top: "header h_t { bit<8> f; }", headers: "h_t h;" };
    const read = "hdr.h.f = 1; meta.x = hdr.h.f;";
    expect(warned({ ...parts, ingress: read }, "sm.egress_spec = 1;")).toEqual(["P40652"]);
    expect(warned({ ...parts, ingress: `hdr.h.setValid(); ${read}` }, "sm.egress_spec = 1;")).toEqual([]);
  });

  it("a loop whose only `break` is that of a loop inside it has no end", () => {
    const inner = "for (bit<8> j = 0; j < 3; j = j + 1) { if (meta.x == j) { break; } }";
    const loop = (body: string) => `for (bit<8> i = 0; i < 10; ) { ${body} }`;
    expect(warned({ ingress: loop(inner) }, "sm.egress_spec = 1;")).toContain("P40657");
    expect(warned({ ingress: loop(`${inner} break;`) }, "sm.egress_spec = 1;")).toEqual([]);
  });

  it("a local that is read after the call of a function whose paths all return", () => {
    const top = "bit<8> f(in bit<8> a) { if (a == 1) { return 2; } return 3; }";
    const ingress = "bit<8> y; meta.x = f(meta.x); meta.x = y;";
    expect(warned({ top, ingress }, "sm.egress_spec = 1;")).toEqual(["P40658"]);
  });
});

it("the text after a pass shows tables with their keys, and switches with all labels", () => {
  const { dumps } = compileParts({
    metadata: "bit<8> x; bit<8> y;",
    locals: `action one() {} action two() {} action none() {}
      table t { key = { meta.x: ternary; meta.y: exact @name("why"); } actions = { one; two; none; } default_action = none; }`,
    ingress:
      "switch (t.apply().action_run) { one: two: { meta.x = 1; } default: { meta.x = 2; } } switch (meta.y) { 1: 2: { meta.x = 3; } default: {} }",
  });
  const text = dumps.get("elaborate")!;
  expect(text).toContain("key = {\n");
  expect(text).toMatch(/meta\.x: ternary @name\("meta\.x"\);\n\s*meta\.y: exact @name\("why"\);/);
  expect(text).toMatch(/8w1:\n\s*8w2: \{/);
});

describe("a hash in an action", () => {
  it("takes the action's parameters as base and size, as p4c passes them: by a copy", () => {
    const locals = `action h(bit<16> base, bit<16> size) { hash(hdr.io.w, HashAlgorithm.identity, base, { hdr.io.a }, size); }
      table t { key = {} actions = { h; } default_action = h(0x100, 4); }`;
    // 5 modulo 4
    expect(values("t.apply();", { locals })).toEqual([5, 3, 0x101]);
  });
});

describe("what is refused", () => {
  const messages = (text: string) =>
    tryCompile(text).diagnostics.list.map(({ code, message }) => [code, message]);

  it("a file that only includes others has no main", () => {
    expect(messages("#include <core.p4>\n#include <v1model.p4>\n")).toEqual([
      [expect.any(String), "the program has no main"],
    ]);
  });
});

describe("metadata that a clone keeps", () => {
  it("are the fields of a union and of a stack in it", () => {
    const { program } = compileParts({
      top: "header a_t { bit<8> x; } header b_t { bit<16> y; } header_union u_t { a_t a; b_t b; }",
      metadata: "@field_list(1) u_t u; @field_list(1) a_t[2] s; bit<8> other;",
      ingress: "clone_preserving_field_list(CloneType.I2E, 5, 1);",
    });
    const [list] = program.bmv2.field_lists.filter(({ elements }) => elements.length > 0);
    const names = list!.elements.map(({ value }) => (value as string[]).join("."));
    expect(names.filter((name) => name.endsWith(".x"))).toHaveLength(3);
    expect(names.filter((name) => name.endsWith(".y"))).toHaveLength(1);
    expect(names.some((name) => name.includes("other"))).toBe(false);
  });
});

describe("an assignment of a struct", () => {
  it("needs a copy only of a field that it has written before it reads it", () => {
    const top = S;
    const copies = (ingress: string) =>
      JSON.stringify(compileParts({ top, metadata: "S s;", ingress }).program.bmv2).includes("tmp");
    expect(copies("meta.s = { meta.s.x, 1 };")).toBe(false);
    expect(copies("meta.s = { meta.s.y, meta.s.x };")).toBe(true);
  });
});

describe("names of keys", () => {
  it("have the name of a union's member too", () => {
    const { program } = compileParts({
      top: 'header a_t { bit<8> x; } header_union u_t { @name("other") a_t a; }',
      headers: "u_t u;",
      locals: "action a() {} table t { key = { hdr.u.a.x: exact; } actions = { a; } }",
      ingress: "t.apply();",
    });
    expect(program.p4info.tables[0]!.matchFields.map(({ name }) => name)).toEqual(["hdr.u.other.x"]);
  });

  it("are the fields as they are written", () => {
    const { program } = compileParts({
      top: `${IO} header v_t { @name("other") bit<8> x; @name(".whole") bit<8> y; }`,
      headers: "io_t io; v_t v; v_t[2] s;",
      locals: `action a() {}
        table t { key = { hdr.io.a[3:1]: exact; hdr.v.x: exact; hdr.v.y: exact; hdr.s[1].x: exact; hdr.v.isValid(): exact;
          hdr.io.w & 0xff0: exact; hdr.io.b: exact @name("own"); } actions = { a; } default_action = a; }`,
      ingress: "t.apply();",
    });
    const table = program.p4info.tables.find((one) => one.preamble?.name === "I.t")!;
    expect(table.matchFields.map(({ name }) => name)).toEqual([
      "hdr.io.a[3:1]",
      "hdr.v.other",
      "whole",
      "hdr.s[1].other",
      "hdr.v.$valid$",
      "hdr.io.w & 0xff0",
      "own",
    ]);
  });
});
