/** What Tofino refuses and what it accepts just below that: each limit of the target on both sides, and the text of each finding. */
import { describe, expect, it } from "vitest";
import { fitProgram } from "../../../src/toolchain/fit/index.js";
import { compileText, loadTarget } from "./golden.js";
import { wrap } from "./programs.js";

const tofino = loadTarget("tofino");
const FIELDS = "bit<32> a; bit<32> b; bit<32> c; bit<16> s; bit<8> n; bit<8> o; bit<64> l; bit<128> w;";

const CASES: readonly {
  readonly locals: string;
  readonly apply: string;
  readonly found: readonly string[];
}[] = [
  { locals: "", apply: "hash(h.d.a, HashAlgorithm.crc32, 32w0, { h.d.b }, 32w1);", found: [] },
  { locals: "", apply: "hash(h.d.a, HashAlgorithm.crc32, 32w0, { h.d.b }, 32w0);", found: [] },
  {
    locals: "",
    apply: "hash(h.d.a, HashAlgorithm.crc32, 32w0, { h.d.b }, 32w3);",
    found: ["P44040 a hash modulo 3"],
  },
  {
    locals: "",
    apply: "hash(h.d.a, HashAlgorithm.crc32, 32w0, { h.d.b }, h.d.c);",
    found: ["P44040 a hash modulo d.c"],
  },
  {
    locals: "",
    apply: "hash(h.d.a, HashAlgorithm.crc32, h.d.c, { h.d.b }, 32w16);",
    found: ["P44020 a hash with base d.c"],
  },
  {
    locals: "",
    apply: "hash(h.d.s, HashAlgorithm.csum16, 16w0, { h.d.b }, 32w65536);",
    found: ["P44041 the hash algorithm csum16"],
  },
  { locals: "", apply: "random(h.d.n, 8w0, 8w0);", found: [] },
  { locals: "", apply: "random(h.d.n, 8w0, 8w127);", found: [] },
  { locals: "", apply: "random(h.d.n, 8w0, 8w100);", found: ["P44021 a random number from 0 to 100"] },
  { locals: "", apply: "random(h.d.n, 8w1, 8w127);", found: ["P44021 a random number from 1 to 127"] },
  { locals: "", apply: "random(h.d.n, h.d.o, 8w127);", found: ["P44021 a random number from d.o to 127"] },
  { locals: "", apply: "random(h.d.n, 8w0, h.d.o);", found: ["P44021 a random number from 0 to d.o"] },
  {
    locals: "",
    apply: "h.d.a = h.d.b * 0;",
    found: ["P44018 no ALU computes d.b * 0: there is no multiplier"],
  },
  { locals: "", apply: "h.d.a = h.d.b / 1;", found: [] },
  { locals: "", apply: "h.d.a = h.d.b % 8;", found: [] },
  { locals: "", apply: "h.d.a = h.d.b / 3;", found: ["P44036 no ALU computes d.b / 3: there is no divider"] },
  {
    locals: "",
    apply: "h.d.a = (h.d.b * 5) + 1;",
    found: ["P44018 no ALU computes d.b * 5: there is no multiplier"],
  },
  { locals: "", apply: "h.d.w = h.d.w + 1;", found: ["P44028 arithmetic on 128 bits"] },
  { locals: "", apply: "h.d.l = h.d.l + 1;", found: [] },
  { locals: "", apply: "h.d.w = h.d.w & 5;", found: [] },
  {
    locals: "",
    apply: "h.d.n = (bit<8>)(bit<1>)(h.d.a == 1);",
    found: ["P44039 no ALU computes d.a == 1: a comparison has no value in an action"],
  },
  { locals: "", apply: "if (h.d.a == 1) { h.d.b = 1; }", found: [] },
  {
    locals: "",
    apply: "if (h.d.s < 1000) { h.d.b = 1; }",
    found: ["P44016 the condition d.s < 1000 looks at 16 bits, of which it compares 16 by order"],
  },
  { locals: "", apply: "if (h.d.n < 100 && h.d.a == 5) { h.d.b = 1; }", found: [] },
  { locals: "", apply: "if (h.d.a == 5 && h.d.n[3:0] == 1 && h.d.o == 2) { h.d.b = 1; }", found: [] },
  { locals: "", apply: "if (h.d.a == 5 && h.d.n == 1 && h.d.o[3:0] == 2) { h.d.b = 1; }", found: [] },
  {
    locals: "",
    apply: "if (h.d.a == 5 && h.d.n == 1 && h.d.o[4:0] == 2) { h.d.b = 1; }",
    found: [
      "P44016 the condition ((d.a == 5) && (d.n == 1)) && (d.o == 2) looks at 45 bits, of which it compares 0 by order",
    ],
  },
  { locals: "", apply: "if (h.d.a == h.d.b) { h.d.c = 1; }", found: [] },
  {
    locals: "",
    apply: "if (h.d.l == 1) { h.d.c = 1; }",
    found: ["P44016 the condition d.l == 1 looks at 64 bits, of which it compares 0 by order"],
  },
  {
    locals: "",
    apply: "if (h.d.w == 1) { h.d.c = 1; }",
    found: ["P44016 the condition d.w == 1 looks at 128 bits, of which it compares 0 by order"],
  },
  {
    locals: "",
    apply: "if (h.d.a + 1 == h.d.b) { h.d.c = 1; }",
    found: ["P44017 no gateway evaluates (d.a + 1) == d.b"],
  },
  {
    locals: "register<bit<24>>(16) r;",
    apply: "r.write(h.d.a, 1);",
    found: ["P44013 register Ing.r has cells of 24 bits"],
  },
  {
    locals: "register<bit<64>>(16) r;",
    apply: "r.write(h.d.a, 1);",
    found: ["P44034 register Ing.r has cells of 64 bits"],
  },
  {
    locals: "register<bit<64>>(16) r;",
    apply: "r.read(h.d.l, h.d.a);",
    found: ["P44034 register Ing.r of 64 bits is read or updated"],
  },
  { locals: "register<bit<1>>(16) r;", apply: "r.write(h.d.a, 1);", found: [] },
  {
    locals: "register<bit<1>>(16) r;",
    apply: "r.write(h.d.a, h.d.n[0:0]);",
    found: ["P44026 a computed value is written to the one-bit register Ing.r"],
  },
  {
    locals: "register<bit<32>>(143361) r;",
    apply: "r.write(h.d.a, 1);",
    found: ["P44027 register Ing.r of 143361 cells needs 37 SRAM blocks with its spare"],
  },
  {
    locals: "register<bit<32>>(16) r;",
    apply: "r.read(h.d.b, h.d.a); r.write(h.d.a, h.d.b);",
    found: ["P44035 register Ing.r is read and written by two statements"],
  },
  { locals: "register<bit<32>>(16) r;", apply: "r.read(h.d.b, h.d.a); r.read(h.d.c, h.d.a);", found: [] },
  {
    locals: "register<bit<32>>(16) r;",
    apply: "r.write(h.d.a, 1); h.d.b = 1; r.write(h.d.b, 2);",
    found: ["P44035 statements use register Ing.r at 2 different indexes: d.a and 1"],
  },
  {
    locals:
      "register<bit<32>>(16) r; register<bit<32>>(16) q; action go() { r.write(h.d.a, 1); q.write(h.d.b, 2); }",
    apply: "go();",
    found: ["P44014 action Ing.go uses registers at 2 different indexes: d.a and d.b"],
  },
  {
    locals:
      "register<bit<32>>(16) r; register<bit<32>>(16) q; action go() { r.write(h.d.a, 1); q.write(h.d.a, 2); }",
    apply: "go();",
    found: [],
  },
  {
    locals:
      "register<bit<32>>(16) r; register<bit<32>>(16) q; register<bit<32>>(16) p; register<bit<32>>(16) o; action go() { r.write(h.d.a, 1); q.write(h.d.b, 2); p.write(h.d.c, 2); o.write((bit<32>) h.d.s, 2); }",
    apply: "go();",
    found: ["P44014 action Ing.go uses registers at 2 different indexes: d.a and d.b"],
  },
  {
    locals: "register<bit<32>>(16) r; action go() { bit<32> x; r.read(x, h.d.a); r.write(h.d.b, x); }",
    apply: "go();",
    found: ["P44014 action Ing.go uses registers at 2 different indexes: d.a and d.b"],
  },
  {
    locals: "register<bit<32>>(16) r; action go() { bit<32> x; r.read(x, h.d.a); r.write(h.d.a, x * 3); }",
    apply: "go();",
    found: [
      "P44018 the ALU of register Ing.r does not compute the cell of Ing.r * 3: there is no multiplier",
    ],
  },
  {
    locals:
      "register<bit<32>>(16) r; action go() { bit<32> x; r.read(x, h.d.a); x = x << 1; r.write(h.d.a, x << h.d.n); }",
    apply: "go();",
    found: [
      "P44037 the ALU of register Ing.r does not compute the cell of Ing.r << d.n: the shift count must be a constant",
    ],
  },
  {
    locals:
      "register<bit<32>>(16) r; action go() { bit<32> x; r.read(x, h.d.a); if (x < 5 && x > 2 && x != 3) { r.write(h.d.a, 1); } }",
    apply: "go();",
    found: [
      "P44044 the update of register Ing.r has 3 comparisons: the cell of Ing.r < 5, the cell of Ing.r > 2, the cell of Ing.r != 3",
    ],
  },
  {
    locals:
      "register<bit<32>>(16) r; action go() { bit<32> x; r.read(x, h.d.a); if (x < h.d.b) { x = h.d.c; } else { x = (bit<32>) h.d.n; } r.write(h.d.a, x); }",
    apply: "go();",
    found: ["P44044 the update of register Ing.r has 3 packet fields: d.b, d.c, d.n"],
  },
  {
    locals: "register<bit<32>>(16) r; action go() { r.write(h.d.a, 1); } action on() { r.write(h.d.b, 2); }",
    apply: "go(); on();",
    found: [
      "P44015 register Ing.r is used in several places that can run for one packet: Ing.go(), Ing.on()",
    ],
  },
  {
    locals: "register<bit<32>>(16) r; action go() { r.write(h.d.a, 1); } action on() { r.write(h.d.b, 2); }",
    apply: "if (h.d.n == 1) { go(); } else { on(); }",
    found: [],
  },
  {
    locals: "action go() { } table t { key = { h.d.a: range; } actions = { go; } }",
    apply: "t.apply();",
    found: ["P44011 range key d.a of table Ing.t has 32 bits"],
  },
  {
    locals: 'action go() { } table t { key = { h.d.a[19:0]: range @name("k"); } actions = { go; } }',
    apply: "t.apply();",
    found: [],
  },
  {
    locals: "action go() { } table t { key = { h.d.a: lpm; h.d.s: range; } actions = { go; } }",
    apply: "t.apply();",
    found: ["P44010 table Ing.t mixes lpm and range keys"],
  },
  {
    locals: "action go() { } table t { key = { h.d.a: lpm; h.d.n: exact; } actions = { go; } }",
    apply: "t.apply();",
    found: [],
  },
  { locals: "", apply: "sm.priority = 3;", found: ["P44023 standard_metadata.priority has no counterpart"] },
  { locals: "", apply: "truncate(32w5);", found: ["P44022 truncate is not available"] },
  { locals: "", apply: 'log_msg("x");', found: ["P44022 log_msg is not available"] },
  { locals: "", apply: "assert(h.d.a == 1);", found: ["P44022 assert is not available"] },
];

describe("Tofino's findings about", () => {
  it.each(CASES)("$locals $apply", ({ locals, apply, found }) => {
    const { program, error } = compileText(wrap(FIELDS, locals, apply));
    expect(error).toBeUndefined();
    const { diagnostics } = fitProgram(program!, tofino);
    expect(diagnostics.map(({ code, message }) => `${code} ${message.replace("tofino: ", "")}`)).toEqual(
      found,
    );
    for (const { notes, span } of diagnostics)
      expect([notes.length, span?.file.path]).toEqual([1, "program.p4"]);
  });

  it("registers at many long indexes, of which three are shown, each cut to 80 characters", () => {
    const names = ["a", "b", "c", "e"];
    const long = (name: string) => Array.from({ length: 12 }, () => `h.d.${name}`).join(" ^ ");
    const registers = names.map((name) => `register<bit<32>>(16) r${name};`).join(" ");
    const body = names.map((name) => `r${name}.write(${long(name)}, 1);`).join(" ");
    const text = wrap(
      "bit<32> a; bit<32> b; bit<32> c; bit<32> e;",
      `${registers} action go() { ${body} }`,
      "go();",
    );
    const { program, error } = compileText(text);
    expect(error).toBeUndefined();
    const messages = fitProgram(program!, tofino).diagnostics.map(({ message }) => message);
    const [found] = messages.filter((message) => message.includes("different indexes"));
    expect(found).toMatch(
      /^tofino: action Ing\.go uses registers at 2 different indexes: .{79}… and .{79}…$/,
    );
    const statements = wrap(
      "bit<32> a; bit<32> b; bit<32> c; bit<32> e;",
      "register<bit<32>>(16) r;",
      names.map((name) => `r.write(h.d.${name}, 1);`).join(" "),
    );
    expect(
      fitProgram(compileText(statements).program!, tofino).diagnostics.map(({ message }) => message),
    ).toEqual(["tofino: statements use register Ing.r at 4 different indexes: d.a, d.b, d.c and 1 more"]);
  });
});
