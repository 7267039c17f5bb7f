/** Items in order, in blocks: what comes before an item, as in a sorted list. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { OrderedBlocks } from "../../../src/switch/tables/ordered-blocks.js";

/** Adds and removes in `blocks` and in a sorted list, and compares what each returns. */
function play(blocks: OrderedBlocks<number>, list: number[], item: number): void {
  const at = list.findIndex((other) => other >= item);
  const place = at < 0 ? list.length : at;
  if (list[place] === item) {
    expect(blocks.remove(item)).toBe(list[place - 1]);
    list.splice(place, 1);
  } else {
    expect(blocks.insert(item)).toBe(list[place - 1]);
    list.splice(place, 0, item);
  }
}

it("gives what a sorted list gives, after any inserts and removals", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2000 }), fc.array(fc.nat(2000)), (first, items) => {
      const blocks = new OrderedBlocks<number>((a, b) => a < b);
      const list: number[] = [];
      for (let i = 0; i < first; i++) play(blocks, list, (i * 1117) % 2001);
      for (const item of items) play(blocks, list, item);
      expect(blocks.blocks.flat()).toEqual(list);
      expect(blocks.blocks.every(({ length }) => length > 0 && length <= 512)).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it("is empty after all items are removed, in any order", () => {
  const blocks = new OrderedBlocks<number>((a, b) => a < b);
  const list: number[] = [];
  for (let i = 0; i < 2 * 1500; i++) play(blocks, list, (i * 7) % 1500);
  expect(blocks.blocks).toEqual([]);
});
