import { block, page, script } from "../../block.js";
import { table } from "../../text.js";

/** Stages by a rerun of the mapper of Jose et al., for FFD, FFL and FFLS. */
const MAPPER: Readonly<Record<string, readonly number[]>> = {
  "L2L3-complex": [21, 22, 22],
  "L2L3-simple": [22, 19, 20],
  "L2L3-simple with mTag": [23, 20, 21],
  "L3 DC": [8, 8, 8],
  small: [4, 4, 4],
};

export default page("docs/fit/README.md", {
  greedy: block({
    runs: { stages: script("tools/figures/measure/greedy-stages.ts") },
    pick: { stages: (document): Record<string, number[]> => document },
    inputs: ["data/targets/rmt.yaml", "test/golden/fit/rmt-graphs.json"],
    render: ({ stages }) =>
      table(
        ["table graph", "p4loom", "mapper"],
        Object.entries(MAPPER).map(([graph, theirs]) => [
          graph,
          stages[graph]!.join(" / "),
          theirs.join(" / "),
        ]),
      ),
  }),
});
