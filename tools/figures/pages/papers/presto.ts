import { block, page, type RunDocument } from "../../block.js";
import { silentFailure } from "../../failover.js";
import { differences, meanOf, pairedOf, pairedRun, seedsOf } from "../../paired.js";
import { fixed, percent, pickKeys, table } from "../../text.js";

const RATE = "topology.links.0.rate";
const KEYS = [
  "scheme",
  "seeds",
  "load",
  "slowdown_mean",
  "slowdown_mean_ci95",
  "reordered_share",
  RATE,
] as const;
type Row = Readonly<Record<(typeof KEYS)[number], number>>;
const SCHEMES = ["ecmp", "letflow", "conga", "drill", "presto", "presto-plain"] as const;

const HEADINGS = ["ECMP", "LetFlow", "CONGA", "DRILL", "Presto", "plain"] as const;

const rows = (document: RunDocument): Row[] =>
  document.rows.filter((row: { size: string }) => row.size === "all").map((row: Row) => pickKeys(row, KEYS));

const isEqual = (row: Row) => String(row[RATE]) === "1Gbps";
const loadOf = (all: readonly Row[], equal: boolean): number =>
  Math.max(...all.filter((row) => isEqual(row) === equal).map(({ load }) => load));

function rowOf(all: readonly Row[], equal: boolean, load: number, scheme: string): Row {
  const found = all.find(
    (row) => isEqual(row) === equal && row.load === load && String(row.scheme) === scheme,
  );
  if (found === undefined) throw new Error(`no row of ${scheme} at ${load}`);
  return found;
}

export default page("docs/papers/presto.md", {
  /** Means of slowdowns with equal links and with a slow one. */
  rivals: block({
    runs: {
      all: pairedRun("examples/compare/presto.yaml"),
      paired: pairedRun("examples/compare/presto.yaml"),
    },
    pick: { all: rows, paired: pairedOf },
    render: ({ all, paired }) => {
      const networks = [true, false].map((equal) => {
        const load = loadOf(all, equal);
        return { equal, load, cells: [equal ? "equal" : "a slow one", percent(load, 0)] };
      });
      const headed = SCHEMES.map((scheme, i) => [scheme, HEADINGS[i]!] as const);
      return [
        ...table(
          ["links", "load", ...HEADINGS],
          networks.map(({ equal, load, cells }) => [
            ...cells,
            ...SCHEMES.map((scheme) => {
              const row = rowOf(all, equal, load, scheme);
              return meanOf(row.slowdown_mean, row.slowdown_mean_ci95);
            }),
          ]),
        ),
        "",
        "Difference from Presto in pairs of one seed:",
        "",
        ...differences(
          paired,
          ["links", "load"],
          networks.map(({ cells }) => cells),
          headed.filter(([scheme]) => scheme !== "presto"),
        ),
      ];
    },
    values: ({ all }) => {
      const mean = (equal: boolean, scheme: string) =>
        rowOf(all, equal, loadOf(all, equal), scheme).slowdown_mean;
      const times = (value: number) => `${fixed(value, 2)} times`;
      const ratio = (scheme: string) => times(mean(true, scheme) / mean(true, "presto"));
      const share = (scheme: string) =>
        percent(rowOf(all, true, loadOf(all, true), scheme).reordered_share, 2);
      return {
        seeds: seedsOf(all),
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
