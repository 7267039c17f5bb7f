/** The heap of keys: numbers come in the order of their keys, whatever was raised between. */
import { expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { KeyHeap } from "../../../../src/fabric/sim/flow/key-heap.js";

it("gives numbers in the order of their keys, more than it had room for at first, and again after it was cleared", () => {
  const random = new Random(1);
  const heap = new KeyHeap();
  for (const size of [0, 1, 2, 5, 3000, 1500]) {
    heap.clear();
    const keys = Array.from({ length: size }, () => random.int(2 * size));
    for (const [item, key] of keys.entries()) heap.add(key, item);
    heap.order();
    for (let left = size; left > 0; ) {
      const least = keys.reduce((min, key) => Math.min(min, key), Number.POSITIVE_INFINITY);
      expect([heap.leastKey, keys[heap.least]]).toEqual([least, least]);
      // The least key is raised, or its number is taken. Most are taken, and large heaps are not emptied one by one.
      if (random.int(4) === 0) {
        keys[heap.least] = least + random.int(20);
        heap.raise(keys[heap.least]!);
      } else {
        keys[heap.least] = Number.POSITIVE_INFINITY;
        heap.pop();
        left--;
      }
      if (left > 0 && left < size - 300) break;
    }
    if (size < 300) expect(heap.leastKey).toBe(Number.POSITIVE_INFINITY);
  }
});
