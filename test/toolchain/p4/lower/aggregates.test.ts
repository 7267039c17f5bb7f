/**
 * Comparisons and copies of headers, structs, stacks and unions (P4 specification 8.16 to 8.20), for every combination of validity and of
 * one field that differs or not. One program answers all comparisons of a packet, each in a bit of its own.
 */
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../../src/base/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { compileParts } from "./v1model.js";

interface Pair {
  p: number;
  q: number;
}
/** What the bits of the first byte say. A header that is not valid is undefined. */
interface State {
  g: Pair | undefined;
  k: Pair | undefined;
  s: Pair;
  t: Pair;
  stack: (Pair | undefined)[];
  other: (Pair | undefined)[];
  /** Of a union: its member, and that member's fields. */
  u: [member: "pair" | "one", fields: Pair] | undefined;
  v: [member: "pair" | "one", fields: Pair] | undefined;
}

const bit = (byte: number, at: number): boolean => ((byte >> at) & 1) === 1;

function stateOf(byte: number): State {
  const q = (byte >> 2) & 3;
  const when = <T>(at: number, value: T): T | undefined => (bit(byte, at) ? value : undefined);
  return {
    g: when(0, { p: 1, q: 2 }),
    k: when(1, { p: 1, q }),
    s: { p: 1, q: 2 },
    t: { p: 1, q },
    stack: [when(4, { p: 5, q: 6 }), when(0, { p: 7, q: 8 })],
    other: [when(5, { p: 5, q: 6 }), when(1, { p: 7, q: 8 })],
    u: when(6, ["pair", { p: 1, q: 2 }]),
    v: bit(byte, 7) ? ["pair", { p: 1, q }] : when(1, ["one", { p: 1, q: 2 }]),
  };
}

const SETUP = `
  if (hdr.io.a[0:0] == 1) { hdr.g = { 1, 2 }; }
  if (hdr.io.a[1:1] == 1) { hdr.k = { 1, (bit<8>) hdr.io.a[3:2] }; }
  meta.s = { 1, 2 };
  meta.t = { 1, (bit<8>) hdr.io.a[3:2] };
  if (hdr.io.a[4:4] == 1) { hdr.stack[0] = { 5, 6 }; }
  if (hdr.io.a[0:0] == 1) { hdr.stack[1] = { 7, 8 }; }
  if (hdr.io.a[5:5] == 1) { hdr.other[0] = { 5, 6 }; }
  if (hdr.io.a[1:1] == 1) { hdr.other[1] = { 7, 8 }; }
  if (hdr.io.a[6:6] == 1) { hdr.u.pair = { 1, 2 }; }
  if (hdr.io.a[7:7] == 1) { hdr.v.pair = { 1, (bit<8>) hdr.io.a[3:2] }; }
  else if (hdr.io.a[1:1] == 1) { hdr.v.one = { 1, 2 }; }
`;

const TOP = `
header io_t { bit<8> a; bit<32> answers; }
header pair_t { bit<8> p; bit<8> q; }
header one_t { bit<8> p; bit<8> q; }
header_union U { pair_t pair; one_t one; }
struct S { bit<8> p; bit<8> q; }
`;

/** Bit i of the answer: condition i, for each byte. */
function answers(statements: string, conditions: readonly string[]): (byte: number) => boolean[] {
  const { program } = compileParts({
    top: TOP,
    headers: `io_t io; pair_t g; pair_t k; pair_t x; pair_t[2] stack; pair_t[2] other; pair_t[2] third; U u; U v; U w;`,
    metadata: "S s; S t; S z;",
    states: "state start { pkt.extract(hdr.io); transition accept; }",
    ingress:
      SETUP +
      statements +
      conditions
        .map((one, i) => `if (${one}) { hdr.io.answers = hdr.io.answers | (32w1 << ${i}); }`)
        .join("\n"),
    deparser: "pkt.emit(hdr.io);",
  });
  const sent: string[] = [];
  const device = new Switch(program, {
    clock: { now: () => 0, at: () => () => undefined },
    transmit: (_, frame) => sent.push(toHex(frame)),
  });
  return (byte) => {
    device.receive(1, fromHex(`${byte.toString(16).padStart(2, "0")}00000000`)!);
    const bits = Number.parseInt(sent.pop()!.slice(2, 10), 16);
    return conditions.map((_, i) => bit(bits, i));
  };
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify([a]) === JSON.stringify([b]);
const PAIR = { p: 1, q: 2 };

describe("for each combination of validity and fields", () => {
  it("equality and inequality hold as the specification defines them", () => {
    const rules: [condition: string, rule: (state: State) => boolean][] = [
      ["hdr.g == hdr.k", ({ g, k }) => same(g, k)],
      ["hdr.g != hdr.k", ({ g, k }) => !same(g, k)],
      ["hdr.k == (pair_t) { 1, 2 }", ({ k }) => same(k, PAIR)],
      ["(pair_t) { 1, 2 } != hdr.k", ({ k }) => !same(k, PAIR)],
      ["hdr.g == (pair_t) {#}", ({ g }) => g === undefined],
      ["(pair_t) {#} != hdr.g", ({ g }) => g !== undefined],
      ["meta.s == meta.t", ({ s, t }) => same(s, t)],
      ["meta.s != meta.t", ({ s, t }) => !same(s, t)],
      ["meta.t == (S) { q = 2, p = 1 }", ({ t }) => same(t, PAIR)],
      ["hdr.stack == hdr.other", ({ stack, other }) => same(stack, other)],
      ["hdr.stack != hdr.other", ({ stack, other }) => !same(stack, other)],
      ["hdr.u == hdr.v", ({ u, v }) => same(u, v)],
      ["hdr.u != hdr.v", ({ u, v }) => !same(u, v)],
      ["hdr.v == (U) {#}", ({ v }) => v === undefined],
      ["(U) {#} != hdr.v", ({ v }) => v !== undefined],
      ["hdr.v.isValid()", ({ v }) => v !== undefined],
      ["(hdr.io.a[4:4] == 1 ? hdr.g : hdr.k) == hdr.k", ({ g, k, stack }) => same(stack[0] ? g : k, k)],
      ["(hdr.io.a[4:4] == 1 ? meta.s : meta.t) == meta.t", ({ s, t, stack }) => same(stack[0] ? s : t, t)],
    ];
    const ask = answers(
      "",
      rules.map(([condition]) => condition),
    );
    for (let byte = 0; byte < 256; byte++) {
      const got = ask(byte);
      const wrong = rules.filter(([, rule], i) => got[i] !== rule(stateOf(byte))).map(([text]) => text);
      expect([byte, wrong]).toEqual([byte, []]);
    }
  });

  it("a copy is equal to what was copied, in its validity as well, and stays when that changes", () => {
    const ask = answers(
      `hdr.x = { 9, 9 }; hdr.x = hdr.k;
       hdr.third[0] = { 9, 9 }; hdr.third[1] = { 9, 9 }; hdr.third = hdr.other;
       hdr.w.one = { 9, 9 }; hdr.w = hdr.v;
       meta.z = meta.t; meta.t = meta.s; meta.s = meta.z;
       hdr.k.p = 77; hdr.other[0].p = 77; hdr.v.pair.p = 77;`,
      [
        "hdr.x.isValid()",
        "hdr.x == (pair_t) { 1, 2 }",
        "hdr.third[0] == (pair_t) { 5, 6 }",
        "hdr.third[1] == (pair_t) { 7, 8 }",
        "hdr.third[0].isValid() || hdr.third[1].isValid()",
        "hdr.w.pair == (pair_t) { 1, 2 }",
        "hdr.w.one == (one_t) { 1, 2 }",
        "hdr.w.isValid()",
        "meta.s == (S) { 1, 2 }",
        "meta.t == (S) { 1, 2 }",
      ],
    );
    for (let byte = 0; byte < 256; byte++) {
      const { k, other, v, t } = stateOf(byte);
      const expected = [
        k !== undefined,
        same(k, PAIR),
        other[0] !== undefined,
        other[1] !== undefined,
        other[0] !== undefined || other[1] !== undefined,
        same(v, ["pair", PAIR]),
        same(v, ["one", PAIR]),
        v !== undefined,
        same(t, PAIR),
        true,
      ];
      expect([byte, ask(byte)]).toEqual([byte, expected]);
    }
  });
});
