/** Flows that an ideal function spreads over equal ports, and what the kind `spread` calls chance, against balls in bins. */
import { describe, expect, it } from "vitest";
import { Random } from "../../src/base/index.js";
import { coefficientOfVariation } from "../../src/fabric/statistics/index.js";
import { hashNamed } from "../../src/toolchain/hash/index.js";
import { rowsOf } from "../fabric/experiment/kinds/spread-rows.js";
import { expectedLargest, expectedSquaredVariation, expectedUsed, noCollision } from "../models/bins.js";
import { toNumber } from "../models/fraction.js";

const ROUNDS = 4000;

/** Mean of the rounds with its standard error. */
function meanOf(samples: readonly number[]): { mean: number; error: number } {
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const squares = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (samples.length - 1);
  return { mean, error: Math.sqrt(squares / samples.length) };
}

describe("flows by an ideal function", () => {
  const ideal = hashNamed("random")!;

  it.each([
    [4, 4],
    [16, 4],
    [8, 8],
    [10, 3],
  ])("are as balls in bins: %i flows, %i ports", (flows, ports) => {
    const random = new Random(`${flows} ${ports}`);
    const rounds = Array.from({ length: ROUNDS }, () => {
      const hash = ideal.make(random.uint32());
      const counts = new Array<number>(ports).fill(0);
      for (let flow = 0; flow < flows; flow++)
        counts[hash(Uint8Array.from({ length: 13 }, () => random.int(256))) % ports]!++;
      return counts;
    });
    const expected = {
      largest: toNumber(expectedLargest(flows, ports)),
      used: toNumber(expectedUsed(flows, ports)),
      alone: toNumber(noCollision(flows, ports)),
      variation: toNumber(expectedSquaredVariation(flows, ports)),
    };
    const found = {
      largest: meanOf(rounds.map((counts) => Math.max(...counts))),
      used: meanOf(rounds.map((counts) => counts.filter((count) => count > 0).length)),
      alone: meanOf(rounds.map((counts) => (Math.max(...counts) <= 1 ? 1 : 0))),
      variation: meanOf(rounds.map((counts) => coefficientOfVariation(counts)! ** 2)),
    };
    for (const key of ["largest", "used", "alone", "variation"] as const) {
      const { mean, error } = found[key];
      expect([key, Math.abs(mean - expected[key]) <= 4.5 * error + 1e-9]).toEqual([key, true]);
    }
  });

  it("have the chance that `spread` prints, of any number of ports and flows", async () => {
    for (const [leaves, flows] of [
      [8, 40_000],
      [5, 10_000],
    ] as const) {
      const [row] =
        await rowsOf(`topology: { kind: leaf_spine, tors: 2, leaves: ${leaves}, homing: single, hosts_per_rack: 16 }
trace_flows: ${flows}
pattern: inter_rack
schemes: [{ scheme: hashing, design: one, chip: ideal, seeds: switch }]
`);
      // The flows of both racks are as many, but for the draw of their sources.
      const chance = Math.sqrt(toNumber(expectedSquaredVariation(flows / 2, leaves)));
      expect(Math.abs((row!["chance_p50"] as number) / chance - 1)).toBeLessThan(0.03);
      expect(row!["cv_max"] as number).toBeLessThan(3 * chance);
    }
  });
});
