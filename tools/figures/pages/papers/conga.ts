import { block, page, type RunDocument, run } from "../../block.js";
import { differenceOf, differences, pairedOf, pairedRun, seedsOf } from "../../paired.js";
import { fixed, percent, pickKeys, table } from "../../text.js";

const KEYS = [
  "scheme",
  "topology.links.0.rate",
  "load",
  "size",
  "seeds",
  "slowdown_mean",
  "slowdown_mean_ci95",
  "slowdown_p99",
  "slowdown_p99_ci95",
  "unfinished",
] as const;
type Row = Readonly<Record<(typeof KEYS)[number], number>>;

const rows = (document: RunDocument): Row[] =>
  document.rows.filter((row: { size: string }) => row.size === "all").map((row: Row) => pickKeys(row, KEYS));

const RATE = "topology.links.0.rate";
const SCHEMES = ["ecmp", "letflow", "hula", "conga"] as const;
const isFull = (row: Row) => String(row[RATE]) === "2Gbps";
const loadsOf = (all: readonly Row[], full: boolean): number[] => [
  ...new Set(all.filter((row) => isFull(row) === full).map(({ load }) => load)),
];
const intervalOf = ({
  slowdown_mean,
  slowdown_mean_ci95,
}: Pick<Row, "slowdown_mean" | "slowdown_mean_ci95">) =>
  `${fixed(slowdown_mean, 2)} ± ${fixed(slowdown_mean_ci95, 2)}`;

function meanOf(all: readonly Row[], full: boolean, load: number, scheme: string): Row {
  const found = all.find((row) => isFull(row) === full && row.load === load && String(row.scheme) === scheme);
  if (found === undefined) throw new Error(`no row of ${scheme} at ${load}`);
  return found;
}

const TAUS = ["40us", "160us", "640us"] as const;
const GAPS = ["20us", "100us", "500us"] as const;
const shownTime = (time: string) => time.replace("us", " us");

const GAP_KEYS = ["scheme", "seeds", "slowdown_mean", "slowdown_mean_ci95"] as const;
type GapRow = Readonly<Record<(typeof GAP_KEYS)[number], number>>;

const gapRows = (document: RunDocument): GapRow[] =>
  document.rows
    .filter((row: { size: string }) => row.size === "all")
    .map((row: GapRow) => pickKeys(row, GAP_KEYS));

/** The label of the scheme in the file. */
const gapLabel = (tau: string, gap: string) => `tau-${tau}-gap-${gap}`;

function gapRow(all: readonly GapRow[], label: string): GapRow {
  const found = all.find(({ scheme }) => String(scheme) === label);
  if (found === undefined) throw new Error(`no row of ${label}`);
  return found;
}

interface Failover {
  readonly scheme: string;
  readonly runs: number;
  readonly first: number;
  readonly p50: number | null;
}

export default page("docs/papers/conga.md", {
  /** The mean slowdown with all links and with one less. */
  links: block({
    runs: { all: pairedRun("examples/compare/conga.yaml"), paired: pairedRun("examples/compare/conga.yaml") },
    pick: { all: rows, paired: pairedOf },
    render: ({ all, paired }) => {
      const networks = [true, false].flatMap((full) =>
        loadsOf(all, full).map((load) => ({
          full,
          load,
          cells: [full ? "all" : "one less", percent(load, 0)],
        })),
      );
      return [
        ...table(
          ["links", "load", "ECMP", "LetFlow", "HULA", "CONGA"],
          networks.map(({ full, load, cells }) => [
            ...cells,
            ...SCHEMES.map((scheme) => intervalOf(meanOf(all, full, load, scheme))),
          ]),
        ),
        "",
        "Difference from CONGA in pairs of one seed:",
        "",
        ...differences(
          paired,
          ["links", "load"],
          networks.map(({ cells }) => cells),
          [
            ["ecmp", "ECMP"],
            ["letflow", "LetFlow"],
            ["hula", "HULA"],
          ],
        ),
      ];
    },
    values: ({ all }) => {
      const ratio = (full: boolean, other: string) => {
        const load = Math.max(...loadsOf(all, full));
        return `${fixed(meanOf(all, full, load, other).slowdown_mean / meanOf(all, full, load, "conga").slowdown_mean, 2)} times`;
      };
      return {
        seeds: seedsOf(all),
        ecmpLess: ratio(false, "ecmp"),
        letflowLess: ratio(false, "letflow"),
        ecmpAll: ratio(true, "ecmp"),
      };
    },
    slow: true,
  }),
  /** The mean slowdown by tau and flowlet gap, beside ECMP's. */
  gaps: block({
    runs: {
      all: pairedRun("examples/compare/conga-flowlets.yaml"),
      paired: pairedRun("examples/compare/conga-flowlets.yaml"),
    },
    pick: { all: gapRows, paired: pairedOf },
    render: ({ all, paired }) => {
      const gaps = ["tau", ...GAPS.map((gap) => `gap ${shownTime(gap)}`)];
      const rows = (cell: (label: string) => string) =>
        TAUS.map((tau) => [shownTime(tau), ...GAPS.map((gap) => cell(gapLabel(tau, gap)))]);
      return [
        ...table(
          gaps,
          rows((label) => intervalOf(gapRow(all, label))),
        ),
        "",
        "Difference from ECMP in pairs of one seed:",
        "",
        ...table(
          gaps,
          rows((label) => differenceOf(paired, 0, label)),
        ),
      ];
    },
    values: ({ all }) => {
      const ecmp = gapRow(all, "ecmp");
      return {
        ecmp: intervalOf(ecmp),
        seeds: String(ecmp.seeds),
        worst: `${fixed(gapRow(all, gapLabel("640us", "20us")).slowdown_mean / ecmp.slowdown_mean, 2)} times`,
      };
    },
    slow: true,
  }),
  silent: block({
    runs: { all: run("examples/compare/conga-failover.yaml") },
    pick: {
      all: ({ rows }: RunDocument): Failover[] =>
        // biome-ignore lint/suspicious/noExplicitAny: a row of the kind failover.
        rows.map((row: any) => ({
          scheme: row.scheme,
          runs: row.runs,
          first: row.first_try_success,
          p50: row.p50_ms ?? null,
        })),
    },
    render: ({ all }) =>
      table(
        ["scheme", "runs", "recovered at the first try", "median outage, ms"],
        all.map(({ scheme, runs, first, p50 }) => [
          scheme,
          String(runs),
          percent(first, 1),
          p50 === null ? "never" : fixed(p50),
        ]),
      ),
  }),
});
