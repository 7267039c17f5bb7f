/**
 * Fields in containers, and action data and table memory that follow from them. A header is divided into words of 32 bits from its
 * end; what tables use of a word shares containers of 8, 16 and 32 bits (docs/fit/README.md).
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitProgram, type Target } from "../../../src/toolchain/fit/index.js";
import { dataFormats } from "../../../src/toolchain/fit/memory/action-data.js";
import type { TableLayout } from "../../../src/toolchain/fit/memory/layout.js";
import { phvUse } from "../../../src/toolchain/fit/phv/pack.js";
import { runs } from "../../fuzz-seed.js";
import { compileText, loadTarget } from "./golden.js";
import { oneTable, wrap } from "./programs.js";

const tofino = loadTarget("tofino");
const rmt = loadTarget("rmt");

function resultOf(text: string, target: Target = tofino) {
  const { program, error } = compileText(text);
  expect(error).toBeUndefined();
  return fitProgram(program!, target);
}

/** Containers of the ingress that tables use: `SIZE: field[high:low] ...`, first those of the header. */
function containersOf(fields: string, apply: string, locals = "", egress = ""): string[] {
  const { problem } = resultOf(wrap(fields, locals, apply, egress));
  return problem.phv.containers
    .filter(({ gress, tagalong }) => gress === "ingress" && !tagalong)
    .map(
      ({ size, slices }) =>
        `${size}: ${slices.map(({ field, lo, width }) => `${field.replace(/^(d|scalars)\./, "")}[${lo + width - 1}:${lo}]`).join(" ")}`,
    );
}

/** A program that moves the named fields, which are all used. */
const use = (...names: string[]) => names.map((name) => `h.d.${name} = 0;`).join(" ");

describe("containers", () => {
  it.each<[string, string, string, string[]]>([
    [
      "one field of each size",
      "bit<8> a; bit<16> b; bit<32> c;",
      use("a", "b", "c"),
      ["16: a[7:0] b[15:8]", "8: b[7:0]", "32: c[31:0]"],
    ],
    [
      "fields of one word",
      "bit<4> a; bit<12> b; bit<16> c;",
      use("a", "b", "c"),
      ["32: a[3:0] b[11:0] c[15:0]"],
    ],
    ["part of a word", "bit<8> a; bit<8> b; bit<16> c;", use("a", "b"), ["16: a[7:0] b[7:0]"]],
    ["two parts of a word", "bit<8> a; bit<8> b; bit<16> c;", use("a", "c"), ["8: a[7:0]", "16: c[15:0]"]],
    ["24 bits, in 16 and 8", "bit<24> a; bit<8> b;", use("a"), ["16: a[23:8]", "8: a[7:0]"]],
    ["25 bits, in 32", "bit<25> a; bit<7> b;", use("a"), ["32: a[24:0]"]],
    ["17 bits, in 16 and 8", "bit<17> a; bit<15> b;", use("a"), ["16: a[16:1]", "8: a[0:0]"]],
    ["9 bits, in 16", "bit<9> a; bit<7> b;", use("a"), ["16: a[8:0]"]],
    ["8 bits, in 8", "bit<8> a;", use("a"), ["8: a[7:0]"]],
    [
      "a long field, in words from the end",
      "bit<48> a; bit<16> b;",
      use("a"),
      ["32: a[47:16]", "16: a[15:0]"],
    ],
    [
      "a field that would cross a word, in its own",
      "bit<8> a; bit<32> b; bit<8> c;",
      use("a", "b", "c"),
      ["8: a[7:0]", "32: b[31:0]", "8: c[7:0]"],
    ],
    [
      "128 bits, in four",
      "bit<128> a;",
      use("a"),
      ["32: a[127:96]", "32: a[95:64]", "32: a[63:32]", "32: a[31:0]"],
    ],
    [
      "fields of arithmetic, alone",
      "bit<8> a; bit<8> b; bit<8> c; bit<8> e;",
      "h.d.a = h.d.a + 1; h.d.b = 1; h.d.e = 2;",
      ["8: a[7:0]", "8: b[7:0]", "8: e[7:0]"],
    ],
    ...["h.d.b ^ h.d.c", "~(h.d.b ^ h.d.c)", "~h.d.b & h.d.c"].map(
      (value): [string, string, string, string[]] => [
        `the result of ${value}, alone`,
        "bit<8> a; bit<8> b; bit<8> c; bit<8> e;",
        `h.d.a = ${value}; h.d.e = 2;`,
        ["8: a[7:0]", "16: b[7:0] c[7:0]", "8: e[7:0]"],
      ],
    ),
    [
      "40 bits of arithmetic, in 32 and 8",
      "bit<40> a; bit<24> b;",
      "h.d.a = h.d.a + 1;",
      ["32: a[39:8]", "8: a[7:0]"],
    ],
    [
      "metadata, alone",
      "bit<8> a;",
      "if (m.m0 == 1 && m.m2 == 2) { h.d.a = 1; }",
      ["8: a[7:0]", "32: meta_t.m0[31:0]", "8: meta_t.m2[7:0]"],
    ],
    [
      "validity that is tested",
      "bit<8> a;",
      "if (h.d.isValid()) { h.d.a = 1; }",
      ["8: a[7:0]", "8: $valid$[0:0]"],
    ],
  ])("of %s", (_, fields, apply, expected) => {
    expect(containersOf(fields, apply).sort()).toEqual([...expected].sort());
  });

  it("of a register's operands and results are those of any field, and a computed result takes one before it is used", () => {
    const register = (body: string) =>
      containersOf(
        "bit<8> a; bit<8> b; bit<16> c; bit<32> i;",
        "go();",
        `register<bit<8>>(16) r; action go() { ${body} }`,
      );
    expect(register("r.write(h.d.i, h.d.a); h.d.b = 1;").sort()).toEqual([
      "16: a[7:0] b[7:0]",
      "32: i[31:0]",
    ]);
    const returned = register(
      "bit<8> x; r.read(x, h.d.i); x = x + 1; r.write(h.d.i, x); h.d.a = x; h.d.b = 1;",
    );
    expect(returned[0]).toBe("8: Ing.r$result[7:0]");
  });

  it("have the bits of their fields, each once, and at most 31 bits more for a run of used bits", () => {
    const widths = fc.array(fc.record({ bits: fc.integer({ min: 1, max: 70 }), used: fc.boolean() }), {
      minLength: 1,
      maxLength: 9,
    });
    fc.assert(
      fc.property(widths, (list) => {
        const total = list.reduce((sum, { bits }) => sum + bits, 0);
        const pad = (8 - (total % 8)) % 8;
        const fields =
          list.map(({ bits }, i) => `bit<${bits}> f${i};`).join(" ") + (pad > 0 ? ` bit<${pad}> pad;` : "");
        const names = list.flatMap(({ used }, i) => (used ? [`f${i}`] : []));
        const { problem, model } = resultOf(wrap(fields, "", use(...names)));
        const { containers } = problem.phv;
        for (const name of model.headers.get("d")!.fields) {
          const { width } = model.fields.get(name)!;
          for (const gress of ["ingress", "egress"] as const) {
            const slices = containers
              .filter((container) => container.gress === gress)
              .flatMap((container) => container.slices)
              .filter(({ field }) => field === name)
              .sort((a, b) => a.lo - b.lo);
            let at = 0;
            for (const slice of slices) {
              expect([name, slice.lo]).toEqual([name, at]);
              at += slice.width;
            }
            expect([name, at]).toEqual([name, width]);
          }
          const own = problem.phv.of("ingress", name);
          expect(own.length > 0).toBe(names.includes(name.slice(2)));
          const whole = problem.phv.touchedBy("ingress", { field: name, lo: 0, width });
          expect(whole).toEqual(own);
          for (const container of own) {
            for (const slice of container.slices.filter(({ field }) => field === name)) {
              const touched = (lo: number, bits: number) =>
                problem.phv.touchedBy("ingress", { field: name, lo, width: bits });
              expect(touched(slice.lo, 1)).toContain(container);
              expect(touched(slice.lo + slice.width - 1, 1)).toContain(container);
              if (slice.lo > 0) expect(touched(slice.lo - 1, 1)).not.toContain(container);
              expect(touched(slice.lo + slice.width, 1)).not.toContain(container);
            }
          }
        }
        for (const { size, slices } of containers) {
          const bits = slices.reduce((sum, slice) => sum + slice.width, 0);
          expect(bits <= size && (size === 8 || bits > size / 2)).toBe(true);
        }
        const sums = ([8, 16, 32] as const).map((size) => phvUse(problem.phv, false)[size]);
        const inUse = list.reduce((sum, { bits, used }) => sum + (used ? bits : 0), 0);
        expect(sums.reduce((sum, one) => sum + one.bitsIngress, 0)).toBe(inUse);
        for (const one of sums) expect(one.bitsIngress + one.bitsEgress).toBe(one.bits);
      }),
      runs(40),
    );
  });
});

describe("formats of action data", () => {
  const formats = (fields: string, body: string, target = tofino) => {
    const { problem, model } = resultOf(
      wrap(
        `bit<8> k; ${fields}`,
        `action go(bit<32> v, bit<32> w, bit<8> x, bit<8> y) { ${body} }
        table t { key = { h.d.k : ternary; } actions = { go; NoAction; } size = 16; default_action = NoAction(); }`,
        "t.apply();",
      ),
    );
    const unit = model.units.find(({ kind }) => kind === "match")!;
    return dataFormats(unit.actions, unit.gress, problem.phv, target).map(({ immediateBits, ramBytes }) => [
      immediateBits,
      ramBytes,
    ]);
  };

  it.each<[string, string, [number, number][]]>([
    ["bit<32> a;", "h.d.a = 1;", [[0, 0]]],
    [
      "bit<32> a;",
      "h.d.a = v;",
      [
        [0, 4],
        [32, 0],
      ],
    ],
    // Each format has half the RAM entry of the one before, for the fewest bits of the match entry.
    [
      "bit<8> a; bit<24> p; bit<32> b;",
      "h.d.a = x; h.d.b = v;",
      [
        [0, 8],
        [8, 4],
        [32, 1],
      ],
    ],
    // A field of one bit takes one bit of the match entry, and a byte in RAM.
    [
      "bit<1> a; bit<31> p; bit<32> b;",
      "h.d.a = x[0:0]; h.d.b = v;",
      [
        [0, 8],
        [1, 4],
        [32, 1],
      ],
    ],
    [
      "bit<32> a; bit<32> b;",
      "h.d.a = v; h.d.b = w;",
      [
        [0, 8],
        [32, 4],
      ],
    ],
    [
      "bit<8> a; bit<8> p; bit<8> b; bit<8> q;",
      "h.d.a = x; h.d.b = y;",
      [
        [0, 2],
        [8, 1],
        [16, 0],
      ],
    ],
    // A field of 24 bits is in containers of 16 and 8.
    [
      "bit<24> a; bit<8> b;",
      "h.d.a = (bit<24>) v;",
      [
        [0, 4],
        [8, 2],
        [16, 1],
        [24, 0],
      ],
    ],
    [
      "bit<48> a; bit<16> b;",
      "h.d.a[47:16] = v;",
      [
        [0, 4],
        [32, 0],
      ],
    ],
    // A hash goes the way of the match entry's data.
    [
      "bit<32> a; bit<16> b;",
      "h.d.a = v; hash(h.d.b, HashAlgorithm.crc16, 16w0, { h.d.k }, 17w65536);",
      [[0, 4]],
    ],
  ])("of %s %s", (fields, body, expected) => {
    expect(formats(fields, body)).toEqual(expected);
  });

  it("are those of RAM alone where no bits are immediate", () => {
    expect(
      formats("bit<32> a;", "h.d.a = v;", { ...tofino, action: { ...tofino.action, immediate_bits: null } }),
    ).toEqual([[0, 4]]);
  });
});

describe("the memory of a table", () => {
  const planOf = (text: string, target: Target = tofino, name = "Ing.t") => {
    const { problem, model } = resultOf(text, target);
    return problem.plans[model.units.find((unit) => unit.name === name)!.id]!;
  };
  const specs = fc.record({
    kind: fc.constantFrom("exact" as const, "ternary" as const),
    keyBits: fc.constantFrom(8, 9, 16, 32, 48, 104, 200),
    size: fc.constant(1024),
    dataBits: fc.constantFrom(0, 8, 32, 64, 128),
  });

  it("is that of whole blocks for at least the entries, and its largest part is the largest that fits", () => {
    fc.assert(
      fc.property(
        specs,
        fc.constantFrom(tofino, rmt),
        fc.integer({ min: 1, max: 200_000 }),
        fc.record({
          srams: fc.nat({ max: 80 }),
          tcamUnits: fc.nat({ max: 24 }),
          mapRams: fc.nat({ max: 48 }),
          logicalTables: fc.constant(16),
        }),
        (spec, target, entries, free) => {
          const plan = planOf(oneTable(spec), target);
          const layout = plan.layout(entries);
          const { blocks, wayRams } = layout;
          if (!(spec.kind === "exact" && spec.keyBits < 20))
            expect(layout.entries).toBeGreaterThanOrEqual(entries);
          expect(layout.srams).toBe(blocks.match + blocks.indirection + blocks.action + blocks.direct);
          expect(layout.tcams % Math.max(1, layout.tcamWidth)).toBe(0);
          if (blocks.match <= 80) expect(wayRams.reduce((sum, way) => sum + way, 0)).toBe(blocks.match);
          const fits = (one: TableLayout) =>
            one.logicalTables <= free.logicalTables &&
            one.srams <= free.srams &&
            one.mapRams <= free.mapRams &&
            (one.tcamWidth === 0 || one.tcams / one.tcamWidth <= free.tcamUnits);
          const parts = [...plan.parts(entries, free)];
          const step = layout.match === "exact" ? target.sram.depth : target.tcam.depth;
          const [part] = parts;
          if (part === undefined) expect(fits(plan.layout(step))).toBe(false);
          else {
            expect(part.entries).toBeLessThanOrEqual(entries);
            if (part.entries % step === 0 && part.entries + step < entries)
              expect(fits(plan.layout(part.entries + step))).toBe(false);
          }
          if (fits(layout)) expect(part?.entries).toBe(entries);
          for (const [i, { layout: one, entries: own }] of parts.entries()) {
            expect(fits(one)).toBe(true);
            if (!(spec.kind === "exact" && spec.keyBits < 20)) expect(own).toBeLessThanOrEqual(one.entries);
            if (i > 0) expect(own).toBeLessThanOrEqual(parts[i - 1]!.entries);
          }
        },
      ),
      runs(60),
    );
  });

  it("adds indirection of the bits that choose the action, and of addresses", () => {
    const ternary = (actions: number, more = "", statement = "") => {
      const list = Array.from(
        { length: actions },
        (_, i) => `action a${i}() { h.d.r = ${i}; ${statement} }`,
      ).join(" ");
      const names = Array.from({ length: actions }, (_, i) => `a${i};`).join(" ");
      return planOf(
        wrap(
          "bit<32> k; bit<32> r; bit<32> i;",
          `${more} ${list} table t { key = { h.d.k : ternary; } actions = { ${names} } size = 8192; default_action = a0(); }`,
          "t.apply();",
        ),
      ).layout(8192 * 4).blocks.indirection;
    };
    // 32,768 entries: none for one action; 8 bits at least, 16 in a line.
    expect([1, 2, 8].map((actions) => ternary(actions))).toEqual([0, 2, 2]);
    // Three bits choose among eight actions, six among nine and more: the address of the instruction.
    const counter = "counter(64, CounterType.packets) c;";
    const count = "c.count(h.d.i);";
    // With an address, which has 10 bits at least: 10, 11, 13 and 16 bits, in fields of 16. All actions count, so that no bit says it.
    expect([1, 2, 8, 9].map((actions) => ternary(actions, counter, count))).toEqual([4, 4, 4, 4]);
    // 6 + 10 bits are not more than 16; 6 + 11 are.
    expect(ternary(9, "counter(1024, CounterType.packets) c;", count)).toBe(4);
    expect(ternary(9, "counter(2048, CounterType.packets) c;", count)).toBe(8);
  });

  it("of a key that no packing holds has one entry in as many blocks as it needs", () => {
    const plan = planOf(oneTable({ kind: "exact", keyBits: 2048, size: 16, single: true }));
    expect(plan.layout(5000)).toMatchObject({
      match: "exact",
      entries: 5 * 1024,
      srams: 5 * 16,
      blocks: { match: 80, indirection: 0, action: 0, direct: 0 },
      wayRams: [80],
      entriesPerWord: 1,
      hashBits: 40,
      tcams: 0,
    });
    expect(plan.layout(1)).toMatchObject({ entries: 4 * 1024, srams: 64 });
  });

  it("of an algorithmic table has its data and counters beside the partitions", () => {
    const text = oneTable({
      kind: "lpm",
      keyBits: 32,
      size: 65_536,
      dataBits: 64,
      declare: "direct_counter(CounterType.packets) k;",
      statement: "k.count();",
      property: "counters = k;",
    }).replace("table t {", "@alpm(1) table t {");
    const plan = planOf(text);
    const layout = plan.layout(65_536);
    // Value and mask of 32 bits, a nibble, one bit for two actions and 32 immediate bits are 101 bits: five in four blocks,
    // thirteen words for 64 entries a partition, for 1,024 partitions. 13 x 5 x 1,024 entries have 4 bytes each in RAM.
    const entries = layout.entries;
    expect(layout.entriesPerWord * 101).toBeLessThanOrEqual(
      128 * Math.ceil((layout.entriesPerWord * 101) / 128),
    );
    expect(layout.blocks.action).toBe(Math.ceil(entries / (1024 * 4)));
    expect(layout.blocks.direct).toBe(Math.ceil(entries / 2048) + 1);
    expect(layout.srams).toBe(layout.blocks.match + layout.blocks.action + layout.blocks.direct);
    const ways = layout.wayRams.reduce((sum, way) => sum + way, 0);
    expect([layout.mapRams, layout.hashBits, ways]).toEqual([layout.blocks.direct, 10, layout.blocks.match]);
    const before = planOf(text, tofino, "Ing.t$preclassifier");
    // A partition's number has ten bits, which take two bytes of the action bus.
    expect([before.match, before.actionBytes]).toEqual(["ternary", 2]);
    // The number of a partition beyond the lines of a block chooses the block.
    expect(
      planOf(text, { ...tofino, algorithmic_lpm: { ...tofino.algorithmic_lpm, partitions: 4096 } }).layout(
        65_536,
      ).hashBits,
    ).toBe(12);
    const withPartitions = (partitions: number) =>
      planOf(
        text,
        { ...tofino, algorithmic_lpm: { ...tofino.algorithmic_lpm, partitions } },
        "Ing.t$preclassifier",
      ).actionBytes;
    // A number of 17 bits has a container of 16 and one of 8.
    expect([256, 257, 65_536, 65_537].map(withPartitions)).toEqual([1, 2, 2, 3]);
  });
});
