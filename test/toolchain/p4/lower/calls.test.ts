/**
 * Arguments of functions, actions and controls (P4-16 section 6.8): copy-in and copy-out from left to right, `out` parameters that start
 * without a value, arguments that are the same storage, and the order of evaluation (section 8.1).
 */
import { describe, expect, it } from "vitest";
import { answer, values } from "./packets.js";
import { compileParts, type Parts, tryCompile, v1model } from "./v1model.js";

type Row = [title: string, ingress: string, parts: Parts, expected: [number, number, number]];

describe("copy-in and copy-out", () => {
  it.each<Row>([
    [
      "`_` takes the value of an `out` parameter that nobody wants",
      "f(_, hdr.io.b); hdr.io.a = g(_);",
      {
        top: "void f(out bit<8> x, out bit<8> y) { x = 1; y = 2; } bit<8> g(out bit<8> x) { x = 9; return x; }",
      },
      [9, 2, 0x102],
    ],
    [
      "`_` of an action and of a control",
      "act(_, hdr.io.a); sub.apply(_, hdr.io.b);",
      {
        top: "control Sub(out bit<8> x, out bit<8> y) { apply { x = 3; y = 4; } }",
        locals: "Sub() sub; action act(out bit<8> x, out bit<8> y) { x = 1; y = 2; }",
      },
      [2, 4, 0x102],
    ],
    [
      "an `in` parameter keeps its value while another parameter of the same storage is written",
      "f(hdr.io.a, hdr.io.a, hdr.io.b);",
      { top: "void f(in bit<8> x, inout bit<8> y, out bit<8> z) { y = 100; z = x; }" },
      [100, 5, 0x102],
    ],
    [
      "an `in` parameter beside others that are only read, and one that is written",
      "f(hdr.io.a, hdr.io.b, hdr.io.a);",
      { top: "void f(in bit<8> x, in bit<8> y, out bit<8> z) { z = 100; z = x + y; }" },
      [8, 3, 0x102],
    ],
    [
      "of two `out` parameters with the same storage the last is copied last",
      "f(hdr.io.a, hdr.io.a);",
      { top: "void f(out bit<8> x, out bit<8> y) { y = 2; x = 1; }" },
      [2, 3, 0x102],
    ],
    [
      "two `inout` parameters with the same storage have values of their own",
      "f(hdr.io.a, hdr.io.a, hdr.io.b);",
      { top: "void f(inout bit<8> x, inout bit<8> y, out bit<8> z) { x = x + 1; y = y + 2; z = x; }" },
      [7, 6, 0x102],
    ],
    [
      "a struct and a field of it as arguments",
      "meta.s = { 1, 2 }; f(meta.s, meta.s.x); hdr.io.a = meta.s.x; hdr.io.b = meta.s.y;",
      {
        top: "struct S { bit<8> x; bit<8> y; } void f(in S s, out bit<8> x) { x = 40; x = s.x + s.y; }",
        metadata: "S s;",
      },
      [3, 2, 0x102],
    ],
    [
      "two fields of a struct are not the same storage",
      "meta.s = { 1, 2 }; f(meta.s.x, meta.s.y); hdr.io.a = meta.s.x; hdr.io.b = meta.s.y;",
      {
        top: "struct S { bit<8> x; bit<8> y; } void f(inout bit<8> x, inout bit<8> y) { x = x + y; y = x + y; }",
        metadata: "S s;",
      },
      [3, 5, 0x102],
    ],
    [
      "an argument without a name takes its place, one with a name its parameter, and a default the rest",
      "hdr.io.a = f(y = 1, x = 7); hdr.io.b = g(9);",
      {
        top: "bit<8> f(in bit<8> x, in bit<8> y) { return x - y; } bit<8> g(in bit<8> x, in bit<8> y = 4) { return x + y; }",
      },
      [6, 13, 0x102],
    ],
    [
      "constants of each kind",
      "hdr.io.a = f(true, K.q, 3); hdr.io.b = f(false, K.p, 3);",
      {
        top: "enum K { p, q } bit<8> f(in bool c, in K k, in bit<8> n) { if (c && k == K.q) { return n + 1; } return n; }",
      },
      [4, 3, 0x102],
    ],
    [
      "an element whose index the body changes is copied back to the place that it had",
      "meta.i = 1; hdr.s[0] = { 10 }; hdr.s[1] = { 20 }; f(meta.i, hdr.s[meta.i].p); hdr.io.a = hdr.s[0].p; hdr.io.b = hdr.s[1].p; hdr.s[0].setInvalid(); hdr.s[1].setInvalid();",
      {
        top: "header p_t { bit<8> p; } void f(inout bit<8> i, inout bit<8> x) { i = 0; x = x + 1; }",
        headers: "p_t[2] s;",
        metadata: "bit<8> i;",
      },
      [10, 21, 0x102],
    ],
    [
      "what an action copies out it also copies out where it is left by return",
      "f(hdr.io.a); hdr.io.b = 1;",
      { locals: "action f(inout bit<8> x) { x = x + 1; if (x == 6) { x = 60; return; } x = 70; }" },
      [60, 1, 0x102],
    ],
    [
      "an action that a table and a statement use",
      "set(7); t.apply();",
      {
        locals: `action set(bit<8> v) { hdr.io.a = hdr.io.a + v; }
          table t { key = { hdr.io.b: exact; } actions = { set; } const entries = { 3: set(20); } const default_action = set(1); }`,
      },
      [32, 3, 0x102],
    ],
    [
      "directed parameters of an action in a table: given once, in the list of actions",
      "t.apply();",
      {
        locals: `action add(in bit<8> x, inout bit<8> y, bit<8> v) { y = x + v; }
          table t { key = { hdr.io.b: exact; } actions = { add(hdr.io.b, hdr.io.a); } const entries = { 3: add(hdr.io.b, hdr.io.a, 20); }
            default_action = add(hdr.io.b, hdr.io.a, 1); }`,
      },
      [23, 3, 0x102],
    ],
    [
      "data of an entry by the names of the parameters",
      "t.apply();",
      {
        locals: `action set(bit<8> x, bit<8> y) { hdr.io.a = x; hdr.io.w = (bit<16>) y; }
          table t { key = { hdr.io.b: exact; } actions = { set; } const entries = { 3: set(y = 1, x = 2); } default_action = set(0, 0); }`,
      },
      [2, 3, 1],
    ],
  ])("%s", (_, ingress, parts, expected) => {
    expect(values(ingress, parts)).toEqual(expected);
  });

  it("headers of `out` parameters start invalid: alone, in structs, stacks and unions", () => {
    const parts: Parts = {
      top: `header p_t { bit<8> p; } header q_t { bit<8> q; } header_union U { p_t p; q_t q; } struct S { p_t h; bit<8> n; bit<8>[2] list; }
        void f(out p_t h, out S s, out p_t[2] l, out U u) { s.n = 1; s.list[0] = 2; s.list[1] = 3; }`,
      headers: "p_t h; p_t[2] l; U u;",
      metadata: "S s;",
    };
    const ask = (call: string) =>
      values(
        `hdr.h = { 1 }; meta.s.h = { 2 }; hdr.l[0] = { 3 }; hdr.l[1] = { 4 }; hdr.u.q = { 5 }; ${call} hdr.io.w = 0;
         if (hdr.h.isValid()) { hdr.io.w = hdr.io.w + 1; } if (meta.s.h.isValid()) { hdr.io.w = hdr.io.w + 2; }
         if (hdr.l[0].isValid()) { hdr.io.w = hdr.io.w + 4; } if (hdr.l[1].isValid()) { hdr.io.w = hdr.io.w + 8; }
         if (hdr.u.isValid()) { hdr.io.w = hdr.io.w + 16; }`,
        parts,
      )[2];
    expect(ask("")).toBe(31);
    expect(ask("f(hdr.h, meta.s, hdr.l, hdr.u);")).toBe(0);
  });

  it("the headers of a local are invalid each time that its declaration is met", () => {
    const ingress = `hdr.io.a = 0; for (bit<8> i = 0; i < 3; i = i + 1) { p_t[2] l; if (l[1].isValid()) { hdr.io.a = hdr.io.a + 1; } l[1] = { 1 }; }`;
    expect(values(ingress, { top: "header p_t { bit<8> p; }" })[0]).toBe(0);
  });
});

describe("the order of evaluation", () => {
  const BUMP = "bit<8> bump(inout bit<8> n) { n = n + 1; return 100; }";
  it.each<Row>([
    [
      "a value that a later operand changes",
      "hdr.io.a = hdr.io.a + bump(hdr.io.a);",
      { top: BUMP },
      [105, 3, 0x102],
    ],
    [
      "the index of an element that is read",
      "hdr.s[0] = { 1 }; hdr.s[1] = { 2 }; hdr.io.a = hdr.s[meta.i].p + bump(meta.i); hdr.s[0].setInvalid(); hdr.s[1].setInvalid();",
      { top: `header p_t { bit<8> p; } ${BUMP}`, headers: "p_t[2] s;", metadata: "bit<8> i;" },
      [101, 3, 0x102],
    ],
    [
      "the index of an element that is written",
      "hdr.s[0] = { 1 }; hdr.s[1] = { 2 }; hdr.s[meta.i].p = bump(meta.i); hdr.io.a = hdr.s[0].p; hdr.io.b = hdr.s[1].p; hdr.s[0].setInvalid(); hdr.s[1].setInvalid();",
      { top: `header p_t { bit<8> p; } ${BUMP}`, headers: "p_t[2] s;", metadata: "bit<8> i;" },
      [100, 2, 0x102],
    ],
    [
      "a slice of an element that is written",
      "hdr.s[0] = { 1 }; hdr.s[1] = { 2 }; hdr.s[meta.i].p[7:4] = bump(meta.i)[3:0]; hdr.io.a = hdr.s[0].p; hdr.io.b = hdr.s[1].p; hdr.s[0].setInvalid(); hdr.s[1].setInvalid();",
      { top: `header p_t { bit<8> p; } ${BUMP}`, headers: "p_t[2] s;", metadata: "bit<8> i;" },
      [0x41, 2, 0x102],
    ],
    [
      "a compound assignment evaluates its place once, and its value before the right side",
      "meta.i = 0; hdr.s[0] = { 1 }; hdr.s[1] = { 2 }; hdr.s[meta.i].p += bump(meta.i); hdr.io.a = hdr.s[0].p; hdr.io.b = hdr.s[1].p; hdr.s[0].setInvalid(); hdr.s[1].setInvalid();",
      { top: `header p_t { bit<8> p; } ${BUMP}`, headers: "p_t[2] s;", metadata: "bit<8> i;" },
      [101, 2, 0x102],
    ],
    [
      "a table that a later operand applies can change an earlier one",
      "hdr.io.a = hdr.io.a + (t.apply().hit ? 8w10 : 8w20);",
      {
        locals: `action set() { hdr.io.a = 77; } table t { key = { hdr.io.b: exact; } actions = { set; } const entries = { 3: set(); } default_action = set(); }`,
      },
      [15, 3, 0x102],
    ],
    [
      "an `if` that begins with a table's outcome, negated twice",
      "if (!(!t.apply().hit)) { hdr.io.a = 1; } else { hdr.io.a = 2; }",
      {
        locals: `action none() {} table t { key = { hdr.io.b: exact; } actions = { none; } const entries = { 3: none(); } default_action = none(); }`,
      },
      [1, 3, 0x102],
    ],
    [
      "the outcome of a table with another operand of a condition",
      "if (~hdr.io.a == 0xfa && t.apply().miss) { hdr.io.a = 1; } else { hdr.io.a = 2; }",
      {
        locals: `action none() {} table t { key = { hdr.io.b: exact; } actions = { none; } const entries = { 3: none(); } default_action = none(); }`,
      },
      [2, 3, 0x102],
    ],
    [
      "the elements of a list, and the fields of a struct, in the order in which they are written",
      "meta.s = { y = bump(meta.i), x = meta.i }; hdr.io.a = meta.s.x; meta.s = { meta.i, bump(meta.i) }; hdr.io.b = meta.s.x;",
      { top: `struct S { bit<8> x; bit<8> y; } ${BUMP}`, metadata: "S s; bit<8> i;" },
      [1, 1, 0x102],
    ],
    [
      "compound shifts, whose right side has a width of its own",
      "hdr.io.a <<= 16w2; hdr.io.b >>= 4w1; hdr.io.w |+|= 0xffff;",
      {},
      [20, 1, 0xffff],
    ],
  ])("%s", (_, ingress, parts, expected) => {
    expect(values(ingress, parts)).toEqual(expected);
  });
});

describe("generic functions", () => {
  const pair = "struct Two<T> { T x; T y; } header p_t { bit<8> p; }";
  it.each<Row>([
    [
      "over a struct, a tuple and an array of the type parameter",
      "hdr.io.a = second<bit<8>>({ 1, 2 }); hdr.io.b = last<bit<8>>({ 3, 4 }); hdr.io.w = (bit<16>) at<bit<8>>(hdr.io.a);",
      {
        top: `${pair} T second<T>(in Two<T> p) { return p.y; } T last<T>(in tuple<T, T> t) { return t[1]; }
          T at<T>(in T v) { T[2] l; l[0] = v; l[1] = v; Two<T> q = { l[1], v }; return q.x; }`,
      },
      [2, 4, 2],
    ],
    [
      "over a stack of headers",
      "hdr.s[1] = { 6 }; meta.h = second<p_t>(hdr.s); hdr.io.a = meta.h.p; hdr.s[1].setInvalid();",
      {
        top: `${pair} H second<H>(in H[2] s) { H[2] copy = s; return copy[1]; }`,
        headers: "p_t[2] s;",
        metadata: "p_t h;",
      },
      [6, 3, 0x102],
    ],
    [
      "each call with types of its own",
      "hdr.io.a = same<bit<8>>(200); hdr.io.w = same<bit<16>>(1000);",
      { top: "T same<T>(in T v) { T w = v; return w; }" },
      [200, 3, 1000],
    ],
    [
      "that call one another",
      "hdr.io.a = outer<bit<8>, bit<16>>(3, 4); hdr.io.w = outer<bit<16>, bit<8>>(5, 6);",
      {
        top: "T inner<T>(in T v) { return v; } T outer<T, U>(in T v, in U u) { U unused = inner<U>(u); return inner<T>(v); }",
      },
      [3, 3, 5],
    ],
  ])("%s", (_, ingress, parts, expected) => {
    expect(values(ingress, parts)).toEqual(expected);
  });
});

it("static_assert leaves nothing in the program", () => {
  const { program } = compileParts({ metadata: "bit<8> x;", ingress: "static_assert(true); meta.x = 1;" });
  expect(program.bmv2.actions.flatMap(({ primitives }) => primitives.map(({ op }) => op))).toEqual([
    "assign",
    "assign",
  ]);
});

it("the headers that a function fills are emitted by the packet", () => {
  const parts: Parts = {
    top: "header p_t { bit<8> p; } void fill(out p_t h, in bit<8> v) { h.setValid(); h.p = v; }",
    headers: "p_t h; p_t g;",
  };
  expect(answer({ ...parts, ingress: "fill(hdr.h, 1); fill(hdr.g, hdr.h.p + 1);" }, "")).toBe("050301020102");
  expect(tryCompile(v1model({ top: parts.top!, headers: "p_t h;", ingress: "fill(_, 1);" })).codes).toEqual(
    [],
  );
});

describe("a conditional value evaluates one side (P4-16 section 8.1)", () => {
  const top = "bit<8> bump(inout bit<8> n) { n = n + 1; return n; }";
  it.each<Row>([
    ["a call on the left is made", "hdr.io.a = hdr.io.a == 5 ? bump(hdr.io.b) : 9;", { top }, [4, 4, 0x102]],
    [
      "a call on the left is not made",
      "hdr.io.a = hdr.io.a == 6 ? bump(hdr.io.b) : 9;",
      { top },
      [9, 3, 0x102],
    ],
    ["a call on the right is made", "hdr.io.a = hdr.io.a == 6 ? 9 : bump(hdr.io.b);", { top }, [4, 4, 0x102]],
    [
      "a call on the right is not made",
      "hdr.io.a = hdr.io.a == 5 ? 9 : bump(hdr.io.b);",
      { top },
      [9, 3, 0x102],
    ],
  ])("%s", (_, ingress, parts, expected) => {
    expect(values(ingress, parts)).toEqual(expected);
  });
});
