/**
 * Values of every type (P4-16 sections 7.2 and 8): constants, literals by position and by name, default values, casts, tuples and arrays,
 * enums with and without underlying type; and what a `for` runs over (section 12.8).
 */
import { describe, expect, it } from "vitest";
import { answer, IO, values } from "./packets.js";
import { compileParts, type Parts, tryCompile, v1model } from "./v1model.js";

type Row = [title: string, ingress: string, parts: Parts, expected: [number, number, number]];
const S = "struct S { bit<8> x; bit<8> y; }";
const H = "header p_t { bit<8> p; bit<8> q; }";

describe("constants", () => {
  it.each<Row>([
    [
      "a header, and one that is not valid",
      "meta.h = c; hdr.io.a = meta.h.isValid() ? meta.h.q : 0; meta.h = none; hdr.io.b = meta.h.isValid() ? 8w1 : 2;",
      { top: `${H} const p_t c = { 1, 2 }; const p_t none = {#};`, metadata: "p_t h;" },
      [2, 2, 0x102],
    ],
    [
      "an array, read by a number and by a field",
      "bit<8>[3] l = { 7, 8, 9 }; hdr.io.a = l[2]; hdr.io.b = l[hdr.io.b - 2];",
      {},
      [9, 8, 0x102],
    ],
    [
      "an array whose rest has default values",
      "bit<8>[3] l = { 7, ... }; hdr.io.a = l[0]; hdr.io.b = l[1] + l[2];",
      {},
      [7, 0, 0x102],
    ],
    [
      "a struct whose rest has default values, by position and by name",
      "S s = { 7, ... }; hdr.io.a = s.y; s = { y = 3, ... }; hdr.io.b = s.x + s.y;",
      { top: S },
      [0, 3, 0x102],
    ],
    [
      "default values of structs, tuples, arrays, headers, stacks and unions inside a struct",
      `meta.t = { n = 1, ... }; hdr.io.a = meta.t.s.x + meta.t.l[1] + meta.t.u[1] + meta.t.n;
       if (!meta.t.h.isValid() && !meta.t.k[1].isValid() && !meta.t.f) { hdr.io.b = 0x20; }`,
      {
        top: `${S} ${H} struct T { bit<8> n; S s; bit<8>[2] l; tuple<bit<8>, bit<8>> u; p_t h; p_t[2] k; bool f; }`,
        metadata: "T t;",
      },
      [1, 0x20, 0x102],
    ],
    [
      "a constant of a tuple, and of a struct with a struct",
      "hdr.io.a = t[1]; hdr.io.b = o.s.y; meta.s = o.s; hdr.io.w = (bit<16>) meta.s.x;",
      {
        top: `${S} struct O { S s; bool f; } const tuple<bool, bit<8>> t = { true, 9 }; const O o = { { 4, 6 }, true };`,
        metadata: "S s;",
      },
      [9, 6, 4],
    ],
    [
      "constants of a control, of its constructor's parameters",
      "c.apply(hdr.io.a);",
      {
        top: `${S} control C2(inout bit<8> v)(bit<8> n) { const bit<8> twice = n + n; const S s = { n, twice }; apply { v = s.y + s.x; } }`,
        locals: "C2(5) c;",
      },
      [15, 3, 0x102],
    ],
    [
      "an enum with underlying type is its number, with a new type too",
      "meta.k = K.q; hdr.io.a = (bit<8>) meta.k; meta.k = (K) hdr.io.b; if (meta.k == K.p) { hdr.io.b = 77; } hdr.io.w = (bit<16>) (bit<8>) (N) 8w9;",
      { top: "enum bit<8> K { p = 3, q = 200 } type bit<8> N;", metadata: "K k;" },
      [200, 77, 9],
    ],
    [
      "members of enums and of `error` as values of a choice",
      `meta.k = hdr.io.a == 5 ? K.r : K.p; meta.e = hdr.io.a == 4 ? error.NoMatch : error.Mine; if (meta.k == K.r) { hdr.io.a = 1; } if (meta.e == error.Mine) { hdr.io.b = 1; }
       if (meta.e != error.NoMatch && meta.k != K.q) { hdr.io.w = 1; }`,
      { top: "enum K { p, q, r } error { Mine }", metadata: "K k; error e;" },
      [1, 1, 1],
    ],
    [
      "a negative number without width takes the width of what it goes to",
      "hdr.io.a = (bit<8>) (8s3 + m); const int one = 1; hdr.io.b = hdr.io.b + one; hdr.io.w = (bit<16>) (hdr.io.a + zero);",
      { top: "const int m = -1; const int zero = 0;" },
      [2, 4, 2],
    ],
    ["`+` as sign", "hdr.io.a = +hdr.io.a; hdr.io.b = (bit<8>) (+8s7);", {}, [5, 7, 0x102]],
    [
      "a comparison of strings of bits with a cast",
      "if ((bool) hdr.io.a[0:0]) { hdr.io.b = 1; } if (!(bool) hdr.io.a[1:1]) { hdr.io.w = 1; }",
      {},
      [5, 1, 1],
    ],
  ])("%s", (_, ingress, parts, expected) => {
    expect(values(ingress, parts)).toEqual(expected);
  });
});

describe("structs, headers and tuples", () => {
  it.each<Row>([
    [
      "a literal by names in another order, with fields that become wider",
      "meta.w = { b = hdr.io.a, a = (bit<16>) hdr.io.b }; hdr.io.a = meta.w.b; hdr.io.w = meta.w.a;",
      { top: "struct W { bit<16> a; bit<8> b; }", metadata: "W w;" },
      [5, 3, 3],
    ],
    [
      "a list as a header, and a literal by names as one",
      "hdr.h = { hdr.io.b, 9 }; hdr.io.a = hdr.h.p + hdr.h.q; hdr.h = { q = 1, p = 2 }; hdr.io.b = hdr.h.p; hdr.h.setInvalid();",
      { top: H, headers: "p_t h;" },
      [12, 2, 0x102],
    ],
    [
      "a header of a cast literal",
      "hdr.h = (p_t) { q = 1, p = 2 }; hdr.io.a = hdr.h.p; hdr.h = (p_t) { 6, 7 }; hdr.io.b = hdr.h.q; hdr.h.setInvalid();",
      { top: H, headers: "p_t h;" },
      [2, 7, 0x102],
    ],
    [
      "a tuple as a struct's field, and a tuple that is copied",
      "tuple<bit<8>, bit<16>> t = { hdr.io.b, hdr.io.w }; tuple<bit<8>, bit<16>> u = t; t = { 1, 2 }; hdr.io.a = u[0]; hdr.io.w = u[1] + t[1];",
      {},
      [3, 3, 0x104],
    ],
    [
      "tuples that are compared",
      "tuple<bit<8>, bit<16>> t = { hdr.io.b, hdr.io.w }; if (t == { 3, 0x102 }) { hdr.io.a = 1; } if (t != { 3, 0x103 }) { hdr.io.b = 1; }",
      {},
      [1, 1, 0x102],
    ],
    [
      "a choice between headers, structs, tuples and arrays",
      `bit<8>[2] l = hdr.io.a == 5 ? (bit<8>[2]) { 1, 2 } : { 3, 4 }; meta.s = hdr.io.a == 4 ? meta.s : { 5, 6 }; hdr.io.a = l[1]; hdr.io.b = meta.s.y;`,
      { top: S, metadata: "S s;" },
      [2, 6, 0x102],
    ],
    [
      "a union that is assigned, and compared with none",
      "hdr.u.b = { 4 }; hdr.v = hdr.u; if (hdr.v.b.isValid() && hdr.v != (U) {#}) { hdr.io.a = hdr.v.b.o; } hdr.u = (U) {#}; if (hdr.u == (U) {#}) { hdr.io.b = 1; } hdr.v = (U) {#};",
      { top: `${H} header one_t { bit<8> o; } header_union U { p_t a; one_t b; }`, headers: "U u; U v;" },
      [4, 1, 0x102],
    ],
    [
      "a stack that is assigned from a list of headers",
      "hdr.s = { { 1, 2 }, { 3, 4 } }; hdr.io.a = hdr.s[1].p; hdr.io.b = hdr.s[0].q; hdr.s[0].setInvalid(); hdr.s[1].setInvalid();",
      { top: H, headers: "p_t[2] s;" },
      [3, 2, 0x102],
    ],
    [
      "fields of a header that is built from its own fields, of which some are computed",
      "hdr.h = { 1, 2 }; hdr.h = { hdr.h.q + 1, hdr.h.p + hdr.h.q }; hdr.io.a = hdr.h.p; hdr.io.b = hdr.h.q; hdr.h.setInvalid();",
      { top: H, headers: "p_t h;" },
      [3, 3, 0x102],
    ],
    [
      "a struct of headers from headers of itself",
      "meta.t.f = { 1, 2 }; meta.t.g = { 3, 4 }; meta.t = { meta.t.g, meta.t.f }; hdr.io.a = meta.t.f.p; hdr.io.b = meta.t.g.q;",
      { top: `${H} struct T { p_t f; p_t g; }`, metadata: "T t;" },
      [3, 2, 0x102],
    ],
    [
      "minSizeInBits counts the smallest member of a union's sizes, arrays all elements, and varbit none at all",
      "hdr.io.a = (bit<8>) hdr.s.minSizeInBytes(); hdr.io.b = (bit<8>) hdr.h.maxSizeInBits();",
      { top: H, headers: "p_t h; p_t[3] s;" },
      [6, 16, 0x102],
    ],
  ])("%s", (_, ingress, parts, expected) => {
    expect(values(ingress, parts)).toEqual(expected);
  });
});

describe("`for` runs over", () => {
  it.each<Row>([
    [
      "an array",
      "bit<8>[3] l = { 1, 2, 4 }; hdr.io.a = 0; for (bit<8> x in l) { hdr.io.a = hdr.io.a + x; }",
      {},
      [7, 3, 0x102],
    ],
    [
      "a stack of headers",
      "hdr.s[0] = { 1, 2 }; hdr.s[2] = { 3, 4 }; hdr.io.a = 0; hdr.io.b = 0; for (p_t x in hdr.s) { if (x.isValid()) { hdr.io.a = hdr.io.a + x.q; } else { hdr.io.b = hdr.io.b + 1; } } hdr.s[0].setInvalid(); hdr.s[2].setInvalid();",
      { top: H, headers: "p_t[3] s;" },
      [6, 1, 0x102],
    ],
    [
      "a list of numbers",
      "hdr.io.a = 0; for (bit<8> x in (list<bit<8>>) { 1, hdr.io.b, 10 }) { hdr.io.a = hdr.io.a + x; }",
      {},
      [14, 3, 0x102],
    ],
    [
      "a list of structs",
      "hdr.io.a = 0; for (S x in (list<S>) { { 1, 2 }, { y = 4, x = 3 } }) { hdr.io.a = hdr.io.a + x.y * 10 + x.x; }",
      { top: S },
      [64, 3, 0x102],
    ],
    [
      "a range whose ends are constants of the program",
      "hdr.io.a = 0; for (bit<8> x in low .. low + 2) { hdr.io.a = hdr.io.a + x; }",
      { top: "const bit<8> low = 3;" },
      [12, 3, 0x102],
    ],
    ["an empty range: never", "for (bit<8> x in 3 .. 2) { hdr.io.a = 9; }", {}, [5, 3, 0x102]],
  ])("%s", (_, ingress, parts, expected) => {
    expect(values(ingress, parts)).toEqual(expected);
  });

  it("at most 4096 values of a range", () => {
    const codes = (high: number) =>
      tryCompile(v1model({ metadata: "bit<32> x;", ingress: `for (bit<32> i in 1 .. ${high}) {}` })).codes;
    expect(codes(4096)).toEqual([]);
    expect(codes(4097)).toEqual(["P40408"]);
  });
});

describe("arrays and stacks by an index at run time", () => {
  const parts: Parts = {
    top: H,
    headers: "p_t[3] s;",
    metadata: "bit<8> i; bit<2> j; int<4> k; bit<8>[3] l;",
  };
  const SET = "hdr.s[0] = { 1, 2 }; hdr.s[1] = { 3, 4 }; hdr.s[2] = { 5, 6 };";
  const CLEAR = "hdr.s[0].setInvalid(); hdr.s[1].setInvalid(); hdr.s[2].setInvalid();";
  it.each<[string, string, [number, number, number]]>([
    [
      "copied whole to and from an element",
      "meta.i = 2; hdr.s[meta.i - 2] = hdr.s[meta.i]; hdr.io.a = hdr.s[0].p; hdr.io.b = hdr.s[2].p;",
      [5, 5, 0x102],
    ],
    [
      "both sides with the same index",
      "meta.i = 1; hdr.s[meta.i].p = hdr.s[meta.i].q + 10; hdr.io.a = hdr.s[1].p;",
      [14, 3, 0x102],
    ],
    [
      "a validity",
      "meta.i = 1; hdr.s[1].setInvalid(); hdr.io.a = hdr.s[meta.i].isValid() ? 8w1 : 2; meta.i = 2; hdr.io.b = hdr.s[meta.i].isValid() ? 8w1 : 2;",
      [2, 1, 0x102],
    ],
    [
      "a slice of an element",
      "meta.i = 1; hdr.s[meta.i].p[7:4] = 15; hdr.io.a = hdr.s[1].p; hdr.io.b = (bit<8>) hdr.s[meta.i].p[5:2];",
      [0xf3, 12, 0x102],
    ],
    [
      "an index with fewer bits than the stack needs, and a signed one",
      "meta.j = 2; hdr.io.a = hdr.s[meta.j].q; meta.k = 1; hdr.io.b = hdr.s[(bit<4>) meta.k].q;",
      [6, 4, 0x102],
    ],
    [
      "an index that is itself an element",
      "meta.l = { 2, 0, 1 }; meta.i = 2; hdr.io.a = hdr.s[meta.l[meta.i]].p; hdr.s[meta.l[meta.l[0]]].q = 44; hdr.io.b = hdr.s[1].q;",
      [3, 44, 0x102],
    ],
    [
      "a write beyond the end changes nothing",
      "meta.i = 3; hdr.s[meta.i].p = 99; hdr.io.a = hdr.s[2].p;",
      [5, 3, 0x102],
    ],
  ])("%s", (_, ingress, expected) => {
    expect(values(`${SET} ${ingress} ${CLEAR}`, parts)).toEqual(expected);
  });

  it("a bool, an enum and an error in an array", () => {
    const ingress = `meta.b[meta.i] = true; meta.i = 1; meta.b[meta.i] = false; if (meta.b[0] && !meta.b[1]) { hdr.io.a = 1; } meta.e[meta.i] = K.q; if (meta.e[1] == K.q && meta.e[0] != K.q) { hdr.io.b = 1; }`;
    expect(values(ingress, { top: "enum K { p, q }", metadata: "bool[2] b; K[2] e; bit<8> i;" })).toEqual([
      1, 1, 0x102,
    ]);
  });
});

it("hash takes lists, headers, structs, computed values and signed constants alike", () => {
  const of = (data: string) =>
    values(`meta.s = { 5, 3 }; hash(hdr.io.w, HashAlgorithm.crc16, 16w0, ${data}, 32w65536);`, {
      top: S,
      metadata: "S s;",
    })[2];
  const whole = of("{ hdr.io.a, hdr.io.b }");
  expect(of("meta.s")).toBe(whole);
  expect(of("{ meta.s.x, hdr.io.b + 0 }")).toBe(whole);
  expect(of("{ hdr.io.a ++ hdr.io.b }")).toBe(whole);
  expect(of("{ 8w5, 8w3 }")).toBe(whole);
  expect(of("{ 8s5, 8s3 }")).toBe(whole);
  expect(of("{ { hdr.io.a }, { hdr.io.b } }")).toBe(whole);
  expect(of("{ hdr.io.b, hdr.io.a }")).not.toBe(whole);
});

it("the deparser emits structs, stacks and unions in the order of their fields, and nothing that is not valid", () => {
  const parts: Parts = {
    top: `${H} header one_t { bit<8> o; } header_union U { one_t a; p_t b; } struct inner_t { p_t h; one_t[2] s; U u; }`,
    headers: "inner_t sub; one_t last;",
    ingress: "hdr.sub.h = { 1, 2 }; hdr.sub.s[1] = { 3 }; hdr.sub.u.b = { 4, 5 }; hdr.last = { 6 };",
  };
  expect(answer(parts, "")).toBe("05030102" + "0102" + "03" + "0405" + "06");
  expect(
    answer({ ...parts, deparser: "pkt.emit(hdr.sub.u); pkt.emit(hdr.sub.s); pkt.emit(hdr.last);" }, ""),
  ).toBe("0405" + "03" + "06");
  expect(
    compileParts({
      ...parts,
      top: `${IO} ${parts.top}`,
      headers: `io_t io; ${parts.headers}`,
      deparser: "pkt.emit(hdr);",
    }).program.bmv2.deparsers[0]!.order,
  ).toEqual(["io", "sub.h", "sub.s[0]", "sub.s[1]", "sub.u.a", "sub.u.b", "last"]);
});
