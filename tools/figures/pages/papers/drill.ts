import { block, page, type RunDocument, run } from "../../block.js";
import { fixed, pickKeys, table } from "../../text.js";

const KEYS = [
  "scheme",
  "size",
  "seeds",
  "slowdown_mean",
  "slowdown_mean_ci95",
  "slowdown_p99",
  "slowdown_p99_ci95",
  "queue_p99_bytes",
  "link_cv",
  "reordered_share",
] as const;
type Row = Readonly<Record<(typeof KEYS)[number], number>>;

const rows = (document: RunDocument): Row[] =>
  document.rows.filter((row: { size: string }) => row.size === "all").map((row: Row) => pickKeys(row, KEYS));

export default page("docs/papers/drill.md", {
  /** Schemes without information from other switches in a symmetric fabric. */
  symmetric: block({
    runs: { all: run("examples/schemes/drill.yaml") },
    pick: { all: rows },
    render: ({ all }) =>
      table(
        [
          "scheme",
          "mean slowdown",
          "p99 slowdown",
          "queue p99, bytes",
          "unevenness of uplinks (CV)",
          "reordered",
        ],
        all.map((row) => [
          String(row.scheme),
          `${fixed(row.slowdown_mean, 2)} ± ${fixed(row.slowdown_mean_ci95, 2)}`,
          `${fixed(row.slowdown_p99, 1)} ± ${fixed(row.slowdown_p99_ci95, 1)}`,
          fixed(row.queue_p99_bytes),
          fixed(row.link_cv, 3),
          `${fixed(100 * row.reordered_share, 2)} %`,
        ]),
      ),
  }),
});
