/** Control flow in apply blocks, actions and parsers: what runs, in which order, and what is copied when. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Machine } from "../emit/evaluate.js";
import { compileParts, type Parts, tryCompile, v1model } from "./v1model.js";

/** Runs ingress on metadata fields; gives them all back. */
function run(parts: Parts, fields: Record<string, bigint>): Record<string, bigint> {
  const metadata = Object.keys(fields).map((name) => `bit<8> ${name};`);
  const { program } = compileParts({ ...parts, metadata: `${metadata.join(" ")} ${parts.metadata ?? ""}` });
  const memory = new Map(Object.entries(fields).map(([name, value]) => [`scalars.meta_t.${name}`, value]));
  new Machine(program.bmv2, memory).pipeline(0);
  return Object.fromEntries(
    Object.keys(fields).map((name) => [name, memory.get(`scalars.meta_t.${name}`) ?? 0n]),
  );
}

const PUSH = "action push(bit<64> digit) { meta.trace = meta.trace * 10 + digit; }";
const TRACE = "bit<64> trace;";

function trace(ingress: string, fields: Record<string, bigint> = {}, locals = "", top = ""): bigint {
  const metadata = Object.keys(fields).map((name) => `bit<8> ${name};`);
  const { program } = compileParts({
    top,
    metadata: `${metadata.join(" ")} ${TRACE}`,
    locals: `${PUSH} ${locals}`,
    ingress,
  });
  const memory = new Map(Object.entries(fields).map(([name, value]) => [`scalars.meta_t.${name}`, value]));
  new Machine(program.bmv2, memory).pipeline(0);
  return memory.get("scalars.meta_t.trace") ?? 0n;
}

describe("apply blocks", () => {
  it.each([
    [0n, 124n],
    [1n, 13n],
    [2n, 1n],
  ])("return and exit (x = %i)", (x, expected) => {
    const body =
      "push(1); if (meta.x == 1) { push(3); return; } if (meta.x == 2) { exit; } push(2); push(4);";
    expect(trace(body, { x })).toBe(expected);
  });

  it("leave a called control by return, not its caller", () => {
    const top = `control Inner(inout bit<8> x) { apply { x = x + 1; if (x > 5) { return; } x = 100; } }`;
    const body = "inner.apply(meta.x); inner.apply(meta.y); meta.z = 1;";
    expect(run({ top, locals: "Inner() inner;", ingress: body }, { x: 7n, y: 2n, z: 0n })).toEqual({
      x: 8n,
      y: 100n,
      z: 1n,
    });
  });

  it.each([
    [0n, 15n],
    [1n, 25n],
    [2n, 25n],
    [9n, 35n],
  ])("switch on a value with labels that share a block (x = %i)", (x, expected) => {
    const body = "switch (meta.x) { 0: { push(1); } 1: 2: { push(2); } default: { push(3); } } push(5);";
    expect(trace(body, { x })).toBe(expected);
  });

  it("test a switch's value once", () => {
    const top = "bit<8> next(inout bit<8> n) { n = n + 1; return n; }";
    const body = "switch (next(meta.x)) { 1: { meta.y = 1; } 2: { meta.y = 2; } default: { meta.y = 3; } }";
    expect(run({ top, ingress: body }, { x: 1n, y: 0n })).toEqual({ x: 2n, y: 2n });
  });

  it("run loops with break and continue", () => {
    const body = `bit<8> sum = 0;
      for (bit<8> i = 0; i < 6; i = i + 1) {
        if (i == meta.x) { continue; }
        if (i == meta.y) { break; }
        sum = sum + i;
      }
      meta.z = sum;`;
    const expected = (x: number, y: number): bigint => {
      let sum = 0;
      for (let i = 0; i < 6; i++) {
        if (i === x) continue;
        if (i === y) break;
        sum += i;
      }
      return BigInt(sum);
    };
    for (const [x, y] of [
      [0, 9],
      [3, 5],
      [4, 4],
      [9, 9],
      [1, 0],
    ] as const)
      expect(run({ ingress: body }, { x: BigInt(x), y: BigInt(y), z: 0n }).z).toBe(expected(x, y));
  });

  it("run loops whose end is only known at run time", () => {
    const body = "for (bit<8> i = 0; i < meta.x; i = i + 1) { meta.y = meta.y + 2; }";
    expect(run({ ingress: body }, { x: 5n, y: 1n }).y).toBe(11n);
    expect(run({ locals: `action f() { ${body} }`, ingress: "f();" }, { x: 5n, y: 1n }).y).toBe(11n);
  });

  it("know nothing of a variable in a loop within a loop whose end is only known at run time", () => {
    const body = `bit<8> i = 0; for (bit<8> k = 0; k < meta.x; k = k + 1) { for (; i < 2; i = i + 1) { meta.y = meta.y + 1; } }`;
    expect(run({ ingress: body }, { x: 3n, y: 0n }).y).toBe(2n);
  });

  it("run nested loops and loops over ranges and lists", () => {
    const nested = `for (bit<8> r = 0; r < 3; r = r + 1) {
        for (bit<8> c = 0; c < 3; c = c + 1) { if (c > r) { break; } meta.x = meta.x + 1; }
      }
      for (bit<8> v in 2..4) { meta.y = meta.y + v; }`;
    expect(run({ ingress: nested }, { x: 0n, y: 0n })).toEqual({ x: 6n, y: 9n });
  });
});

describe("actions", () => {
  const locals = `action f() {
      meta.y = 1;
      if (meta.x == 0) { return; }
      meta.y = 2;
      if (meta.x > 100) { meta.y = 3; } else if (meta.x > 50) { meta.y = 4; exit; }
      meta.z = 9;
    }`;
  it.each([
    [0n, 1n, 0n, 1n],
    [1n, 2n, 9n, 1n],
    [101n, 3n, 9n, 1n],
    [60n, 4n, 0n, 0n],
  ])("return and exit (x = %i)", (x, y, z, after) => {
    const found = run({ locals, ingress: "f(); meta.w = 1;" }, { x, y: 0n, z: 0n, w: 0n });
    expect(found).toEqual({ x, y, z, w: after });
  });

  it("copy parameters in and out", () => {
    const swap = "action swap(inout bit<8> a, inout bit<8> b) { bit<8> t = a; a = b; b = t; }";
    expect(run({ locals: swap, ingress: "swap(meta.x, meta.y);" }, { x: 1n, y: 2n })).toEqual({
      x: 2n,
      y: 1n,
    });
    // One place for two parameters: each has its own copy, the last one wins.
    const add = "action add(inout bit<8> sum, in bit<8> a) { sum = a; sum = sum + a; }";
    expect(run({ locals: add, ingress: "add(meta.x, meta.x);" }, { x: 5n })).toEqual({ x: 10n });
  });

  it("copy out what exit leaves behind", () => {
    const leave = "action leave(inout bit<8> a) { a = 7; exit; }";
    expect(run({ locals: leave, ingress: "leave(meta.x); meta.x = 1;" }, { x: 5n })).toEqual({ x: 7n });
  });
});

describe("functions", () => {
  it("are evaluated from left to right", () => {
    const top = "bit<64> digit(in bit<64> d, inout bit<64> seen) { seen = seen * 10 + d; return d; }";
    const body = "bit<64> r = digit(1, meta.trace) + digit(2, meta.trace) * digit(3, meta.trace);";
    expect(trace(body, {}, "", top)).toBe(123n);
  });

  it("do not run when && and || are decided", () => {
    const top = "bool hit(in bool v, inout bit<8> n) { n = n + 1; return v; }";
    const body = `bool a = hit(false, meta.x) && hit(true, meta.x);
      bool b = hit(true, meta.y) || hit(true, meta.y);
      bool c = hit(true, meta.z) ? hit(false, meta.z) : hit(true, meta.w);
      if (a || !b || c) { meta.v = 1; }`;
    expect(run({ top, ingress: body }, { x: 0n, y: 0n, z: 0n, w: 0n, v: 0n })).toEqual({
      x: 1n,
      y: 1n,
      z: 2n,
      w: 0n,
      v: 0n,
    });
  });

  it("keep the old value of an operand that a later one changes", () => {
    const top = "bit<8> clear(inout bit<8> n) { n = 0; return 1; }";
    expect(run({ top, ingress: "meta.y = meta.x + clear(meta.x);" }, { x: 5n, y: 0n })).toEqual({
      x: 0n,
      y: 6n,
    });
  });

  it("are generic", () => {
    const top = "T larger<T>(in T a, in T b, in bool first) { if (first) { return a; } return b; }";
    const body =
      "meta.z = larger(meta.x, meta.y, meta.x > meta.y); meta.z = meta.z + (bit<8>) larger<bit<16>>(1, 2, false);";
    expect(run({ top, ingress: body }, { x: 4n, y: 9n, z: 0n }).z).toBe(11n);
  });

  it("return from inside of conditions", () => {
    const top = `bit<8> largest(in bit<8> a, in bit<8> b, in bit<8> c) {
        if (a >= b) { if (a >= c) { return a; } return c; }
        if (b >= c) { return b; }
        return c;
      }`;
    const byte = fc.bigInt({ min: 0n, max: 255n });
    const { program } = compileParts({
      top,
      metadata: "bit<8> a; bit<8> b; bit<8> c; bit<8> r;",
      ingress: "meta.r = largest(meta.a, meta.b, meta.c);",
    });
    fc.assert(
      fc.property(byte, byte, byte, (a, b, c) => {
        const memory = new Map([
          ["scalars.meta_t.a", a],
          ["scalars.meta_t.b", b],
          ["scalars.meta_t.c", c],
        ]);
        new Machine(program.bmv2, memory).pipeline(0);
        expect(memory.get("scalars.meta_t.r")).toBe([a, b, c].reduce((x, y) => (x > y ? x : y)));
      }),
      { seed: 7 },
    );
  });
});

describe("structs, headers and stacks", () => {
  const top = "struct pair_t { bit<8> a; bit<8> b; } header h_t { bit<8> a; bit<8> b; }";

  it("are assigned as if at once", () => {
    const body = "pair_t p = { meta.x, meta.y }; p = { p.b, p.a }; meta.x = p.a; meta.y = p.b;";
    expect(run({ top, ingress: body }, { x: 1n, y: 2n })).toEqual({ x: 2n, y: 1n });
  });

  it("compare field by field, headers with their validity", () => {
    const body = `pair_t p = { meta.x, meta.y };
      h_t g; h_t h;
      if (g == h) { meta.z = meta.z + 1; }
      g.setValid(); g.a = 1; g.b = 2;
      if (g == h) { meta.z = meta.z + 10; }
      h = { 1, 2 };
      if (g == h) { meta.z = meta.z + 20; }
      if (p == { 1, 2 }) { meta.z = meta.z + 40; }
      if (p != (pair_t) { b = 2, a = 1 }) { meta.z = meta.z + 80; }`;
    expect(run({ top, ingress: body }, { x: 1n, y: 2n, z: 0n }).z).toBe(61n);
  });

  it("are indexed at run time", () => {
    const body = `hdr.s[0] = { 1, 10 }; hdr.s[1] = { 2, 20 }; hdr.s[2] = { 3, 30 };
      hdr.s[meta.x].a = 9;
      meta.y = hdr.s[meta.x].b + hdr.s[1].a;
      hdr.s[meta.x].setInvalid();
      if (!hdr.s[1].isValid()) { meta.z = 1; }`;
    for (const x of [0n, 1n, 2n])
      expect(run({ top, headers: "h_t[3] s;", ingress: body }, { x, y: 0n, z: 0n })).toEqual({
        x,
        y: (x + 1n) * 10n + (x === 1n ? 9n : 2n),
        z: x === 1n ? 1n : 0n,
      });
  });

  it("take slices and write them", () => {
    const body = "meta.x[7:4] = meta.y[3:0]; meta.x[0:0] = 1; meta.z = meta.x[7:4] ++ meta.y[7:4];";
    const byte = fc.bigInt({ min: 0n, max: 255n });
    fc.assert(
      fc.property(byte, byte, (x, y) => {
        const expected = ((y & 15n) << 4n) | (x & 14n) | 1n;
        const z = (expected & 0xf0n) | (y >> 4n);
        expect(run({ ingress: body }, { x, y, z: 0n })).toEqual({ x: expected, y, z });
      }),
      { numRuns: 20, seed: 3 },
    );
  });
});

describe("a local that is never set", () => {
  const warnings = (ingress: string) =>
    tryCompile(v1model({ metadata: "bit<8> x;", ingress: `bit<8> y; ${ingress}` })).codes;

  it.each([
    ["read at once", "meta.x = y;", ["P40658"]],
    ["read before exit", "meta.x = y; exit;", ["P40658"]],
    ["read after exit", "exit; meta.x = y;", ["P40603"]],
    ["read after return", "return; meta.x = y;", ["P40603"]],
    ["read where both branches have left", "if (meta.x == 1) { exit; } else { return; } meta.x = y;", []],
    [
      "read where one branch continues",
      "if (meta.x == 1) { exit; } else { meta.x = 2; } meta.x = y;",
      ["P40658"],
    ],
    // P40603: a statement that never runs.
  ])("is reported where the statement can run: %s", (_, ingress, codes) => {
    expect(warnings(ingress)).toEqual(codes);
  });
});

describe("a local that is set in part", () => {
  const messages = (ingress: string, metadata = "bit<8> x; bit<4> n;") =>
    tryCompile(v1model({ top: "struct s_t { bit<8> p; bit<4> q; }", metadata, ingress }))
      .diagnostics.list.filter(({ code }) => code === "P40658")
      .map(({ message }) => message);

  it.each([
    [
      "is read as a whole",
      "bit<8> y; y[3:0] = 1; meta.x = y;",
      ["y is read, but bits 7:4 have no value here"],
    ],
    [
      "is read in part before it has a value",
      "bit<8> y; meta.n = y[5:2];",
      ["y is read, but it has no value here"],
    ],
    [
      "is read where it has none in part",
      "bit<8> y; y[3:0] = 1; meta.n = y[5:2];",
      ["y is read, but bits 5:4 have no value here"],
    ],
    ["is read where it has a value", "bit<8> y; y[3:0] = 1; meta.n = y[3:0];", []],
    ["is set by two slices", "bit<8> y; y[3:0] = 1; y[7:4] = 2; meta.x = y;", []],
    [
      "has holes",
      "bit<8> y; y[6:5] = 1; y[2:0] = 2; meta.x = y;",
      ["y is read, but bits 7, 4:3 have no value here"],
    ],
    [
      "is set in part on one way",
      "bit<8> y; y[3:0] = 1; if (meta.n == 1) { y[7:4] = 2; } meta.x = y;",
      ["y is read, but bits 7:4 have no value on every way to here"],
    ],
    [
      "is set in other parts on two ways",
      "bit<8> y; if (meta.n == 1) { y[7:4] = 2; } else { y[3:0] = 1; } meta.x = y;",
      ["y is read, but it has no value on every way to here"],
    ],
    [
      "is set as a whole on both ways",
      "bit<8> y; if (meta.n == 1) { y = 2; } else { y[3:0] = 1; y[7:4] = 1; } meta.x = y;",
      [],
    ],
    ["is set by a slice of a slice", "bit<8> y; y[7:4][1:0] = 1; y[7:6] = 0; y[3:0] = 0; meta.x = y;", []],
    [
      "is a field",
      "s_t s; s.p[3:0] = 1; s.q = 2; meta.x = s.p;",
      ["s is read, but bits 7:4 have no value here"],
    ],
    [
      "is a struct that is copied, some bits of which have a value",
      "s_t s; s_t r; s.p[3:0] = 1; r = s; meta.n = 1;",
      [],
    ],
    [
      "is the element of an array, which counts as the array",
      "bit<8>[2] y; y[1][3:0] = 1; meta.x = y[0];",
      [],
    ],
  ])("%s", (_, ingress, expected) => {
    expect(messages(ingress)).toEqual(expected);
  });
});

describe("a parser that two states call", () => {
  it("has its value set once in the program, and once in P4Info", () => {
    const { program } = compileParts({
      top: `header h_t { bit<16> kind; }
        parser Sub(packet_in p, inout h_t h) {
          value_set<bit<16>>(4) known;
          state start { p.extract(h); transition select(h.kind) { known: accept; default: reject; } }
        }`,
      headers: "h_t a; h_t b;",
      parserLocals: "Sub() sub;",
      states: `state start { sub.apply(pkt, hdr.a); transition next; }
        state next { sub.apply(pkt, hdr.b); transition accept; }`,
    });
    expect(program.bmv2.parse_vsets.map(({ name }) => name)).toEqual(["P.sub.known"]);
    expect(program.p4info.valueSets.map(({ preamble }) => preamble!.name)).toEqual(["P.sub.known"]);
  });

  it("has a value set for each instance", () => {
    const { program } = compileParts({
      top: `header h_t { bit<16> kind; }
        parser Sub(packet_in p, inout h_t h) {
          value_set<bit<16>>(4) known;
          state start { p.extract(h); transition select(h.kind) { known: accept; default: reject; } }
        }`,
      headers: "h_t a; h_t b;",
      parserLocals: "Sub() one; Sub() two;",
      states: `state start { one.apply(pkt, hdr.a); transition next; }
        state next { two.apply(pkt, hdr.b); transition accept; }`,
    });
    expect(program.bmv2.parse_vsets.map(({ name }) => name)).toEqual(["P.one.known", "P.two.known"]);
  });
});
