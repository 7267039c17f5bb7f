/**
 * The greedy placements of Jose et al. (NSDI'15, section 5) in closed form. RMT has blocks of 1,000 words of 80 bits in SRAM and of
 * 2,000 rows of 40 bits in TCAM, 106 and 16 of them, and a crossbar of eight words of 80 bits for each memory.
 *
 * A part: stage, `s` for SRAM or `t` for TCAM, entries, blocks of match entries `+` blocks of action data.
 */
import { describe, expect, it } from "vitest";
import { type GraphTable, placeGreedily, type Target } from "../../../src/toolchain/fit/index.js";
import type { GreedyOrder } from "../../../src/toolchain/fit/place/rmt.js";
import { loadTarget } from "./golden.js";

const rmt = loadTarget("rmt");
const withBlocks = (sram: number, tcam: number, reserved: number | null = 16): Target => ({
  ...rmt,
  sram: { ...rmt.sram, blocks: sram },
  tcam: { ...rmt.tcam, blocks: tcam },
  action: { ...rmt.action, reserved_ternary_blocks: reserved },
});

const t = (entries: number, width = 80, kind: GraphTable["kind"] = "exact", actionBits = 0): GraphTable => ({
  name: "t",
  entries,
  width,
  kind,
  actionBits,
});
type Edge = readonly [from: number, to: number, distance: number];

function placed(
  order: GreedyOrder,
  tables: readonly GraphTable[],
  edges: readonly Edge[] = [],
  target = rmt,
): string[] {
  const dependencies = edges.map(([from, to, distance]) => ({ from, to, distance }));
  const { parts, stages } = placeGreedily({ tables, dependencies }, target, order);
  expect(stages).toBe(Math.max(0, ...parts.flat().map((part) => part.stage + 1)));
  return parts.map((list) =>
    list
      .map(
        ({ stage, memory, entries, blocks, actionBlocks }) =>
          `${stage}${memory[0]} ${entries} ${blocks}+${actionBlocks}`,
      )
      .join(", "),
  );
}

const nine = <T>(value: T): T[] => Array.from({ length: 9 }, () => value);

describe("each greedy order", () => {
  it.each<[string, GraphTable[], Edge[], Target, string[]]>([
    ["gives a small table one block", [t(1)], [], rmt, ["0s 1 1+0"]],
    ["puts two entries of 40 bits in a word", [t(5120, 40)], [], rmt, ["0s 5120 3+0"]],
    [
      "puts three entries of 64 bits in three words no better than in one each",
      [t(5120, 64)],
      [],
      rmt,
      ["0s 5120 6+0"],
    ],
    [
      "puts six of 120 bits in nine words at best: two in three blocks",
      [t(6000, 120)],
      [],
      rmt,
      ["0s 6000 9+0"],
    ],
    ["adds action data of 40 bits, two in a word", [t(7168, 64, "exact", 40)], [], rmt, ["0s 7168 8+4"]],
    [
      "adds action data of 100 bits, in two blocks each",
      [t(2000, 80, "exact", 100)],
      [],
      rmt,
      ["0s 2000 2+4"],
    ],
    [
      "continues an exact table in TCAM, then in the next stage",
      [t(204_800)],
      [],
      rmt,
      ["0s 106000 106+0, 0t 16000 16+0, 1s 82800 83+0"],
    ],
    [
      "keeps a ternary table in TCAM",
      [t(102_400, 40, "ternary")],
      [],
      rmt,
      ["0t 32000 16+0, 1t 32000 16+0, 2t 32000 16+0, 3t 6400 4+0"],
    ],
    ["keeps an lpm table in TCAM", [t(5000, 41, "lpm")], [], rmt, ["0t 5000 6+0"]],
    [
      "takes the widest of equal tables first",
      [t(1000, 40), t(1000, 80)],
      [],
      withBlocks(1, 2),
      ["0t 1000 1+0", "0s 1000 1+0"],
    ],
    [
      "takes the first of equal tables first",
      [t(1000), t(1000)],
      [],
      withBlocks(1, 2),
      ["0s 1000 1+0", "0t 1000 2+0"],
    ],
    [
      "needs a stage for each match dependency",
      [t(1), t(1), t(1)],
      [
        [0, 1, 1],
        [1, 2, 1],
      ],
      rmt,
      ["0s 1 1+0", "1s 1 1+0", "2s 1 1+0"],
    ],
    ["needs none for a successor", [t(1), t(1)], [[0, 1, 0]], rmt, ["0s 1 1+0", "0s 1 1+0"]],
    [
      "counts from the last stage of a split table",
      [t(130_000), t(1)],
      [[0, 1, 1]],
      rmt,
      ["0s 106000 106+0, 0t 16000 16+0, 1s 8000 8+0", "2s 1 1+0"],
    ],
    [
      "has eight words of crossbar for SRAM, and eight for TCAM",
      nine(t(10)),
      [],
      rmt,
      [...nine("0s 10 1+0").slice(1), "0t 10 2+0"],
    ],
    [
      "has eight words of crossbar for ternary tables",
      nine(t(10, 40, "ternary")),
      [],
      rmt,
      [...nine("0t 10 1+0").slice(1), "1t 10 1+0"],
    ],
    ["places no key that is wider than the crossbar", [t(10, 640), t(10, 641)], [], rmt, ["0s 10 8+0", ""]],
    [
      "places none of two tables that wait for each other",
      [t(1), t(1)],
      [
        [0, 1, 1],
        [1, 0, 1],
      ],
      rmt,
      ["", ""],
    ],
    // Three blocks for the action data of the ternary table, though the exact table comes first.
    [
      "reserves SRAM for ternary tables to come",
      [t(4000), t(5000, 40, "ternary", 30)],
      [],
      withBlocks(4, 16),
      ["0s 1000 1+0, 0t 3000 4+0", "0t 5000 3+3"],
    ],
    [
      "reserves no more than the target says",
      [t(4000), t(5000, 40, "ternary", 30)],
      [],
      withBlocks(4, 16, 1),
      ["0s 3000 3+0, 0t 1000 2+0", "0t 2000 1+1, 1t 3000 2+2"],
    ],
    [
      "reserves nothing where the target says nothing",
      [t(4000), t(5000, 40, "ternary", 30)],
      [],
      withBlocks(4, 16, null),
      ["0s 4000 4+0", "1t 5000 3+3"],
    ],
    [
      "reserves nothing for ternary tables without action data",
      [t(4000), t(5000, 40, "ternary")],
      [],
      withBlocks(4, 16),
      ["0s 4000 4+0", "0t 5000 3+0"],
    ],
    [
      "reserves nothing for exact tables",
      [t(4000), t(10, 40, "exact", 30)],
      [],
      withBlocks(4, 16),
      ["0s 4000 4+0", "1s 10 1+1"],
    ],
  ])("%s", (_, tables, edges, target, expected) => {
    for (const order of ["ffd", "ffl", "ffls"] as const)
      expect([order, ...placed(order, tables, edges, target)]).toEqual([order, ...expected]);
  });
});

describe("the order of tables", () => {
  it("is by the share of the scarcest crossbar for FFD: 700 of 1,280 bits of action data before 640", () => {
    const tables = [t(10, 80, "exact", 640), t(10, 80, "exact", 700), t(10, 80, "exact", 640)];
    expect(placed("ffd", tables)).toEqual(["1s 10 1+8", "0s 10 1+9", "1s 10 1+8"]);
    expect(placed("ffl", tables)).toEqual(["0s 10 1+8", "1s 10 1+9", "0s 10 1+8"]);
    // Four of eight words of a key before a third of the action data.
    expect(placed("ffd", [t(10, 80, "exact", 420), t(10, 320)], [], withBlocks(7, 0))).toEqual([
      "1s 10 1+6",
      "0s 10 4+0",
    ]);
  });

  it("is by the length of the chain for FFL, with the stages that a table fills alone for FFLS", () => {
    // The first table fills three stages of two blocks each; the second one comes before the third.
    const tables = [t(6000), t(2000), t(1000)];
    const edges: Edge[] = [[1, 2, 1]];
    const first = ["0s 2000 2+0, 0t 2000 2+0, 1s 2000 2+0", "1t 2000 2+0", "2s 1000 1+0"];
    expect(placed("ffls", tables, edges, withBlocks(2, 2))).toEqual(first);
    expect(placed("ffd", tables, edges, withBlocks(2, 2))).toEqual(first);
    expect(placed("ffl", tables, edges, withBlocks(2, 2))).toEqual([
      "0t 2000 2+0, 1s 2000 2+0, 1t 2000 2+0",
      "0s 2000 2+0",
      "2s 1000 1+0",
    ]);
  });

  it("counts the weight of all that follows for FFLS", () => {
    // Two small tables before one that fills two stages, against one table of one stage.
    const tables = [t(2000), t(1000), t(1000), t(5000)];
    const edges: Edge[] = [
      [1, 2, 0],
      [2, 3, 1],
    ];
    const [alone, head] = placed("ffls", tables, edges, withBlocks(2, 2));
    expect([alone, head]).toEqual(["0t 2000 2+0", "0s 1000 1+0"]);
  });
});
