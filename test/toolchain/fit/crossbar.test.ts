/** The exact crossbar with its hash matrix, and the instruction memory, by small cases that follow from how they are made. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { defined } from "../../../src/base/index.js";
import { findReasons, fitProgram, QUICK } from "../../../src/toolchain/fit/index.js";
import type { Operand } from "../../../src/toolchain/fit/place/alu-operands.js";
import { type CrossbarUse, ExactCrossbar } from "../../../src/toolchain/fit/place/crossbar.js";
import type { CrossbarByte } from "../../../src/toolchain/fit/place/crossbar-groups.js";
import { CrossbarStates, usesOf } from "../../../src/toolchain/fit/place/crossbar-states.js";
import { InstructionMemory } from "../../../src/toolchain/fit/place/instructions.js";
import { compileText, loadTarget } from "./golden.js";
import { randomProgram } from "./programs.js";

const tofino = { firstAluByte: 8, functions: 8, columns: 52 };
const bytes = (name: string, count: number): CrossbarByte[] =>
  Array.from({ length: count }, (_, i) => ({ name: `${name}:${i}`, align: 1, phase: 0 }));
const match = (name: string, count: number, ways = 4, select = 0): CrossbarUse => ({
  kind: "match",
  bytes: bytes(name, count),
  ways,
  select,
});
const gateway = (name: string, count: number, bits = 0): CrossbarUse => ({
  kind: "gateway",
  bytes: bytes(name, count),
  bits,
  groups: 1,
});
const distribution = (key: string, count: number, bits: number): CrossbarUse => ({
  kind: "distribution",
  key,
  bytes: bytes(key, count),
  bits,
});
const placed = (...uses: CrossbarUse[]) => {
  const crossbar = new ExactCrossbar(tofino);
  const fits = uses.map((use) => crossbar.place([use]));
  return { fits: fits.every((is) => is), crossbar };
};

describe("the exact crossbar", () => {
  it("has a byte once for a match and a condition, and twice for two matches that take all line addresses", () => {
    expect(placed(match("a", 4), gateway("a", 4)).crossbar.bytes).toBe(4);
    expect(placed(match("a", 4), match("a", 4)).crossbar.bytes).toBe(8);
    // One way each: the second one takes the next line address of the same half.
    expect(placed(match("a", 4, 1), match("a", 4, 1)).crossbar).toMatchObject({ bytes: 4, hashBits: 20 });
  });

  it("holds eight tables of four ways: each takes a hash function", () => {
    const tables = (count: number) => Array.from({ length: count }, (_, i) => match(`t${i}`, 4));
    expect(placed(...tables(8))).toMatchObject({ fits: true, crossbar: { hashBits: 320, bytes: 32 } });
    expect(placed(...tables(9)).fits).toBe(false);
  });

  it("keeps the bytes of a large container in their order", () => {
    const word = (name: string): CrossbarByte[] =>
      Array.from({ length: 4 }, (_, phase) => ({ name: `${name}:${phase}`, align: 4 as const, phase }));
    const lowest = (count: number) =>
      Array.from({ length: count }, (_, i): CrossbarByte => word(`w${i}`)[0]!);
    // A group has four places for the lowest byte of a container of 32 bits, the crossbar 32.
    const gateways = (count: number): CrossbarUse => ({
      kind: "gateway",
      bytes: lowest(count),
      bits: 0,
      groups: 1,
    });
    expect([placed(gateways(4)).fits, placed(gateways(5)).fits]).toEqual([true, false]);
  });

  it("shares a unit of hash distribution between equal hashes, and keeps its halves apart from matches", () => {
    const { crossbar, fits } = placed(distribution("x", 2, 16), distribution("x", 2, 16), match("x", 2));
    expect([fits, crossbar.units, crossbar.bytes, crossbar.hashBits]).toEqual([true, 1, 4, 56]);
    const units = (count: number) => Array.from({ length: count }, (_, i) => distribution(`d${i}`, 2, 16));
    expect([placed(...units(6)).fits, placed(...units(7)).fits]).toEqual([true, false]);
  });

  it("gives an ALU its operands in the upper half of a group, or through the matrix where they stand elsewhere", () => {
    const alu = (memory: string, isAlone: boolean): CrossbarUse => ({
      kind: "alu",
      memory,
      operands: [{ bytes: bytes(memory, 4), bits: 32, isAlone }],
      width: 4,
    });
    expect(placed(alu("r", true)).crossbar).toMatchObject({ bytes: 4, hashBits: 0 });
    expect(placed(alu("r", false)).crossbar).toMatchObject({ bytes: 4, hashBits: 32 });
    expect(placed(alu("r", true), alu("r", true)).crossbar.bytes).toBe(4);
    expect(placed(...Array.from({ length: 8 }, (_, i) => alu(`r${i}`, true))).fits).toBe(true);
  });

  it("gives an ALU two operands in the order that their bytes admit", () => {
    const operand = (name: string, phase: number): Operand => ({
      bytes: [{ name, align: 4, phase }],
      bits: 8,
      isAlone: true,
    });
    const alu = (width: number, ...operands: Operand[]): CrossbarUse => ({
      kind: "alu",
      memory: "r",
      operands,
      width,
    });
    // An ALU of 16 bits takes its second operand two bytes after the first.
    expect(placed(alu(2, operand("a", 2), operand("b", 0))).crossbar.hashBits).toBe(0);
    expect(placed(alu(2, operand("a", 2))).crossbar.hashBits).toBe(0);
    expect(placed(alu(2, operand("a", 0), operand("b", 0))).crossbar.hashBits).toBe(16);
    expect(placed(alu(2, operand("a", 1))).crossbar.hashBits).toBe(8);
    expect(placed(alu(4, operand("a", 2))).crossbar.hashBits).toBe(8);
    // The second operand takes the places that are the only ones for the first: they go through the matrix.
    const free: Operand = { bytes: bytes("free", 2), bits: 16, isAlone: true };
    const low: Operand = {
      bytes: [0, 1].map((phase) => ({ name: `low:${phase}`, align: 4, phase })),
      bits: 16,
      isAlone: true,
    };
    const high: Operand = { ...low, bytes: low.bytes.map((byte) => ({ ...byte, phase: byte.phase + 2 })) };
    for (const pair of [
      [low, free],
      [free, low],
    ])
      expect(placed(alu(2, ...pair)).crossbar.hashBits).toBe(32);
    expect(placed(alu(2, high, free)).crossbar.hashBits).toBe(0);
    expect(placed(alu(2, free, high)).crossbar.hashBits).toBe(0);
    // An operand that is wider than the ALU keeps all of its bytes.
    const word = [0, 1, 2, 3].map((phase) => ({ name: `w${phase}`, align: 4 as const, phase }));
    const other: Operand = { bytes: [{ name: "b", align: 1, phase: 0 }], bits: 8, isAlone: true };
    const wide = alu(1, { bytes: word, bits: 32, isAlone: true }, other);
    expect(placed(wide).crossbar.bytes).toBe(5);
  });

  it("gives a condition bits of the matrix for what it compares by order", () => {
    expect(placed(gateway("a", 2, 12)).crossbar.hashBits).toBe(12);
    expect(placed(gateway("a", 2, 12), gateway("b", 2, 12)).crossbar.hashBits).toBe(24);
  });

  it("leaves a copy as it was", () => {
    const first = new ExactCrossbar(tofino);
    const copy = first.copy();
    expect(copy.place([match("a", 4)])).toBe(true);
    expect([first.bytes, first.hashBits, copy.bytes]).toEqual([0, 0, 4]);
  });
});

describe("the instruction memory", () => {
  const rows = (...tables: [gress: "ingress" | "egress", actions: number[][]][]) => {
    const memory = new InstructionMemory(2);
    for (const [gress, actions] of tables) memory.add({ gress, actions });
    return memory.rows;
  };

  it("has the instruction that does nothing once for all tables, and a row for each further one of a table", () => {
    expect(rows()).toBe(0);
    expect(rows(["ingress", [[]]], ["ingress", [[]]])).toBe(1);
    expect(rows(["ingress", [[], []]])).toBe(1);
    expect(rows(["ingress", [[], [], []]])).toBe(2);
  });

  it("puts two instructions of different containers in a row", () => {
    // Row 0 has one place beside the instruction that does nothing.
    expect(rows(["ingress", [[1]]])).toBe(1);
    expect(rows(["ingress", [[1], [2], [3]]])).toBe(2);
    expect(rows(["ingress", [[1], [1], [1]]])).toBe(3);
  });

  it("says how many rows there would be, and stays as it is", () => {
    const action = fc.uniqueArray(fc.nat(5), { maxLength: 3 });
    const table = fc.record({
      gress: fc.constantFrom("ingress" as const, "egress" as const),
      actions: fc.array(action, { maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(table, { maxLength: 6 }), fc.constantFrom(1, 2), (tables, colours) => {
        const memory = new InstructionMemory(colours);
        for (const one of tables) {
          const before = memory.rows;
          const expected = memory.rowsWith(one);
          expect(memory.rows).toBe(before);
          memory.add(one);
          expect(memory.rows).toBe(expected);
          // Each action but one that does nothing has a place of its own; no row has more places than colours.
          const places = one.actions.filter((writes) => writes.length > 0).length;
          expect(expected * colours).toBeGreaterThanOrEqual(places);
        }
      }),
    );
  });

  it("has rows of each gress", () => {
    expect(rows(["ingress", [[1], [1]]], ["egress", [[1]]])).toBe(2);
  });
});

describe("crossbars as values", () => {
  const states = new CrossbarStates();
  const start = defined(states.empty(loadTarget("tofino")));
  const use = fc.oneof(
    fc
      .record({ table: fc.integer({ min: 0, max: 5 }), count: fc.integer({ min: 1, max: 20 }) })
      .map(({ table, count }) => match(`t${table}`, count)),
    fc.integer({ min: 0, max: 9 }).map((table) => gateway(`t${table}`, 3, 2)),
    fc.integer({ min: 0, max: 9 }).map((table) => distribution(`t${table}`, 4, 16)),
    // More bytes than a group has: no place for a gateway of one group.
    fc.integer({ min: 17, max: 20 }).map((count) => gateway("wide", count)),
  );
  const seen = ({ bytes, hashBits, units }: ExactCrossbar) => ({ bytes, hashBits, units });

  it("hold what a crossbar does that is filled in place, and stay as they are when others are made of them", () => {
    fc.assert(
      fc.property(fc.array(use, { maxLength: 14 }), (uses) => {
        let value = start;
        let filled = start.copy();
        for (const one of uses) {
          const before = seen(value);
          const next = states.with(value, usesOf([one]));
          const trial = filled.copy();
          expect(next !== undefined).toBe(trial.place([one]));
          expect(seen(value)).toEqual(before);
          if (next === undefined) continue;
          expect(seen(next)).toEqual(seen(trial));
          value = next;
          filled = trial;
        }
        expect(seen(start)).toEqual({ bytes: 0, hashBits: 0, units: 0 });
      }),
    );
  });

  it("are worked out once for equal uses in equal order, those without room, too", () => {
    const fill = () => {
      let at: ExactCrossbar | undefined = start;
      for (let i = 0; i < 8; i++) at = states.with(defined(at), usesOf([match(`once${i}`, 4)]));
      return [at, states.with(defined(at), usesOf([match("once8", 4)]))];
    };
    const first = fill();
    expect(first[1]).toBeUndefined();
    const place = vi.spyOn(ExactCrossbar.prototype, "place");
    expect(fill()[0]).toBe(first[0]);
    expect(place).not.toHaveBeenCalled();
    place.mockRestore();
  });

  it("begin with what the target states: nothing without hash functions or the byte of an ALU, 52 columns where it states none", () => {
    const chip = loadTarget("tofino");
    const stating = (change: Partial<typeof chip.per_stage>) =>
      new CrossbarStates().empty({ ...chip, per_stage: { ...chip.per_stage, ...change } });
    expect(stating({ hash_groups: null })).toBeUndefined();
    expect(stating({ alu_crossbar_byte: null })).toBeUndefined();
    const eight = Array.from({ length: 8 }, (_, i) => match(`t${i}`, 4));
    // Four line addresses of ten bits a function: 40 columns and 12 single bits.
    expect(stating({ hash_group_bits: null })!.place(eight)).toBe(true);
    expect(stating({ hash_group_bits: null })!.shape).toMatchObject({ columns: 52, functions: 8 });
    // One object for a fit, whose explanation asks for other targets, too.
    const both = new CrossbarStates();
    const fewer = { ...chip, per_stage: { ...chip.per_stage, hash_groups: 4 } };
    expect([chip, fewer, chip].map((one) => both.empty(one)?.shape.functions)).toEqual([8, 4, 8]);
    expect(both.empty(chip)).toBe(both.empty(chip));
  });

  it("know a use without room once, too, also one that columns do not decide", () => {
    const own = new CrossbarStates();
    const wide = usesOf([gateway("wide", 17)]);
    expect(own.with(start, wide)).toBeUndefined();
    const place = vi.spyOn(ExactCrossbar.prototype, "place");
    expect(own.with(start, wide)).toBeUndefined();
    expect(place).not.toHaveBeenCalled();
    place.mockRestore();
  });

  it("are forgotten past 20,000 of them, and kept from there on", () => {
    const own = new CrossbarStates();
    const ask = (from: number, to = from) => {
      const place = vi.spyOn(ExactCrossbar.prototype, "place");
      for (let i = from; i <= to; i++) own.with(start, usesOf([gateway(`c${i}`, 1)]));
      const { length } = place.mock.calls;
      place.mockRestore();
      return length;
    };
    expect(ask(1, 20_000)).toBe(20_000);
    expect(ask(1)).toBe(0);
    expect(ask(20_001)).toBe(1);
    expect([ask(1), ask(2), ask(1), ask(2), ask(20_001)]).toEqual([1, 1, 0, 0, 0]);
  });

  it("are without columns for a key only where it has no place, and where all functions are full", () => {
    const key = fc
      .record({
        table: fc.integer({ min: 0, max: 30 }),
        count: fc.integer({ min: 1, max: 20 }),
        ways: fc.integer({ min: 1, max: 6 }),
        select: fc.integer({ min: 0, max: 4 }),
      })
      .map(({ table, count, ways, select }) => match(`t${table}`, count, ways, select));
    fc.assert(
      fc.property(fc.array(fc.oneof(use, key), { maxLength: 20 }), key, (uses, last) => {
        const crossbar = start.copy();
        for (const one of uses) {
          const trial = crossbar.copy();
          if (trial.place([one])) crossbar.place([one]);
        }
        if (crossbar.lacksColumns([last])) expect(crossbar.copy().place([last])).toBe(false);
      }),
    );
    const full = start.copy();
    for (let i = 0; i < 8; i++) {
      expect(full.lacksColumns([match("next", 4)])).toBe(false);
      full.place([match(`full${i}`, 4)]);
    }
    expect(full.lacksColumns([match("next", 4)])).toBe(true);
    expect(full.lacksColumns([gateway("next", 4)])).toBe(false);
  });

  it("bound the work of a program of many small tables that does not fit", async () => {
    const tables = Array.from({ length: 20 }, (_, i) => {
      return { key: -1, writes: i, ternary: false, size: 64, guarded: false };
    });
    const { program } = compileText(randomProgram(tables));
    const place = vi.spyOn(ExactCrossbar.prototype, "place");
    const result = fitProgram(defined(program), { ...loadTarget("tofino"), stages: 1 });
    expect(result.verdict).not.toBe("placed");
    expect(await findReasons(result, QUICK)).not.toEqual([]);
    // Without them: more than 70,000.
    expect(place.mock.calls.length).toBeLessThan(15_000);
    place.mockRestore();
  });
});
