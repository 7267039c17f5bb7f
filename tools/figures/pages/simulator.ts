import { block, page, script } from "../block.js";
import { significant, table } from "../text.js";

interface Row {
  readonly size: string;
  readonly flows: number;
  /** In the order of the columns. */
  readonly p50: readonly number[];
  readonly p99: readonly number[];
}

export default page("docs/simulator.md", {
  fatTree: block({
    runs: { rows: script("tools/figures/measure/fat-tree-times.ts") },
    pick: { rows: (document): readonly Row[] => document },
    // ns-3 is not installed where CI runs.
    slow: true,
    render: ({ rows }) =>
      table(
        [
          "size (flows)",
          "figure",
          "p4loom",
          "ns-3, first in first out",
          "ns-3, in turn",
          "ns-3, seed 1",
          "ns-3, seed 2",
        ],
        rows.flatMap(({ size, flows, p50, p99 }) => [
          [`${size} (${flows})`, "p50", ...p50.map((ms) => significant(ms))],
          [`${size} (${flows})`, "p99", ...p99.map((ms) => significant(ms))],
        ]),
      ),
  }),
});
