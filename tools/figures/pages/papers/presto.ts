import { block, page, type RunDocument, run } from "../../block.js";
import { silentFailure } from "../../failover.js";
import { fixed, percent, pickKeys, table } from "../../text.js";

const RATE = "topology.links.0.rate";
const KEYS = ["scheme", "load", "slowdown_mean", "slowdown_mean_ci95", "reordered_share", RATE] as const;
type Row = Readonly<Record<(typeof KEYS)[number], number>>;
const SCHEMES = ["ecmp", "letflow", "conga", "drill", "presto", "presto-plain"] as const;

const rows = (document: RunDocument): Row[] =>
  document.rows.filter((row: { size: string }) => row.size === "all").map((row: Row) => pickKeys(row, KEYS));

function rowOf(all: readonly Row[], equal: boolean, load: number, scheme: string): Row {
  const found = all.find(
    (row) => (String(row[RATE]) === "1Gbps") === equal && row.load === load && String(row.scheme) === scheme,
  );
  if (found === undefined) throw new Error(`no row of ${scheme} at ${load}`);
  return found;
}

export default page("docs/papers/presto.md", {
  /** Means of slowdowns with equal links and with a slow one. */
  rivals: block({
    runs: { all: run("examples/compare/presto.yaml") },
    pick: { all: rows },
    render: ({ all }) =>
      table(
        ["links", "load", "ECMP", "LetFlow", "CONGA", "DRILL", "Presto", "plain"],
        [true, false].flatMap((equal) =>
          [...new Set(all.map(({ load }) => load))].map((load) => [
            equal ? "equal" : "a slow one",
            percent(load, 0),
            ...SCHEMES.map((scheme) => {
              const row = rowOf(all, equal, load, scheme);
              return `${fixed(row.slowdown_mean, 2)} ± ${fixed(row.slowdown_mean_ci95, 2)}`;
            }),
          ]),
        ),
      ),
    values: ({ all }) => {
      const load = Math.max(...all.map((row) => row.load));
      const mean = (equal: boolean, scheme: string) => rowOf(all, equal, load, scheme).slowdown_mean;
      const times = (value: number) => `${fixed(value, 2)} times`;
      const ratio = (scheme: string) => times(mean(true, scheme) / mean(true, "presto"));
      const share = (scheme: string) => percent(rowOf(all, true, load, scheme).reordered_share, 2);
      return {
        ecmp: ratio("ecmp"),
        conga: ratio("conga"),
        drill: ratio("drill"),
        plain: ratio("presto-plain"),
        slow: times(mean(false, "presto") / mean(false, "conga")),
        reordered: `${share("presto")} under Presto, ${share("presto-plain")} without reassembly, ${share("drill")} under DRILL`,
      };
    },
    slow: true,
  }),
  silent: silentFailure("examples/compare/presto-failover.yaml"),
});
