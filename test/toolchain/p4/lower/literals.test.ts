/**
 * Lists, struct literals and `...` (P4-16 sections 8.11 to 8.13 and 8.26): parts by position or by name, at any depth, and default values;
 * constants of composite types; reads ahead of composite types (section 12.8.3).
 */
import { describe, expect, it } from "vitest";
import { answer, values } from "./packets.js";
import type { Parts } from "./v1model.js";

const TYPES = `enum Colour { red, green, blue } error { Mine }
  struct In { bit<8> x; bool f; Colour c; }
  struct Out { In i; bit<8> y; error e; bit<8>[2] l; }
  const In FIXED = { 7, true, Colour.blue };
  const Out WHOLE = { y = 4, e = error.Mine, i = { c = Colour.green, x = 3, f = true }, l = { 5, 6 } };`;

/** Fields of `meta.o` in one number: x, f, c, y, e, l[0], l[1]. */
const SHOW = `hdr.io.a = meta.o.i.x; hdr.io.b = meta.o.y;
  hdr.io.w = 0;
  if (meta.o.i.f) { hdr.io.w = hdr.io.w + 0x1000; }
  if (meta.o.i.c == Colour.green) { hdr.io.w = hdr.io.w + 0x0100; }
  if (meta.o.i.c == Colour.blue) { hdr.io.w = hdr.io.w + 0x0200; }
  if (meta.o.e == error.Mine) { hdr.io.w = hdr.io.w + 0x0400; }
  hdr.io.w = hdr.io.w + (bit<16>) (meta.o.l[0] << 4) + (bit<16>) meta.o.l[1];`;

const parts: Parts = { top: TYPES, metadata: "Out o;" };

describe("a value with parts", () => {
  it.each<[string, string, [number, number, number]]>([
    [
      "a list by position, at each depth",
      "meta.o = { { 1, true, Colour.blue }, 2, error.Mine, { 3, 4 } };",
      [1, 2, 0x1634],
    ],
    [
      "a literal by name, in another order",
      "meta.o = { l = { 3, 4 }, e = error.NoError, y = 2, i = { c = Colour.green, f = false, x = 1 } };",
      [1, 2, 0x0134],
    ],
    [
      "a literal in a list, and a list in a literal",
      "meta.o = { { f = true, c = Colour.red, x = 9 }, 8, error.Mine, { 7, 6 } };",
      [9, 8, 0x1476],
    ],
    ["default values of all parts", "meta.o = WHOLE; meta.o = { ... };", [0, 0, 0]],
    [
      "default values of the parts that a literal does not name",
      "meta.o = WHOLE; meta.o = { y = 5, ... };",
      [0, 5, 0],
    ],
    ["default values after the parts of a list", "meta.o = WHOLE; meta.o = { { 6, ... }, ... };", [6, 0, 0]],
    ["a constant", "meta.o = WHOLE;", [3, 4, 0x1556]],
    ["a constant as a part", "meta.o = { FIXED, 1, error.NoError, { 0, 1 } };", [7, 1, 0x1201]],
    [
      "a part of a constant",
      "meta.o = WHOLE; meta.o.i = FIXED; meta.o.y = WHOLE.l[1] + FIXED.x;",
      [7, 13, 0x1656],
    ],
    [
      "values of a nested part that the assignment changes",
      "meta.o = WHOLE; meta.o = { i = { x = meta.o.y, f = meta.o.e == error.NoError, c = Colour.red }, y = meta.o.i.x, e = error.NoError, l = { 0, meta.o.l[0] } };",
      [4, 3, 0x0005],
    ],
    [
      "values that the assignment changes",
      "meta.o = WHOLE; meta.o = { i = meta.o.i, y = meta.o.i.x, e = meta.o.e, l = { meta.o.l[1], meta.o.l[0] } };",
      [3, 3, 0x1565],
    ],
  ])("%s", (_, ingress, expected) => {
    expect(values(`${ingress} ${SHOW}`, parts)).toEqual(expected);
  });

  const NAMED = "{ l = { 3, 4 }, e = error.Mine, y = 2, i = { c = Colour.green, f = false, x = 1 } }";
  const LISTED = "{ { 9, true, Colour.blue }, 8, error.NoError, { 7, 6 } }";
  it.each<[string, string, [number, number, number]]>([
    [
      "two lists",
      `hdr.io.a == 5 ? ${LISTED} : { { 0, false, Colour.red }, 0, error.NoError, { 0, 0 } }`,
      [9, 8, 0x1276],
    ],
    ["a struct and a literal", `hdr.io.a == 6 ? meta.o : ${NAMED}`, [1, 2, 0x0534]],
    ["a literal and a struct", `hdr.io.a == 6 ? ${NAMED} : meta.o`, [3, 4, 0x1556]],
    ["a list and a constant", `hdr.io.a == 5 ? ${LISTED} : WHOLE`, [9, 8, 0x1276]],
  ])("is chosen between %s", (_, choice, expected) => {
    expect(values(`meta.o = WHOLE; meta.o = ${choice}; ${SHOW}`, parts)).toEqual(expected);
  });

  it("is compared part by part with a list and with a struct", () => {
    const test = (condition: string) =>
      values(
        `In i = { hdr.io.a, true, Colour.green }; In j = { 5, hdr.io.b == 3, Colour.green }; hdr.io.w = ${condition} ? 16w1 : 0;`,
        parts,
      )[2];
    expect(
      ["i == j", "i == { 5, true, Colour.green }", "i == { x = 5, f = true, c = Colour.green }"].map(test),
    ).toEqual([1, 1, 1]);
    expect(
      [
        "i != j",
        "i == { 5, false, Colour.green }",
        "i == { 5, true, Colour.red }",
        "{ 6, true, Colour.green } == i",
      ].map(test),
    ).toEqual([0, 0, 0, 0]);
  });
});

describe("a read ahead", () => {
  it.each<[string, string, string]>([
    [
      "of a struct of bits and a bool",
      "struct S { bit<7> x; bool f; int<8> y; }",
      "S s = pkt.lookahead<S>(); meta.x = (bit<8>) s.x; meta.y = s.f ? 8w1 : 0; meta.z = (bit<8>) s.y;",
    ],
    [
      "of a struct with a header",
      "header n_t { bit<7> x; bit<1> f; } struct S { n_t n; bit<8> y; }",
      "S s = pkt.lookahead<S>(); meta.x = (bit<8>) s.n.x; meta.y = (bit<8>) s.n.f; meta.z = s.y;",
    ],
  ])("%s", (_, top, body) => {
    const seen = answer(
      {
        top,
        metadata: "bit<8> x; bit<8> y; bit<8> z;",
        states: `state start { pkt.extract(hdr.io); ${body} transition accept; }`,
        ingress: "hdr.io.a = meta.x; hdr.io.b = meta.y; hdr.io.w = (bit<16>) meta.z;",
      },
      "0bf0",
    );
    expect(seen?.slice(0, 8)).toBe("050100f0");
  });
});
