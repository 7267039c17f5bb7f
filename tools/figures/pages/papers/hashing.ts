import { block, page, type RunDocument, run } from "../../block.js";
import { fixed, pickKeys } from "../../text.js";

interface SpreadRow {
  readonly scheme: string;
  readonly pods_max_over_min: number;
}

export default page("docs/papers/hashing.md", {
  /** Figure 6: maximum over minimum of the links of the least even pair of server blocks. */
  seeds: block({
    runs: { rows: run("examples/hashing/seeds.yaml") },
    pick: {
      rows: (document: RunDocument): SpreadRow[] =>
        document.rows.map((row: SpreadRow) => pickKeys(row, ["scheme", "pods_max_over_min"])),
    },
    values: ({ rows }) => {
      const shown = (scheme: string) =>
        fixed(rows.find((row) => row.scheme === scheme)!.pods_max_over_min, 2);
      return { stage: shown("by stage"), coprime: shown("coprime"), ideal: shown("ideal") };
    },
  }),
});
