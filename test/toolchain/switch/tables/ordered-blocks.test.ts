/** Items in order, in blocks: what comes before an item, as in a sorted list. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { OrderedBlocks } from "../../../../src/toolchain/switch/tables/ordered-blocks.js";

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

it("gives what a sorted list gives, after any inserts and removals, in blocks that are neither empty nor too long", () => {
  const sizes = fc.constantFrom(2, 3, 8);
  fc.assert(
    fc.property(sizes, fc.array(fc.nat(60), { maxLength: 120, size: "max" }), (most, items) => {
      const blocks = new OrderedBlocks<number>((a, b) => a < b, most);
      const list: number[] = [];
      for (const item of items) {
        play(blocks, list, item);
        expect(blocks.blocks.flat()).toEqual(list);
        expect(blocks.blocks.every(({ length }) => length > 0 && length <= most)).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

it("has blocks of 512 items at most", () => {
  const blocks = new OrderedBlocks<number>((a, b) => a < b);
  const lengths = () => blocks.blocks.map(({ length }) => length);
  for (let i = 0; i < 512; i++) blocks.insert(i);
  expect(lengths()).toEqual([512]);
  blocks.insert(512);
  expect(lengths()).toEqual([256, 257]);
});

it("is empty after all items are removed, in any order", () => {
  const blocks = new OrderedBlocks<number>((a, b) => a < b, 8);
  const list: number[] = [];
  for (let i = 0; i < 2 * 150; i++) play(blocks, list, (i * 7) % 150);
  expect(blocks.blocks).toEqual([]);
});
