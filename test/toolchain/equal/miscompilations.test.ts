/**
 * Wrong transformations that p4c made once, rebuilt as small programs: what went into a pass, and what came out of it. `equal` must
 * show a packet that tells them apart; and with what the pass should have made, it must find them equal.
 */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { comparePrograms } from "../../../src/toolchain/equal/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";

interface Body {
  /** Declarations in front of the control, and in it. */
  readonly global?: string;
  readonly local?: string;
  readonly apply: string;
}

interface Case {
  readonly issue: number;
  readonly what: string;
  readonly input: Body;
  readonly wrong: Body;
  readonly right: Body;
}

function programOf({ global = "", local = "", apply }: Body): Program {
  const text = `
#include <core.p4>
#include <v1model.p4>
header data_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
struct headers_t { data_t h; }
struct meta_t {}
${global}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start { packet.extract(hdr.h); transition accept; }
}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    ${local}
    apply {
        standard.egress_spec = 1;
        ${apply}
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) { apply {} }
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
`;
  const diagnostics = new Diagnostics();
  const result = compile(
    { file: new SourceFile("case.p4", text), resolveInclude: () => undefined },
    diagnostics,
  );
  diagnostics.throwIfErrors();
  return result!.program;
}

const CASES: readonly Case[] = [
  {
    issue: 210,
    what: "an assignment is removed that an action reads",
    input: {
      local: "bit<8> flag; action choose() { if (flag == 1) { hdr.h.a = 5; } else { hdr.h.a = 10; } }",
      apply: "flag = 0; if (hdr.h.b == 3) { flag = 1; } choose();",
    },
    wrong: {
      local: "bit<8> flag; action choose() { if (flag == 1) { hdr.h.a = 5; } else { hdr.h.a = 10; } }",
      apply: "flag = 0; choose();",
    },
    right: { apply: "if (hdr.h.b == 3) { hdr.h.a = 5; } else { hdr.h.a = 10; }" },
  },
  {
    issue: 2175,
    what: "an assignment in front of a conditional return is removed",
    input: {
      global: "void set(inout bit<8> value) { if (value == 0) { value = 1; return; } value = 2; return; }",
      apply: "set(hdr.h.a);",
    },
    wrong: {
      global: "void set(inout bit<8> value) { if (value == 0) { return; } value = 2; return; }",
      apply: "set(hdr.h.a);",
    },
    right: { apply: "hdr.h.a = hdr.h.a == 0 ? 8w1 : 8w2;" },
  },
  {
    issue: 2176,
    what: "inout arguments that are one place are copied out in another order",
    input: {
      local: "action three(inout bit<8> x, inout bit<8> y, inout bit<8> z) { y = 2; z = 0; }",
      apply: "three(hdr.h.b, hdr.h.b, hdr.h.b); if (hdr.h.b > 1) { hdr.h.a = 1; }",
    },
    wrong: {
      local: "action three(inout bit<8> x, inout bit<8> y, inout bit<8> z) { y = 2; z = 0; }",
      apply:
        "bit<8> x = hdr.h.b; bit<8> y = hdr.h.b; three(x, y, hdr.h.b); hdr.h.b = x; hdr.h.b = y; if (hdr.h.b > 1) { hdr.h.a = 1; }",
    },
    right: { apply: "hdr.h.b = 0;" },
  },
  {
    issue: 2205,
    what: "the left operand is read after a call in the right one has changed it",
    input: {
      global: "bit<8> one(inout bit<8> x) { x = 1; return 1; }",
      apply: "bit<8> value = hdr.h.b; hdr.h.a = value + one(value);",
    },
    wrong: {
      global: "bit<8> one(inout bit<8> x) { x = 1; return 1; }",
      apply: "bit<8> value = hdr.h.b; bit<8> called = one(value); hdr.h.a = value + called;",
    },
    right: { apply: "hdr.h.a = hdr.h.b + 1;" },
  },
  {
    issue: 2288,
    what: "an inout argument is read after a call in a later argument has changed it",
    input: {
      global:
        "bit<8> f(inout bit<8> x, in bit<8> z) { return 4; }\nbit<8> g(inout bit<8> z) { z = 3; return 1; }",
      apply: "f(hdr.h.a, g(hdr.h.a));",
    },
    wrong: {
      global:
        "bit<8> f(inout bit<8> x, in bit<8> z) { return 4; }\nbit<8> g(inout bit<8> z) { z = 3; return 1; }",
      apply: "bit<8> called = g(hdr.h.a); f(hdr.h.a, called);",
    },
    right: { apply: "" },
  },
  {
    issue: 2343,
    what: "a call whose result is shifted and cut is removed with its effect",
    input: {
      global: "bit<16> f(inout bit<8> x) { x = 7; return (bit<16>) x; }",
      apply: "hdr.h.b = (f(hdr.h.a) << 8)[7:0];",
    },
    wrong: { apply: "hdr.h.b = 0;" },
    right: { apply: "hdr.h.a = 7; hdr.h.b = 0;" },
  },
  {
    issue: 2345,
    what: "statements under conditions are moved in front of others that they read",
    input: {
      local:
        "action mix() { if (hdr.h.d == 1) { hdr.h.a = hdr.h.a ^ hdr.h.b; hdr.h.b = hdr.h.a ^ hdr.h.b; } }",
      apply: "mix();",
    },
    wrong: {
      local:
        "action mix() { if (hdr.h.d == 1) { hdr.h.b = hdr.h.a ^ hdr.h.b; hdr.h.a = hdr.h.a ^ hdr.h.b; } }",
      apply: "mix();",
    },
    right: {
      apply: "if (hdr.h.d == 1) { bit<8> old = hdr.h.a; hdr.h.a = hdr.h.a ^ hdr.h.b; hdr.h.b = old; }",
    },
  },
  {
    issue: 2613,
    what: "an assignment before a nested condition is lost where only its other branch assigns again",
    input: {
      local:
        "action set(bool x, bool y) { if (x) { hdr.h.a = 2; if (y) { hdr.h.b = 3; } else { hdr.h.a = 1; } } }",
      apply: "set(hdr.h.c == 1, hdr.h.d == 1);",
    },
    wrong: {
      local:
        "action set(bool x, bool y) { hdr.h.b = x ? (y ? 8w3 : hdr.h.b) : hdr.h.b; hdr.h.a = x ? (y ? hdr.h.a : 8w1) : hdr.h.a; }",
      apply: "set(hdr.h.c == 1, hdr.h.d == 1);",
    },
    right: {
      apply: "if (hdr.h.c == 1) { if (hdr.h.d == 1) { hdr.h.a = 2; hdr.h.b = 3; } else { hdr.h.a = 1; } }",
    },
  },
  {
    issue: 2614,
    what: "a slice of a shift is taken to be zero",
    input: { apply: "hdr.h.a = (((bit<9>) hdr.h.b) << 8)[8:1];" },
    wrong: { apply: "hdr.h.a = 0;" },
    right: { apply: "hdr.h.a = hdr.h.b[0:0] ++ 7w0;" },
  },
  {
    issue: 5162,
    what: "two calls of one function in one place share their result",
    input: {
      global: "bit<8> next(in bit<8> x) { return x + 1; }",
      apply: "hdr.h.a = next(hdr.h.b) ^ (next(hdr.h.c) << 1);",
    },
    wrong: { apply: "bit<8> result = hdr.h.b + 1; result = hdr.h.c + 1; hdr.h.a = result ^ (result << 1);" },
    right: {
      apply: "bit<8> first = hdr.h.b + 1; bit<8> second = hdr.h.c + 1; hdr.h.a = first ^ (second << 1);",
    },
  },
];

const compared = (a: Body, b: Body) =>
  comparePrograms(programOf(a), programOf(b), { seed: 1, entries: "same", goesOn: () => true });

describe("wrong transformations of p4c", () => {
  it.each(CASES)("p4c #$issue: $what", async ({ input, wrong, right }) => {
    const { verdict, difference } = await compared(input, wrong);
    expect(verdict).toBe("different");
    expect(difference?.sent[0]).not.toEqual(difference?.sent[1]);
    expect((await compared(input, right)).verdict).toBe("equal");
  });
});
