/** Blocks of SRAM and map RAMs of each stage, for a few large tables together, each number as the open compiler gave it. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { tnaSource } from "./programs.js";

/** What the action of a table does: nothing, count its entry, or use a cell that the entry names, or take data. */
type Use = "none" | "direct" | "data" | { readonly register: number } | { readonly counter: number };
type Table = readonly [key: string, size: number, use: Use];

const A = "hdr.d.a : exact;";
const B = "hdr.d.b : exact;";
const AB = `${A} ${B}`;
const AT = `${A} hdr.d.t : exact;`;
const TERNARY = "hdr.d.b : ternary;";

function sourceOf([key, size, use]: Table, i: number): string {
  const table = (parameters: string, body: string, more = "") => `
  action act${i}(${parameters}) { ${body} }
  table t${i} { key = { ${key} } actions = { act${i}; @defaultonly NoAction; } default_action = NoAction(); size = ${size}; ${more} }`;
  if (use === "none") return table("", "");
  if (use === "data") return table("bit<32> v, bit<16> w", "hdr.d.c = v; hdr.d.i = w;");
  if (use === "direct")
    return `
  DirectCounter<bit<32>>(CounterType_t.PACKETS) c${i};${table("", `c${i}.count();`, `counters = c${i};`)}`;
  if ("register" in use)
    return `
  Register<bit<32>, bit<17>>(${use.register}) r${i};
  RegisterAction<bit<32>, bit<17>, bit<32>>(r${i}) ra${i} = { void apply(inout bit<32> cell) { cell = cell + 1; } };${table("bit<17> x", `ra${i}.execute(x);`)}`;
  return `
  Counter<bit<64>, bit<17>>(${use.counter}, CounterType_t.PACKETS_AND_BYTES) k${i};${table("bit<17> x", `k${i}.count(x);`)}`;
}

function fitted(tables: readonly Table[], target = "tofino") {
  const diagnostics = new Diagnostics();
  const ingress = tables.map(sourceOf).join("");
  const apply = tables.map((_, i) => `t${i}.apply();`).join(" ");
  const made = compile({ file: tnaSource({ ingress, apply }), form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  const { program } = made!;
  return fitProgram(onePipe(program, pipesOf(program)[0]!), loadTarget(target)).placement;
}

const blocks = (tables: readonly Table[], target?: string) =>
  fitted(tables, target)
    .stages.map(({ srams, map_rams: maps }) => `${srams}/${maps}`)
    .join(" ");

describe("large tables together", () => {
  it.each<[string, readonly Table[], string]>([
    [
      "a table is split where entries of three blocks no longer have a column",
      [
        [AT, 87040, "none"],
        [B, 41984, { counter: 9216 }],
        [B, 50176, "direct"],
      ],
      "76/24 10/0",
    ],
    [
      "three entries a block, since the ways imply more of the key",
      [
        [AB, 35840, { counter: 30720 }],
        [AT, 91136, { register: 53248 }],
        [TERNARY, 3584, "none"],
        [AT, 49152, "none"],
      ],
      "75/14 52/31",
    ],
    [
      "five entries in two blocks, where three in one do not hold",
      [
        [AT, 89088, "none"],
        [A, 44032, "data"],
      ],
      "63/0",
    ],
    [
      "addresses of 15 bits, which end within half of a block",
      [
        [TERNARY, 1024, "data"],
        [B, 60416, "data"],
        [A, 23552, { register: 30720 }],
      ],
      "20/9 35/0",
    ],
    [
      "two registers, of which one stage has no place for both beside the entries",
      [
        [TERNARY, 1536, { register: 3072 }],
        [AT, 65536, { register: 21504 }],
        [A, 64512, { register: 58368 }],
      ],
      "43/18 39/7",
    ],
    [
      "counters beside entries and registers in two stages",
      [
        [B, 66560, { register: 52224 }],
        [B, 13312, "none"],
        [A, 57344, { register: 10240 }],
        [AB, 12288, "direct"],
      ],
      "39/8 40/14",
    ],
    [
      "a full stage, and one with 35 map RAMs",
      [
        [B, 95232, "direct"],
        [A, 34816, "none"],
        [AB, 33792, { counter: 20480 }],
        [AT, 71680, { register: 38912 }],
      ],
      "80/23 73/35",
    ],
  ])("%s", (_, tables, expected) => {
    expect(blocks(tables)).toBe(expected);
  });
});

describe("a counter whose cells an entry names", () => {
  it("takes the 36 blocks that its ALU reaches, and no more", () => {
    // One cell of 128 bits a word: 1,024 cells a block, and a spare.
    expect(blocks([[A, 1024, { counter: 35 * 1024 }]])).toBe("40/36");
    const { unplaced } = fitted([[A, 1024, { counter: 36 * 1024 }]]);
    expect(unplaced.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("an ALU reaches 36 blocks, counter pipe.In.k0 has 37"),
    ]);
  });

  it("has a second ALU with its own spare beyond the three rows of a half on Tofino 2", () => {
    const used = (thousands: number) => blocks([[A, 1024, { counter: thousands * 1024 }]], "tofino2");
    expect([17, 18, 34].map(used)).toEqual(["22/18", "24/20", "40/36"]);
    expect(fitted([[A, 1024, { counter: 35 * 1024 }]], "tofino2").unplaced).toHaveLength(1);
  });
});
