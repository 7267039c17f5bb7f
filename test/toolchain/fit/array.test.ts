/** The array of SRAM: which memories a stage has room for, as the open compiler arranged or refused them, and arrangements by rule. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arranged } from "../../../src/toolchain/fit/memory/array.js";
import {
  type AluMemory,
  type ArrayUse,
  type Block,
  NOTHING_IN_ARRAY,
} from "../../../src/toolchain/fit/memory/blocks.js";
import { wrongInArray } from "../../../src/toolchain/fit/place/verify-array.js";
import { runs } from "../../fuzz-seed.js";

const use = (part: Partial<ArrayUse>): ArrayUse => ({ ...NOTHING_IN_ARRAY, ...part });
const entries = (width: number, ...depths: number[]): ArrayUse =>
  use({ ways: depths.map((depth) => ({ depth, width })) });
const memory = (kind: AluMemory["kind"], blocks: number, part: Partial<AluMemory> = {}): AluMemory => ({
  name: `${kind} ${blocks}`,
  kind,
  blocks,
  colours: 0,
  hasResult: false,
  isDirect: true,
  ...part,
});
const fits = (uses: readonly ArrayUse[], isSplit = false) => {
  const blocks = arranged(uses, isSplit);
  if (blocks !== undefined) expect(wrongInArray(uses, blocks, isSplit)).toEqual([]);
  return blocks !== undefined;
};

describe("entries of several blocks", () => {
  // Eight rows hold two words of three blocks in each of ten columns. The open compiler refuses 26 of them, with 78 blocks, and takes the next packing.
  it.each([
    [1, 80],
    [2, 40],
    [3, 20],
    [4, 20],
    [5, 10],
    [8, 10],
  ])("of %i blocks a word are at most %i words", (width, most) => {
    expect(fits([entries(width, most)])).toBe(true);
    expect(fits([entries(width, most + 1)])).toBe(false);
  });

  it("of one table share a row with those of another, and a third one has no search bus there", () => {
    expect(fits(Array.from({ length: 16 }, () => entries(1, 5)))).toBe(true);
    expect(fits(Array.from({ length: 17 }, () => entries(1, 1)))).toBe(false);
  });
});

describe("counters beside entries", () => {
  const both = (words: number, counters: number) => [
    use({
      ways: [4, 4, 4, 4, words - 16].map((depth) => ({ depth, width: 2 })),
      alu: [memory("statistics", counters)],
    }),
  ];

  it("have the columns that the entries leave, in the six rows that their ALU reaches", () => {
    // 17 words of two blocks take five columns; the open compiler places 31 blocks of counters beside them, and refuses 33 beside 18 words.
    expect(fits(both(17, 31))).toBe(true);
    expect(fits(both(18, 33))).toBe(false);
  });

  it("alone have six columns in six rows", () => {
    expect(fits([use({ alu: [memory("statistics", 36)] })])).toBe(true);
    expect(fits([use({ alu: [memory("statistics", 37)] })])).toBe(false);
  });

  it("are in one half of the rows where the chip has two, unless two ALUs can take them", () => {
    expect(fits([use({ alu: [memory("statistics", 18)] })], true)).toBe(true);
    expect(fits([use({ alu: [memory("statistics", 19)] })], true)).toBe(false);
    expect(fits([use({ alu: [memory("meter", 24)] })], true)).toBe(true);
    expect(fits([use({ alu: [memory("meter", 25)] })], true)).toBe(false);
    expect(fits([use({ alu: [memory("statistics", 36, { isDirect: false })] })], true)).toBe(true);
  });
});

it("has four ALUs of each kind, on even and on odd rows", () => {
  const four = (kind: AluMemory["kind"], count: number) => [
    use({ alu: Array.from({ length: count }, (_, i) => memory(kind, 2, { name: `${kind} ${i}` })) }),
  ];
  for (const kind of ["statistics", "meter"] as const) {
    expect(fits(four(kind, 4))).toBe(true);
    expect(fits(four(kind, 5))).toBe(false);
  }
});

it("holds action data in the rest of all columns, and data of ternary entries on the left", () => {
  expect(fits([use({ action: [{ depth: 80, width: 1 }] })])).toBe(true);
  expect(fits([use({ action: [{ depth: 81, width: 1 }] })])).toBe(false);
  expect(fits([use({ indirection: 32 })])).toBe(true);
  expect(fits([use({ indirection: 33 })])).toBe(false);
  // Each row brings the data of two tables.
  expect(fits(Array.from({ length: 16 }, () => use({ indirection: 1 })))).toBe(true);
  expect(fits(Array.from({ length: 17 }, () => use({ indirection: 1 })))).toBe(false);
});

it("has the data of a selector at or below its row", () => {
  const selector = memory("selector", 2, { isDirect: false });
  const uses = [use({ alu: [selector], action: [{ depth: 40, width: 1, selector: selector.name }] })];
  const blocks = arranged(uses, false) ?? [];
  expect(blocks).toHaveLength(42);
  const rows = (kind: Block["kind"]) => blocks.filter((block) => block.kind === kind).map(({ row }) => row);
  expect(Math.max(...rows("action"))).toBeLessThanOrEqual(Math.max(...rows("alu")));
});

it("keeps every rule, whatever the memories are", () => {
  const depth = fc.integer({ min: 1, max: 12 });
  const alu = fc
    .record({
      name: fc.uuid(),
      kind: fc.constantFrom("statistics" as const, "meter" as const),
      blocks: fc.integer({ min: 2, max: 30 }),
      hasColours: fc.boolean(),
      hasResult: fc.boolean(),
      isDirect: fc.boolean(),
    })
    .map(({ hasColours, ...one }) => ({
      ...one,
      // A map RAM has the colours of four blocks of meters.
      colours: hasColours && one.kind === "meter" ? Math.ceil((one.blocks - 1) / 4) : 0,
    }));
  const chosen = fc
    .record({
      name: fc.uuid(),
      blocks: fc.integer({ min: 2, max: 8 }),
      depth,
      width: fc.integer({ min: 1, max: 2 }),
    })
    .map(({ name, blocks, ...data }) =>
      use({
        alu: [memory("selector", blocks, { name, isDirect: false })],
        action: [{ ...data, selector: name }],
      }),
    );
  const table: fc.Arbitrary<ArrayUse> = fc.record({
    ways: fc
      .tuple(fc.array(depth, { maxLength: 5 }), fc.integer({ min: 1, max: 5 }))
      .map(([depths, width]) => depths.map((one) => ({ depth: one, width }))),
    partitions: fc.constant([]),
    indirection: fc.nat({ max: 4 }),
    action: fc.array(fc.record({ depth, width: fc.integer({ min: 1, max: 2 }) }), { maxLength: 1 }),
    alu: fc.array(alu, { maxLength: 2 }),
  });
  const partitions = fc.array(fc.record({ depth: fc.integer({ min: 1, max: 5 }), width: fc.constant(1) }), {
    minLength: 1,
    maxLength: 6,
  });
  const any = fc.oneof(
    { arbitrary: table, weight: 3 },
    { arbitrary: partitions.map((list) => use({ partitions: list })), weight: 1 },
    { arbitrary: chosen, weight: 2 },
  );
  let placed = 0;
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 4 }), fc.boolean(), (uses, isSplit) => {
      if (fits(uses, isSplit)) placed++;
    }),
    runs(300),
  );
  expect(placed).toBeGreaterThan(30);
});

it("finds what breaks a rule", () => {
  const uses = [
    use({ ways: [{ depth: 2, width: 2 }], indirection: 1, alu: [memory("statistics", 8)] }),
    use({ action: [{ depth: 3, width: 1 }] }),
  ];
  const blocks = arranged(uses, false) ?? [];
  expect(wrongInArray(uses, blocks, false)).toEqual([]);
  const with_ = (kind: Block["kind"], change: Partial<Block>) => {
    const at = blocks.findIndex((block) => block.kind === kind);
    return wrongInArray(
      uses,
      blocks.map((block, i) => (i === at ? { ...block, ...change } : block)),
      false,
    ).join();
  };
  expect(wrongInArray(uses, blocks.slice(1), false).join()).toMatch(/of 4 blocks/);
  const [one] = uses;
  expect(wrongInArray([{ ...one!, indirection: 0 }, ...uses.slice(1)], blocks, false).join()).toMatch(
    /indirection of 0: 1 of 0 blocks/,
  );
  expect(with_("entries", { column: 9 })).toMatch(/not in one column/);
  expect(with_("entries", { row: 8 })).toMatch(/outside/);
  expect(with_("alu", { column: 3 })).toMatch(/on the left/);
  expect(with_("alu", { home: 7 })).toMatch(/no ALU of its kind/);
  expect(with_("alu", { row: 0 })).toMatch(/not in reach/);
  expect(with_("indirection", { column: 5 })).toMatch(/on the right/);
  expect(with_("action", { row: blocks[0]!.row, column: blocks[0]!.column })).toMatch(/used twice/);
});

describe("finds what breaks a rule", () => {
  const changed = (uses: readonly ArrayUse[], from: Partial<Block>, to: Partial<Block>, isSplit = false) => {
    const blocks = arranged(uses, isSplit) ?? [];
    expect(wrongInArray(uses, blocks, isSplit)).toEqual([]);
    const at = blocks.findIndex((block) =>
      Object.entries(from).every(([name, value]) => block[name as keyof Block] === value),
    );
    expect(at).toBeGreaterThanOrEqual(0);
    const others = blocks.map((block, i) => (i === at ? { ...block, ...to } : block));
    return wrongInArray(uses, others, isSplit).join("; ");
  };

  it("of map RAMs", () => {
    const uses = [use({ alu: [memory("meter", 9, { name: "m", colours: 2 })] })];
    const blocks = arranged(uses, false)!;
    const alu = blocks.find(({ kind }) => kind === "alu")!;
    const colours = blocks.findIndex(({ kind }) => kind === "colours");
    expect(
      wrongInArray(
        uses,
        blocks.filter((_, i) => i !== colours),
        false,
      ),
    ).toEqual(["colours of m: 1 of 2 blocks"]);
    const { row, column } = alu;
    expect(changed(uses, { kind: "colours" }, { row, column })).toBe(
      `the map RAM of row ${row}, column ${column} is used twice`,
    );
    expect(changed(uses, { kind: "colours" }, { column: 3 })).toMatch(/colours of m have no map RAM/);
    expect(changed(uses, { kind: "colours" }, { home: 5 })).toMatch(/another row than its ALU: 5/);
    expect(changed(uses, { kind: "colours" }, { row: 1 })).toBe("m on row 1 is not in reach of row 7");
    // The map RAM beside a block of entries is free.
    const beside = [entries(1, 50), ...uses];
    const at = arranged(beside, false)!.find(({ kind, column: one }) => kind === "entries" && one >= 4)!;
    expect(changed(beside, { kind: "colours" }, { row: 7, column: at.column })).not.toContain("used twice");
  });

  it("of selectors", () => {
    const chosen = (name: string, depth: number) =>
      use({
        alu: [memory("selector", 2, { name, isDirect: false })],
        action: [{ depth, width: 1, selector: name }],
      });
    const uses = [chosen("s", 3), chosen("t", 30)];
    const blocks = arranged(uses, false)!;
    const homeOf = (name: string) => blocks.find(({ owner }) => owner === name)!.home;
    // The larger one starts first.
    expect([homeOf("t"), homeOf("s")]).toEqual([7, 3]);
    expect(changed(uses, { kind: "action", owner: "0" }, { home: 5 })).toMatch(
      /data of s starts on row 5, and the selector on row 3/,
    );
    expect(changed(uses, { kind: "action", owner: "1" }, { home: 3 })).toMatch(
      /the address of t goes down past row 3, where s starts/,
    );
    const one = [chosen("s", 3)];
    expect(changed(one, { kind: "action" }, { row: 3, home: 3 }, true)).toMatch(
      /data of s starts on row 3, and the selector on row 7/,
    );
    expect(changed(one, { kind: "action" }, { row: 3, home: 3 })).toBe("");
  });
});

describe("what starts on a row", () => {
  const named = (kind: AluMemory["kind"], blocks: number, part: Partial<AluMemory> = {}) =>
    use({ alu: [memory(kind, blocks, part)] });
  const chosen = (blocks: number, depth: number) =>
    use({
      alu: [memory("selector", blocks, { name: "s", isDirect: false })],
      action: [{ depth, width: 1, selector: "s" }],
    });

  it("has room in the rows of its reach beside what goes on, with its colours", () => {
    const meter = named("meter", 27, { colours: 7, isDirect: false });
    expect(fits([meter, entries(1, 33), named("statistics", 14)])).toBe(false);
    expect(fits([meter, entries(1, 33), named("statistics", 8)])).toBe(true);
  });

  it("leaves room for what goes on, down to the last row that the ALU of that reaches", () => {
    expect(fits([named("meter", 4), chosen(5, 21), named("statistics", 34)])).toBe(true);
  });

  it("leaves map RAMs of the row to the colours of a meter that goes on", () => {
    expect(fits([named("meter", 11, { colours: 3 }), named("statistics", 6, { isDirect: false })])).toBe(
      true,
    );
  });

  it("is within its half of the rows with its map RAMs and the data that it chooses, on a chip with two", () => {
    expect(
      fits([named("meter", 6, { name: "m", colours: 2, isDirect: false }), named("meter", 17)], true),
    ).toBe(true);
    expect(
      fits([use({ ...entries(1, 12), ...{ action: chosen(4, 28).action, alu: chosen(4, 28).alu } })], true),
    ).toBe(true);
  });

  it("may be action data that goes on in the other half", () => {
    const meter = named("meter", 31, { colours: 8, isDirect: false });
    expect(fits([meter, use({ action: [{ depth: 38, width: 1 }] })], true)).toBe(true);
  });
});
