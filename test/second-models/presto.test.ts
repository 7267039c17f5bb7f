/** Presto's reassembly against a model that follows the paper's words: drawn orders of arrival, cells that stay in order on their paths, losses. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Segment } from "../../src/base/packets/index.js";
import { Reassembly } from "../../src/fabric/sim/packet/transport/reassembly.js";
import { passedOn } from "../models/presto.js";

const CELL = 4;

/** What TCP gets of segments of one byte at these positions; all at one time. */
function played(arrivals: readonly number[]): number[] {
  const reassembly = new Reassembly({ cellBytes: CELL, holdNs: 1000 });
  const passed: number[] = [];
  let next = 0;
  const pass = (position: number) => {
    passed.push(position);
    while (passed.includes(next)) next++;
  };
  for (const position of arrivals) {
    const segment = new Segment();
    segment.sequence = position;
    if (reassembly.holds(segment, 0, position, next, 0)) continue;
    pass(position);
    for (let held = reassembly.release(next, 0); held !== undefined; held = reassembly.release(next, 0))
      pass(held.segment.sequence);
  }
  return passed;
}

/** Cells in order on paths that are drawn: an interleaving in which the segments of a cell stay in order, without those that are lost. */
const arrivals = fc
  .record({
    cells: fc.integer({ min: 1, max: 6 }),
    turns: fc.array(fc.nat(5), { minLength: 24, maxLength: 24 }),
    lost: fc.uniqueArray(fc.nat(23), { maxLength: 3 }),
  })
  .map(({ cells, turns, lost }) => {
    const left = Array.from({ length: cells }, (_, cell) =>
      Array.from({ length: CELL }, (_, i) => cell * CELL + i),
    );
    const order: number[] = [];
    for (let i = 0; left.some((own) => own.length > 0); i++) {
      const open = left.filter((own) => own.length > 0);
      order.push(open[turns[i % turns.length]! % open.length]!.shift()!);
    }
    return {
      order: order.filter((position) => !lost.includes(position)),
      isWhole: !order.some((one) => lost.includes(one)),
    };
  });

describe("the reassembly", () => {
  it("passes on what the model passes on, in its order", () => {
    fc.assert(
      fc.property(arrivals, ({ order }) => {
        expect(played(order)).toEqual(passedOn(order, CELL));
      }),
      { numRuns: 500 },
    );
  });

  it("without a loss TCP gets everything in order", () => {
    fc.assert(
      fc.property(arrivals, ({ order, isWhole }) => {
        fc.pre(isWhole);
        expect(played(order)).toEqual([...order].sort((a, b) => a - b));
      }),
      { numRuns: 300 },
    );
  });
});
