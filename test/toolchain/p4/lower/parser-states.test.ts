/**
 * Parsers (P4-16 section 13): transitions and key sets, states with conditions and loops, initialisers, and what is read ahead or from
 * stacks. BMv2 has none of the conditions: they become states.
 */
import { describe, expect, it } from "vitest";
import { answer } from "./packets.js";
import { compileParts, type Parts, tryCompile, v1model } from "./v1model.js";

const TOP = "header p_t { bit<8> p; } struct pair_t { bit<8> x; bit<8> y; }";

/** a, b and w, where states write `meta.r`, which the ingress copies to a. The byte after the header `io` is the only input. */
function result(states: string, byte: number, parts: Parts = {}): number {
  const hex = answer(
    {
      states,
      headers: "p_t h; p_t g;",
      ingress: "hdr.io.a = meta.r; hdr.h.setInvalid(); hdr.g.setInvalid();",
      ...parts,
      top: `${TOP} ${parts.top ?? ""}`,
      metadata: `bit<8> r; bit<8> n; pair_t pair; ${parts.metadata ?? ""}`,
    },
    `${byte.toString(16).padStart(2, "0")}99aabbccddeeff`,
  )!;
  return Number.parseInt(hex.slice(0, 2), 16);
}

const START = "state start { pkt.extract(hdr.io); pkt.extract(hdr.h);";
const ENDS =
  "state one { meta.r = 1; transition accept; } state two { meta.r = 2; transition accept; } state three { meta.r = 3; transition accept; }";

describe("select", () => {
  it.each<[string, string, Record<number, number>]>([
    [
      "values, the first that matches",
      "select(hdr.h.p) { 1: one; 1: two; 2: two; default: three; }",
      { 1: 1, 2: 2, 7: 3 },
    ],
    [
      "ranges, masks and anything",
      "select(hdr.h.p) { 1 .. 4: one; 0x80 &&& 0xf0: two; _: three; }",
      { 1: 1, 4: 1, 5: 3, 143: 2, 144: 3 },
    ],
    [
      "two keys",
      "select(hdr.h.p, hdr.io.b) { (1, 3): one; (2, _): two; default: three; }",
      { 1: 1, 2: 2, 3: 3 },
    ],
    ["two keys, and `_` for both", "select(hdr.h.p, hdr.io.b) { (1, 3): one; _: two; }", { 1: 1, 2: 2 }],
    [
      "two keys of which one is a range",
      "select(hdr.h.p, hdr.io.b) { (1 .. 6, 3): one; (_, 0 .. 9): two; default: three; }",
      { 1: 1, 6: 1, 7: 2 },
    ],
    ["one key in parentheses", "select(hdr.h.p) { (1): one; (2): two; (_): three; }", { 1: 1, 2: 2, 3: 3 }],
    [
      "a computed key",
      "select(hdr.h.p + hdr.io.b) { 4: one; 5: two; default: three; }",
      { 1: 1, 2: 2, 3: 3 },
    ],
    [
      "a comparison as key",
      "select(hdr.h.p > 4, hdr.h.p == 6) { (true, true): one; (true, false): two; default: three; }",
      { 6: 1, 7: 2, 4: 3 },
    ],
    [
      "a slice as key",
      "select(hdr.h.p[7:4], hdr.h.p[3:0]) { (1, 2): one; (2, 1): two; default: three; }",
      { 18: 1, 33: 2, 17: 3 },
    ],
    [
      "a signed key",
      "select((int<8>) hdr.h.p) { -3 .. 2: one; 8s100: two; default: three; }",
      { 253: 1, 0: 1, 2: 1, 3: 3, 252: 3, 100: 2 },
    ],
    [
      "no case that matches: the packet is rejected, and BMv2 goes on",
      "select(hdr.h.p) { 1: one; 2: two; }",
      { 1: 1, 2: 2, 3: 0 },
    ],
    ["a range of all values", "select(hdr.h.p) { 0 .. 255: one; default: two; }", { 0: 1, 255: 1 }],
    [
      "a range up to the largest value",
      "select(hdr.h.p) { 3 .. 255: one; default: two; }",
      { 2: 2, 3: 1, 255: 1 },
    ],
  ])("%s", (_, transition, expected) => {
    for (const [byte, r] of Object.entries(expected))
      expect([byte, result(`${START} transition ${transition} } ${ENDS}`, Number(byte))]).toEqual([byte, r]);
  });

  it("members of enums, with and without underlying type, and of `error`", () => {
    const parts: Parts = {
      top: "enum bit<8> Code { x = 4, y = 6 } enum K { p, q }",
      metadata: "K k;",
    };
    const states = `${START} meta.k = hdr.h.p == 4 ? K.q : K.p; transition select((Code) hdr.h.p, meta.k) { (Code.x, K.q): one; (Code.y, K.p): two; default: three; } } ${ENDS}`;
    expect([4, 6, 5].map((byte) => result(states, byte, parts))).toEqual([1, 2, 3]);
  });

  it("the header that `last` names, and the last index", () => {
    const states = `state start { pkt.extract(hdr.io); pkt.extract(hdr.s.next); transition select(hdr.s.last.p) { 1: more; default: one; } }
      state more { pkt.extract(hdr.s.next); transition select(hdr.s.lastIndex) { 1: two; default: three; } } ${ENDS}`;
    const parts: Parts = { headers: "p_t[2] s;", ingress: "hdr.io.a = meta.r;" };
    expect([1, 2].map((byte) => result(states, byte, parts))).toEqual([2, 1]);
  });
});

describe("a state", () => {
  it("without a transition rejects, and so does one that says so", () => {
    const text = (end: string) => v1model({ states: `state start { ${end} }` });
    expect(tryCompile(text("")).codes).toEqual(["P40653"]);
    expect(tryCompile(text("transition reject;")).codes).toEqual(["P40653"]);
    expect(tryCompile(text("verify(false, error.NoMatch); transition reject;")).codes).toEqual([]);
    expect(tryCompile(text("verify(1 == 2, error.NoMatch); transition reject;")).codes).toEqual([]);
    expect(tryCompile(text("verify(true, error.NoMatch); transition reject;")).codes).toEqual(["P40653"]);
    expect(tryCompile(text("transition accept;")).codes).toEqual([]);
  });

  it.each<[string, string, string, Record<number, number>]>([
    [
      "if and else",
      "",
      "if (hdr.h.p == 1) { meta.r = 10; } else { meta.r = 20; } meta.r = meta.r + 1;",
      { 1: 11, 2: 21 },
    ],
    [
      "if without else, twice",
      "",
      "if (hdr.h.p > 1) { meta.r = 1; } if (hdr.h.p > 2) { meta.r = meta.r + 1; }",
      { 1: 0, 2: 1, 3: 2 },
    ],
    [
      "an extract in a branch",
      "",
      "if (hdr.h.p == 1) { pkt.extract(hdr.g); } meta.r = hdr.g.isValid() ? hdr.g.p : 0;",
      { 1: 0x99, 2: 0 },
    ],
    [
      "a loop whose number of iterations is known, in a function",
      "void f(in bit<8> p, inout bit<8> r) { for (bit<8> i = 0; i < 4; i = i + 1) { r = r + p; } }",
      "f(hdr.h.p, meta.r);",
      { 1: 4, 3: 12 },
    ],
    [
      "a loop that the packet bounds, in a function",
      "void f(in bit<8> p, inout bit<8> r) { for (bit<8> i = 0; i < p; i = i + 1) { r = r + 3; } }",
      "f(hdr.h.p, meta.r);",
      { 0: 0, 1: 3, 5: 15 },
    ],
    [
      "break and continue, in a function",
      "void f(in bit<8> p, inout bit<8> r) { for (bit<8> i = 0; i < 9; i = i + 1) { if (i == 2) { continue; } if (i == p) { break; } r = r + i; } }",
      "f(hdr.h.p, meta.r);",
      { 1: 0, 4: 4, 20: 34 },
    ],
    [
      "break out of a loop that the packet bounds, in a function",
      "void f(in bit<8> p, inout bit<8> r) { for (bit<8> i = 0; i < p; i = i + 1) { if (i == 3) { break; } r = r + 1; } }",
      "f(hdr.h.p, meta.r);",
      { 2: 2, 9: 3 },
    ],
    [
      "a switch, in a function",
      "void f(in bit<8> p, inout bit<8> r) { switch (p) { 1: { r = 5; } 2: 3: { r = 6; } default: { r = 7; } } }",
      "f(hdr.h.p, meta.r);",
      { 1: 5, 2: 6, 3: 6, 4: 7 },
    ],
    [
      "a block with locals",
      "",
      "{ bit<8> x = hdr.h.p; meta.r = x; } { bit<8> x = 1; meta.r = meta.r + x; }",
      { 1: 2 },
    ],
    [
      "locals of the parser, set once",
      "bit<8> count = 5; const bit<8> more = 2;",
      "count = count + hdr.h.p; meta.r = count + more;",
      { 1: 8 },
    ],
    [
      "a value that is overwritten, and one that is read before",
      "bit<8> x;",
      "x = hdr.h.p; meta.r = x; x = 7; meta.r = meta.r + x; meta.n = 1; meta.n = meta.n + 1; meta.r = meta.r + meta.n;",
      { 1: 10 },
    ],
    ["a function that returns from inside", "", "meta.r = least(hdr.h.p, 9);", { 4: 4, 20: 9 }],
  ])("can hold %s", (_, before, body, expected) => {
    const inTop = before.startsWith("void");
    const parts: Parts = {
      parserLocals: inTop ? "" : before,
      top: `${inTop ? before : ""} bit<8> least(in bit<8> x, in bit<8> y) { if (x < y) { return x; } return y; }`,
    };
    for (const [byte, r] of Object.entries(expected))
      expect([byte, result(`${START} ${body} transition accept; }`, Number(byte), parts)]).toEqual([byte, r]);
  });

  it("that comes back to the start runs the initialisers of the parser once", () => {
    const parts: Parts = {
      parserLocals: "bit<8> count = 40;",
      headers: "p_t[3] s;",
      ingress: "hdr.io.a = meta.r; hdr.s[0].setInvalid(); hdr.s[1].setInvalid(); hdr.s[2].setInvalid();",
    };
    const states = `state start { transition select(count) { 40: first; default: next; } } state first { pkt.extract(hdr.io); count = count + 1; transition start; }
      state next { pkt.extract(hdr.s.next); count = count + 1; meta.r = count; transition select(hdr.s.last.p) { 1: start; default: accept; } }`;
    expect([1, 2].map((byte) => result(states, byte, parts))).toEqual([43, 42]);
  });

  it("of a parser that is called can lead to itself, and each call has states of its own", () => {
    const parts: Parts = {
      top: `parser Sub(packet_in p, out p_t h, inout bit<8> n) { bit<8> seen = 0; state start { p.extract(h); seen = seen + 1; transition select(h.p) { 0x99: start; default: done; } }
        state done { n = n + seen; transition accept; } }`,
      parserLocals: "Sub() sub;",
      ingress: "hdr.io.a = meta.r; hdr.io.b = hdr.h.p; hdr.h.setInvalid(); hdr.g.setInvalid();",
    };
    const states =
      "state start { pkt.extract(hdr.io); sub.apply(pkt, hdr.h, meta.r); meta.r = meta.r + 10; sub.apply(pkt, hdr.g, meta.r); transition accept; }";
    // 01, then 99 and aa.
    expect(result(states, 1, parts)).toBe(13);
  });
});

describe("what is read of the packet", () => {
  const hex = (states: string, more: string, parts: Parts = {}) =>
    answer(
      {
        states,
        headers: "p_t h; p_t[2] s;",
        ...parts,
        top: `${TOP} ${parts.top ?? ""}`,
        metadata: `bit<8> r; pair_t pair; ${parts.metadata ?? ""}`,
      },
      more,
    );

  it.each<[string, string, string, string, Parts]>([
    [
      "a header that nobody wants is passed over",
      "pkt.extract<p_t>(_); pkt.extract(hdr.h);",
      "0102",
      "0503010202",
      {},
    ],
    ["bits are passed over", "pkt.advance(8); pkt.extract(hdr.h);", "0102", "0503010202", {}],
    [
      "as many bits as a field says",
      "pkt.advance((bit<32>) hdr.io.b * 8); pkt.extract(hdr.h);",
      "01020304",
      "0503010204",
      {},
    ],
    [
      "an element of a stack by a number, and by a local",
      "bit<32> i = 1; pkt.extract(hdr.s[1]); hdr.s[0].setValid(); hdr.s[0].p = hdr.s[i].p + 1;",
      "07",
      "050301020807",
      {},
    ],
    [
      "a struct with an array ahead, and nothing is taken",
      "meta.ahead = pkt.lookahead<ahead_t>(); hdr.io.a = meta.ahead.l[1]; hdr.io.b = meta.ahead.x; hdr.io.w = (bit<16>) (bit<8>) meta.ahead.n;",
      "010203fe",
      "030100fe010203fe",
      { top: "struct ahead_t { bit<8> x; bit<8>[2] l; int<8> n; }", metadata: "ahead_t ahead;" },
    ],
    [
      "a header ahead, which is valid",
      "meta.h = pkt.lookahead<p_t>(); hdr.io.a = meta.h.isValid() ? meta.h.p : 0;",
      "0102",
      "010301020102",
      { metadata: "p_t h;" },
    ],
    [
      "a bool and a signed number ahead",
      "if (pkt.lookahead<bool>()) { hdr.io.a = (bit<8>) pkt.lookahead<int<8>>(); }",
      "80",
      "8003010280",
      {},
    ],
    [
      "a local header, which is copied",
      "p_t mine; pkt.extract(mine); hdr.h = mine; hdr.h.p = hdr.h.p + mine.p;",
      "07",
      "050301020e",
      {},
    ],
    [
      "a header with a field of varying length",
      "pkt.extract(hdr.v, (bit<32>) hdr.io.b * 8); hdr.io.a = hdr.v.n;",
      "0a0102030b",
      "0a030102" + "0a010203" + "0b",
      { top: "header v_t { bit<8> n; varbit<64> rest; }", headers: "v_t v;" },
    ],
  ])("%s", (_, body, more, expected, parts) => {
    expect(hex(`state start { pkt.extract(hdr.io); ${body} transition accept; }`, more, parts)).toBe(
      expected,
    );
  });

  it("a value that lookahead reads is kept although it is overwritten, since lookahead can fail", () => {
    const { dumps } = compileParts({
      top: "header p_t { bit<8> p; }",
      metadata: "bit<8> r;",
      states: "state start { meta.r = pkt.lookahead<bit<8>>() + 1; meta.r = 2; transition accept; }",
    });
    expect(dumps.get("drop-overwritten")).toMatch(/lookahead<bit<8>>\(\)/);
  });

  it.each([
    ["a write that a later one reads stays", "meta.r = 1; meta.r = meta.r + 1;", 2],
    ["a write before another one of the same place goes", "meta.r = 1; meta.r = 2;", 1],
    ["a write of another place stays", "meta.r = 1; meta.q = 2;", 2],
    ["a write of another element stays", "meta.l[0] = 1; meta.l[1] = 2;", 2],
    ["a write of the same element goes", "meta.l[1] = 1; meta.l[1] = 2;", 1],
    [
      "a write before `verify` that reads it stays",
      "meta.r = 1; verify(meta.r == 1, error.NoMatch); meta.r = 2;",
      2,
    ],
    [
      "a write before `verify` that does not read it goes",
      "meta.r = 1; verify(meta.q == 1, error.NoMatch); meta.r = 2;",
      1,
    ],
    ["a write before `advance` goes", "meta.r = 1; pkt.advance(8); meta.r = 2;", 1],
    [
      "a write before an `advance` that reads it stays",
      "meta.r = 1; pkt.advance((bit<32>) meta.r); meta.r = 2;",
      2,
    ],
  ])("%s", (_, body, count) => {
    const { dumps } = compileParts({
      metadata: "bit<8> r; bit<8> q; bit<8>[2] l;",
      states: `state start { ${body} transition accept; }`,
    });
    const parser = dumps.get("drop-overwritten")!.split("\ncontrol ")[0]!;
    expect(parser.match(/^\s+meta\S* = /gm)).toHaveLength(count);
  });
});
