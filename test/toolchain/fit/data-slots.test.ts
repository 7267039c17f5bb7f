/**
 * Slots of action data by the compiler's rules (p4c, backends/tofino/bf-p4c/mau/action_format.cpp and tofino/action_data_bus.cpp): which
 * operands share bits, where they stand, and what they take of the action data bus.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  entryBus,
  entryInputs,
  movedToEntry,
  ramBus,
  ramInputs,
  slotted,
} from "../../../src/toolchain/fit/memory/data-formats.js";
import { type DataOperand, EMPTY } from "../../../src/toolchain/fit/memory/data-operands.js";
import { sectionsOf, slotsOf } from "../../../src/toolchain/fit/memory/data-sections.js";

/** An operand whose bits from `at` up are those of an argument from `from` up; arguments are a thousand numbers apart. */
function operand(
  size: DataOperand["size"],
  { argument = 1, from = 0, at = 0, width = size as number, use = "turned" as DataOperand["use"] } = {},
): DataOperand {
  const bits = Array.from({ length: size }, (_, i) =>
    i >= at && i < at + width ? 1000 * argument + from + i - at : use === "turned" ? EMPTY : 0,
  );
  return use === "masked"
    ? { size, use, bits, mask: bits.map((_, i) => (i >= at && i < at + width ? 1 : 0)) }
    : { size, use, bits };
}

const sizesOf = (...operands: DataOperand[]) => sectionsOf(operands).map(({ bits }) => bits.length);
const usedOf = (...actions: DataOperand[][]) => {
  const lists = actions.map((list) => sectionsOf(list).map(slotted));
  const bytes = Math.max(...lists.map((list) => list.reduce((sum, one) => sum + one.bytes, 0)));
  return ramBus(ramInputs(lists, bytes));
};

describe("sections of action data", () => {
  it("hold two small arguments of containers of one size together, and a half in the free half of a word", () => {
    expect(sizesOf(operand(16, { width: 9 }), operand(16, { argument: 2, width: 7 }))).toEqual([16]);
    expect(sizesOf(operand(16, { width: 9 }), operand(16, { argument: 2, width: 8 }))).toEqual([16, 16]);
    expect(sizesOf(operand(32, { width: 16 }), operand(16, { argument: 2 }))).toEqual([32]);
  });

  it("hold the bits of one argument once, wherever containers have them", () => {
    expect(sizesOf(operand(32), operand(32))).toEqual([32]);
    expect(sizesOf(operand(32), operand(8, { from: 8 }))).toEqual([32]);
    expect(sizesOf(operand(32, { use: "fixed" }), operand(8, { from: 9 }))).toEqual([32, 8]);
  });

  it("keep what cannot be turned apart, and a mask beside its data", () => {
    const fixed = (argument: number) => operand(16, { argument, width: 4, use: "fixed" });
    expect(sizesOf(fixed(1), fixed(2))).toEqual([16, 16]);
    expect(sizesOf(operand(8, { at: 3, width: 2, use: "masked" }))).toEqual([16]);
  });

  it("hold each operand whole, in no more bits than one by one", () => {
    const anyOperand = fc
      .record({
        size: fc.constantFrom<DataOperand["size"][]>(8, 16, 32),
        argument: fc.integer({ min: 1, max: 3 }),
        from: fc.integer({ min: 0, max: 20 }),
        use: fc.constantFrom<DataOperand["use"][]>("turned", "turned", "fixed", "masked"),
        cut: fc.tuple(fc.nat(31), fc.nat(31)),
      })
      .map(({ size, cut: [a, b], ...rest }) => {
        const [at, end] = [Math.min(a, b) % size, Math.max(a, b) % size];
        const low = Math.min(at, end);
        return operand(size, { ...rest, at: low, width: Math.max(at, end) - low + 1 });
      });
    fc.assert(
      fc.property(fc.array(anyOperand, { minLength: 1, maxLength: 6 }), (operands) => {
        const sections = sectionsOf(operands);
        const apart = operands.reduce((sum, { size, mask }) => sum + size + (mask?.length ?? 0), 0);
        expect(sections.reduce((sum, { bits }) => sum + bits.length, 0)).toBeLessThanOrEqual(apart);
        expect(sections.flatMap((section) => section.operands)).toHaveLength(operands.length);
        for (const section of sections)
          for (const { operand: own, byte, bytes } of slotsOf(section)) {
            const slot = section.bits.slice(8 * byte, 8 * (byte + bytes));
            expect(slot).toHaveLength(8 * bytes);
            const wanted = own.bits.filter((bit) => bit !== EMPTY);
            // The bits stand in the slot in their order, around its end where the instruction turns them.
            const turns = own.use === "turned" ? own.size : 1;
            const isThere = Array.from({ length: turns }, (_, by) =>
              own.bits.every((bit, at) => bit === EMPTY || slot[(at + by) % own.size] === bit),
            );
            expect(wanted.length === 0 || isThere.includes(true)).toBe(true);
          }
      }),
    );
  });
});

describe("slots on the action data bus", () => {
  it("of small arguments in one section are one slot; words share the bytes of halves", () => {
    expect(usedOf([operand(16, { width: 9 }), operand(16, { argument: 2, width: 7 })]).used).toBe(2);
    // The half stands in the upper part of the word, which comes to the bus with it.
    expect(usedOf([operand(32, { width: 16 }), operand(16, { argument: 2 })])).toEqual({ used: 4, taken: 4 });
  });

  it("are shared by actions that have a slot of that size in the same bytes", () => {
    expect(usedOf([operand(16)], [operand(16, { argument: 2 })]).used).toBe(2);
    expect(usedOf([operand(16)], [operand(8)]).used).toBe(3);
    expect(usedOf([operand(32)], [operand(16), operand(16, { argument: 2 })]).used).toBe(4);
  });

  it("bring the bytes beside them to the bus, which are taken and not used", () => {
    const bytes = (...list: number[]) => new Set(list);
    expect(ramBus({ 1: bytes(4), 2: bytes(6, 7), 4: bytes() })).toEqual({ used: 3, taken: 6 });
    expect(ramBus({ 1: bytes(0), 2: bytes(), 4: bytes(0, 1, 2, 3) })).toEqual({ used: 5, taken: 6 });
    expect(ramBus({ 1: bytes(2), 2: bytes(), 4: bytes(0, 1, 2, 3) })).toEqual({ used: 4, taken: 4 });
    expect(ramBus({ 1: bytes(), 2: bytes(0, 1), 4: bytes(4, 5, 6, 7) })).toEqual({ used: 6, taken: 8 });
  });

  it("of match entries take a word of their own beside one half", () => {
    const inputs = { 1: new Set<number>(), 2: new Set([2, 3]), 4: new Set([0, 1, 2, 3]) };
    expect(entryBus(inputs).used).toBe(6);
    expect(entryBus({ ...inputs, 2: new Set([0, 1, 2, 3]) }).used).toBe(4);
  });
});

describe("what moves to the match entry", () => {
  const sections = (...operands: DataOperand[]) => operands.flatMap((one) => sectionsOf([one]).map(slotted));

  it("is the fewest bits that leave so many in action RAM, the narrowest slot last", () => {
    const list = sections(operand(16), operand(16, { argument: 2, width: 9 }));
    const moved = movedToEntry(list, 16, 32)!;
    expect(moved.map(({ bits }) => bits)).toEqual([9]);
    expect(entryInputs([movedToEntry(list, 32, 32)!]).bits).toBe(32);
    expect(movedToEntry(list, 0, 32)).toEqual([]);
    expect(movedToEntry(sections(operand(32, { width: 1, at: 3, use: "masked" })), 32, 32)).toBeUndefined();
  });
});
