/** Limits of Tofino that the compiler checks: the depth of the egress parser and the types of RegisterActions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../../src/base/index.js";
import { build } from "../../../../src/toolchain/p4/index.js";

const bad = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../../bad/lower", name), "utf8");

/** `CODE message` of each diagnostic of a program with these texts replaced. */
function messages(text: string, ...changes: (readonly [from: string, to: string])[]): string[] {
  let changed = text;
  for (const [from, to] of changes) {
    expect(changed).toContain(from);
    changed = changed.replaceAll(from, to);
  }
  const diagnostics = new Diagnostics();
  build({ file: changed }, diagnostics);
  return diagnostics.list.map(({ code, message }) => `${code} ${message}`);
}

describe("the depth of the egress parser", () => {
  // 27 bytes of intrinsic metadata, four elements of 8 bytes, and a header of 125.
  const deep = bad("P40440-deep-egress-parser.p4");
  const tooDeep = (bytes: number): string[] => [
    `P40440 the longest path through the egress parser EgressIn reads ${bytes} bytes, Tofino allows 160`,
  ];

  it("counts intrinsic metadata, and a loop as often as its stack has elements", () => {
    expect(messages(deep)).toEqual(tooDeep(184));
    expect(messages(deep, ["probe_h[4]", "probe_h[5]"])).toEqual(tooDeep(192));
  });

  it("may be 160 bytes", () => {
    expect(messages(deep, ["bit<1000> a", "bit<808> a"])).toEqual([]);
    expect(messages(deep, ["bit<1000> a", "bit<816> a"])).toEqual(tooDeep(161));
  });

  it("counts advance, and no lookahead", () => {
    const advance = ["pkt.extract(hdr.rest);", "pkt.advance(8 * 102);"] as const;
    expect(messages(deep, advance)).toEqual(tooDeep(161));
    expect(messages(deep, advance, ["102", "101"], ["lookahead<bit<8>>", "lookahead<bit<32>>"])).toEqual([]);
  });

  it("is that of the longest of several paths", () => {
    const second = ["0: rest;", "0: rest;\n            1: more;"] as const;
    const more = [
      "    state rest {",
      "    state more { pkt.advance(1008); transition rest; }\n    state rest {",
    ];
    expect(messages(deep, second, [more[0]!, more[1]!])).toEqual(tooDeep(310));
  });

  it("counts each field of a flexible header as whole bytes", () => {
    const fields = ["bit<1000> a", "bit<400> a; bit<9> b; bit<395> c; bit<4> d"] as const;
    // 808 bits; b is filled up to 16, c to 400 and d to 8.
    expect(messages(deep, fields)).toEqual([]);
    expect(messages(deep, fields, ["header rest_h", "@flexible header rest_h"])).toEqual(tooDeep(162));
    // Padding before a field counts with it, and until a field is filled up: b is not, c and d by a bit each.
    const padded = ["bit<1000> a", "@padding bit<7> p; bit<9> b; bit<792> c; bit<7> d"] as const;
    // Without the annotation the header ends within a byte.
    expect(messages(deep, padded)).toEqual([
      "P40461 the state rest reads 815 bits, and a state ends at a whole byte",
    ]);
    expect(messages(deep, padded, ["header rest_h", "@flexible header rest_h"])).toEqual(tooDeep(161));
  });

  it("has no limit on Tofino 2, nor where the program switches it off", () => {
    expect(messages(deep, ["<tna.p4>", "<t2na.p4>"])).toEqual([]);
    const off = (option: string) =>
      messages(deep, ["struct none_t", `@command_line("${option}")\nstruct none_t`]);
    expect(off("--disable-parse-max-depth-limit")).toEqual([]);
    expect(off("--disable-parse-depth-limit")).toEqual([]);
    expect(off("--disable-parse-min-depth-limit")).toEqual(tooDeep(184));
  });
});

describe("the types of a RegisterAction", () => {
  const wrong = bad("P40441-register-of-another-width.p4");
  const used = (entry: number, index: number) =>
    [
      "RegisterAction<bit<32>, bit<8>, bit<32>>",
      `RegisterAction<bit<${entry}>, bit<${index}>, bit<32>>`,
    ] as const;

  it.each([
    [16, 8, 32, 8, false],
    [32, 8, 32, 8, true],
    // Another index with entries of the same width is no error of p4c's.
    [32, 6, 32, 8, true],
    // Two entries seen as one, and halves of one.
    [16, 9, 32, 8, true],
    [64, 7, 32, 8, true],
    [16, 7, 32, 8, false],
  ])("register bit<%i> by bit<%i>, action bit<%i> by bit<%i>: %s", (entry, index, own, ownIndex, right) => {
    const register = ["Register<bit<16>, bit<8>>", `Register<bit<${entry}>, bit<${index}>>`] as const;
    const call = ["execute(8w0)", `execute(${ownIndex}w0)`] as const;
    const codes = messages(wrong, register, used(own, ownIndex), call).map((one) => one.slice(0, 6));
    expect(codes).toEqual(right ? [] : ["P40441"]);
  });
});
