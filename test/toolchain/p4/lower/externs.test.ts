/**
 * Calls of v1model's externs whose results and arguments are no plain fields: elements with a computed index, slices, `_`, copies of the
 * standard metadata; and headers that a state extracts into such places.
 */
import { describe, expect, it } from "vitest";
import { answer, values } from "./packets.js";
import { compileParts, type Parts } from "./v1model.js";

const TOP = "header p_t { bit<8> p; }";
const PARTS: Parts = {
  top: TOP,
  headers: "p_t[2] s;",
  metadata: "bit<8> i; bit<8>[2] l;",
  locals: "register<bit<8>>(4) r;",
};
const CLEAR = "hdr.s[0].setInvalid(); hdr.s[1].setInvalid();";
const SET = "hdr.s[0] = { 1 }; hdr.s[1] = { 2 };";

describe("a result goes to", () => {
  it.each<[string, string, [number, number, number]]>([
    ["a field", "r.write(1, 9); r.read(hdr.io.a, 1);", [9, 3, 0x102]],
    [
      "a slice of a field",
      "r.write(1, 9); r.read(meta.i, 1); hash(hdr.io.a[7:4], HashAlgorithm.identity, 4w0, { meta.i }, 8w16);",
      [0x95, 3, 0x102],
    ],
    [
      "an element with a computed index",
      "r.write(1, 9); meta.i = 1; r.read(hdr.s[meta.i].p, 1); hdr.io.a = hdr.s[0].p; hdr.io.b = hdr.s[1].p;",
      [1, 9, 0x102],
    ],
    [
      "an element whose index was changed before",
      "r.write(0, 7); meta.i = 1; meta.i = 0; r.read(meta.l[meta.i], 0); hdr.io.a = meta.l[0]; hdr.io.b = meta.l[1];",
      [7, 0, 0x102],
    ],
    ["nothing", "r.write(1, 9); r.read(_, 1);", [5, 3, 0x102]],
    [
      "a hash in its range",
      "hash(hdr.io.a, HashAlgorithm.identity, 8w100, { hdr.io.b }, 16w2);",
      [101, 3, 0x102],
    ],
    ["a random number between equal bounds", "random(hdr.io.a, 8w7, 8w7);", [7, 3, 0x102]],
  ])("%s", (_, ingress, expected) => {
    expect(values(`${SET} ${ingress} ${CLEAR}`, PARTS)).toEqual(expected);
  });
});

describe("arguments", () => {
  it.each<[string, string, [number, number, number]]>([
    [
      "that are computed",
      "r.write((bit<32>) (hdr.io.b - 2), hdr.io.a + 1); r.read(hdr.io.a, 1);",
      [6, 3, 0x102],
    ],
    [
      "that are elements",
      "meta.i = 1; r.write((bit<32>) meta.i, hdr.s[meta.i].p); r.read(hdr.io.a, 1);",
      [2, 3, 0x102],
    ],
    [
      "with calls in them, from left to right",
      "r.write((bit<32>) next(meta.i), next(meta.i)); r.read(hdr.io.a, 1);",
      [2, 3, 0x102],
    ],
    ["of a table's data", "t.apply(); r.read(hdr.io.b, 2);", [5, 11, 0x102]],
  ])("%s", (_, ingress, expected) => {
    const parts: Parts = {
      ...PARTS,
      top: `${TOP} bit<8> next(inout bit<8> n) { n = n + 1; return n; }`,
      locals: `${PARTS.locals} action put(bit<32> at, bit<8> v) { r.write(at, v); } table t { actions = { put; } const default_action = put(2, 11); }`,
    };
    expect(values(`${SET} ${ingress} ${CLEAR}`, parts)).toEqual(expected);
  });
});

describe("a state extracts into", () => {
  const out = (body: string, more: string) =>
    answer(
      {
        ...PARTS,
        headers: "p_t[2] s; p_t h;",
        states: `state start { pkt.extract(hdr.io); ${body} transition accept; }`,
      },
      more,
    );
  it.each([
    ["an element with a computed index", "meta.i = 1; pkt.extract(hdr.s[meta.i]);", "0708", "050301020708"],
    [
      "the first of two such elements",
      "meta.i = 0; pkt.extract(hdr.s[meta.i]); hdr.s[meta.i].p = hdr.s[meta.i].p + 1;",
      "0708",
      "050301020808",
    ],
    [
      "the next element, twice",
      "pkt.extract(hdr.s.next); pkt.extract(hdr.s.next); hdr.h = hdr.s.last;",
      "070809",
      "0503010207080809",
    ],
    ["a local that is copied", "p_t mine; pkt.extract(mine); hdr.h = mine;", "0708", "050301020708"],
  ])("%s", (_, body, more, expected) => {
    expect(out(body, more)).toBe(expected);
  });
});

it("an action or a table that nothing applies is no part of the program", () => {
  const { program } = compileParts({
    ...PARTS,
    locals: `${PARTS.locals} action unused() {} table never { actions = { unused; } }`,
    ingress: "meta.i = 1;",
  });
  expect(program.p4info.tables).toEqual([]);
});

it("constants inside blocks can depend on the constructor", () => {
  const top =
    "control Add(inout bit<8> x)(bit<8> n) { action a() { const bit<8> k = n + 2; x = x + k; } apply { const bit<8> k = n + 1; x = x + k; a(); } }";
  expect(values("add.apply(hdr.io.a);", { top, locals: "Add(3) add;" })).toEqual([14, 3, 0x102]);
});
