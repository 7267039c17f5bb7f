/** The greedy placements of Jose et al. on their own table graphs; the numbers are a rerun of their public code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { placeGreedily } from "../../../src/toolchain/fit/index.js";
import type { GreedyOrder, TableGraph } from "../../../src/toolchain/fit/place/rmt.js";
import { loadTarget } from "./golden.js";

interface GraphFile {
  name: string;
  tables: TableGraph["tables"];
  dependencies: [from: string, to: string, kind: string][];
}

const files = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../golden/fit/rmt-graphs.json"), "utf8"),
) as GraphFile[];
const rmt = loadTarget("rmt");
const ORDERS: readonly GreedyOrder[] = ["ffd", "ffl", "ffls"];

function graphOf(name: string): TableGraph {
  const file = files.find((entry) => entry.name === name)!;
  const index = new Map(file.tables.map((table, i) => [table.name, i]));
  return {
    tables: file.tables,
    dependencies: file.dependencies.map(([from, to, kind]) => ({
      from: index.get(from)!,
      to: index.get(to)!,
      distance: kind === "successor" ? 0 : 1,
    })),
  };
}

describe("greedy placement on RMT", () => {
  // Ranges where the rerun varies with the order of equal tables.
  it.each([
    [
      "L2L3-complex",
      [
        [20, 22],
        [19, 22],
        [19, 22],
      ],
    ],
    [
      "L2L3-simple",
      [
        [22, 22],
        [19, 19],
        [20, 20],
      ],
    ],
    [
      "L2L3-simple with mTag",
      [
        [23, 23],
        [20, 20],
        [21, 21],
      ],
    ],
    [
      "L3 DC",
      [
        [8, 8],
        [8, 8],
        [8, 8],
      ],
    ],
    [
      "small",
      [
        [4, 4],
        [4, 4],
        [4, 4],
      ],
    ],
  ] as const)("needs about as many stages for %s", (name, expected) => {
    for (const [i, order] of ORDERS.entries()) {
      const { stages } = placeGreedily(graphOf(name), rmt, order);
      expect([order, stages >= expected[i]![0] - 2 && stages <= expected[i]![1] + 2, stages]).toEqual([
        order,
        true,
        stages,
      ]);
    }
  });

  it("needs fewer stages with twice the TCAM", () => {
    const more = { ...rmt, tcam: { ...rmt.tcam, blocks: 2 * rmt.tcam.blocks } };
    const stages = (name: string) => ORDERS.map((order) => placeGreedily(graphOf(name), more, order).stages);
    expect(stages("L2L3-simple")).toEqual([13, 10, 12]);
    for (const count of stages("L2L3-complex")) expect(Math.abs(count - 16)).toBeLessThanOrEqual(1);
  });

  it("places every entry, after what it depends on, within every stage", () => {
    for (const file of files) {
      const graph = graphOf(file.name);
      for (const order of ORDERS) {
        const { parts, stages } = placeGreedily(graph, rmt, order);
        for (const [i, table] of graph.tables.entries()) {
          expect(parts[i]!.reduce((sum, part) => sum + part.entries, 0)).toBe(table.entries);
        }
        for (const { from, to, distance } of graph.dependencies) {
          const last = Math.max(0, ...parts[from]!.map((part) => part.stage));
          const first = Math.min(...parts[to]!.map((part) => part.stage));
          expect(first).toBeGreaterThanOrEqual(last + distance);
        }
        for (let stage = 0; stage < stages; stage++) {
          const here = parts.flat().filter((part) => part.stage === stage);
          const sram = here.reduce(
            (sum, part) => sum + part.actionBlocks + (part.memory === "sram" ? part.blocks : 0),
            0,
          );
          const tcam = here.reduce((sum, part) => sum + (part.memory === "tcam" ? part.blocks : 0), 0);
          expect(sram).toBeLessThanOrEqual(106);
          expect(tcam).toBeLessThanOrEqual(16);
        }
      }
    }
  });
});
