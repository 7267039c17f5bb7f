/**
 * Single rules of the language at their edges, as what a packet comes out with. `io` has the bytes `a`, `b` and the 16 bits `w`; the
 * packets begin with 05 03 0102.
 */
import { describe, expect, it } from "vitest";
import { answer, values } from "./packets.js";
import type { Parts } from "./v1model.js";

const TABLE = "table t { key = { hdr.io.a: exact; } actions = { NoAction; } }";

it.each<[string, string, Parts, [number, number, number]]>([
  [
    "static_assert is true where it holds",
    'bool ok = static_assert(1 < 2, "no"); if (ok) { hdr.io.a = 1; }',
    {},
    [1, 3, 0x102],
  ],
  [
    "a shift that assigns counts all bits of a wide amount",
    "hdr.io.a >>= hdr.io.w; hdr.io.b <<= hdr.io.w;",
    {},
    [0, 0, 0x102],
  ],
  [
    "hit and miss of a table without entries, as values",
    "bool h = t.apply().hit; if (h) { hdr.io.a = 1; } bool m = u.apply().miss; if (m) { hdr.io.b = 1; }",
    { locals: `${TABLE} ${TABLE.replace("table t", "table u")}` },
    [5, 1, 0x102],
  ],
  [
    "a tuple and a struct compared to lists",
    "tuple<bit<8>, bit<16>> t = { 5, 0x102 }; if (t == { 5, 0x102 }) { hdr.io.a = 1; } meta.s = { 1, 2 }; if (meta.s == { y = 2, x = 1 }) { hdr.io.b = 1; }",
    { top: "struct S { bit<8> x; bit<8> y; }", metadata: "S s;" },
    [1, 1, 0x102],
  ],
])("%s", (_, ingress, parts, expected) => {
  expect(values(ingress, parts)).toEqual(expected);
});

describe("a subparser", () => {
  const sub =
    "parser Sub(packet_in p, inout bit<4> v, out bit<8> w) { state start { v = 7; w = 9; transition accept; } }";
  it("writes back to a slice and to a field, after which the parser goes on", () => {
    const parts: Parts = {
      top: sub,
      metadata: "bit<8> x;",
      parserLocals: "Sub() sub;",
      states:
        "state start { pkt.extract(hdr.io); sub.apply(pkt, hdr.io.a[7:4], meta.x); hdr.io.b = meta.x; transition accept; }",
    };
    expect(answer(parts)).toMatch(/^75090102/);
  });
});

describe("all fields of a stack", () => {
  const parts: Parts = {
    top: "header p_t { bit<8> p; }",
    headers: "p_t[2] s;",
    metadata: "bit<16> x; bit<16> y; bit<16> z;",
    states:
      "state start { pkt.extract(hdr.io); pkt.extract(hdr.s.next); pkt.extract(hdr.s.next); transition accept; }",
  };
  it("are hashed as if they were written out", () => {
    const hash = (to: string, list: string) => `hash(${to}, HashAlgorithm.crc16, 16w0, ${list}, 32w65536);`;
    const ingress = `${hash("meta.x", "{ hdr.s }")} ${hash("meta.y", "{ hdr.s[0].p, hdr.s[1].p }")} ${hash("meta.z", "{ hdr.io.a }")}
      if (meta.x == meta.y) { hdr.io.a = 1; } if (meta.x == meta.z) { hdr.io.b = 1; }`;
    expect(values(ingress, parts)).toEqual([1, 3, 0x102]);
  });
});

it("a signed index that is negative is outside of the stack, where the last element is read", () => {
  const parts: Parts = {
    top: "header p_t { bit<8> p; }",
    headers: "p_t[4] s;",
    states: `state start { pkt.extract(hdr.io); ${"pkt.extract(hdr.s.next); ".repeat(4)} transition accept; }`,
  };
  // 05 & 3 = 1 selects an element; 6 is -2 in three bits, and 2 in none of its values.
  expect(values("int<3> i = (int<3>) hdr.io.b[2:0]; hdr.io.a = hdr.s[i].p;", parts)[0]).toBe(0x44);
  expect(values("int<3> i = (int<3>) (bit<3>) (hdr.io.a + 1); hdr.io.a = hdr.s[i].p;", parts)[0]).toBe(0x44);
  expect(values("int<2> i = (int<2>) (bit<2>) (hdr.io.a + 1); hdr.io.a = hdr.s[i].p;", parts)[0]).toBe(0x44);
});
