import { block, page, type RunDocument, run } from "../../block.js";
import { silentFailure } from "../../failover.js";
import { differenceOf, differences, pairedOf, pairedRun, seedsOf } from "../../paired.js";
import { fixed, percent, pickKeys, table } from "../../text.js";

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

const RATE = "topology.links.0.rate";
const HEADINGS = ["ECMP", "LetFlow", "CONGA", "random", "DRILL(2, 1)", "without components"] as const;
const SCHEMES = ["ecmp", "letflow", "conga", "random", "drill", "drill-whole"] as const;
interface Point extends Row {
  readonly load: number;
  readonly [RATE]: string;
}
const points = (document: RunDocument): Point[] =>
  document.rows
    .filter((row: { size: string }) => row.size === "all")
    .map((row: Point) => pickKeys(row, [...KEYS, "load", RATE]));
const isEqual = (row: Point) => row[RATE] === "1Gbps";
const loadsOf = (all: readonly Point[], equal: boolean): number[] => [
  ...new Set(all.filter((row) => isEqual(row) === equal).map(({ load }) => load)),
];

function pointOf(all: readonly Point[], equal: boolean, load: number, scheme: string): Point {
  const found = all.find(
    (row) => isEqual(row) === equal && row.load === load && String(row.scheme) === scheme,
  );
  if (found === undefined) throw new Error(`no row of ${scheme} at ${load}`);
  return found;
}

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
  /** Means of slowdowns with equal links and with a slow one. */
  rivals: block({
    runs: {
      all: pairedRun("examples/compare/drill.yaml"),
      paired: pairedRun("examples/compare/drill.yaml"),
    },
    pick: { all: points, paired: pairedOf },
    render: ({ all, paired }) => {
      const networks = [true, false].flatMap((equal) =>
        loadsOf(all, equal).map((load) => ({
          equal,
          load,
          cells: [equal ? "equal" : "a slow one", percent(load, 0)],
        })),
      );
      const others = SCHEMES.map((scheme, i) => [scheme, HEADINGS[i]!] as const);
      return [
        ...table(
          ["links", "load", ...HEADINGS],
          networks.map(({ equal, load, cells }) => [
            ...cells,
            ...SCHEMES.map((scheme) => {
              const row = pointOf(all, equal, load, scheme);
              return `${fixed(row.slowdown_mean, 2)} ± ${fixed(row.slowdown_mean_ci95, 2)}`;
            }),
          ]),
        ),
        "",
        "Difference from DRILL(2, 1) in pairs of one seed:",
        "",
        ...differences(
          paired,
          ["links", "load"],
          networks.map(({ cells }) => cells),
          others.filter(([scheme]) => scheme !== "drill"),
        ),
      ];
    },
    values: ({ all, paired }) => {
      const ratio = (equal: boolean, other: string, against = "drill") => {
        const load = Math.max(...loadsOf(all, equal));
        return `${fixed(pointOf(all, equal, load, other).slowdown_mean / pointOf(all, equal, load, against).slowdown_mean, 2)} times`;
      };
      return {
        seeds: seedsOf(all),
        congaHigh: differenceOf(paired, 1, "conga"),
        conga: ratio(true, "conga"),
        ecmp: ratio(true, "ecmp"),
        random: ratio(true, "random"),
        slowEcmp: ratio(false, "ecmp"),
        slowConga: ratio(false, "conga"),
        slowWhole: ratio(false, "drill-whole"),
      };
    },
    slow: true,
  }),
  silent: silentFailure("examples/compare/drill-failover.yaml"),
});
