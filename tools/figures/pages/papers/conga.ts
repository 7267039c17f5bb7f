import { block, page, type RunDocument, run } from "../../block.js";
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

function meanOf(all: readonly Row[], full: boolean, load: number, scheme: string): Row {
  const found = all.find((row) => isFull(row) === full && row.load === load && String(row.scheme) === scheme);
  if (found === undefined) throw new Error(`no row of ${scheme} at ${load}`);
  return found;
}

const TAU = "schemes.conga.tau";
const GAP = "schemes.conga.flowlet_gap";
const TAUS = ["40us", "160us", "640us"] as const;
const GAPS = ["20us", "100us", "500us"] as const;
const shownTime = (time: string) => time.replace("us", " us");

const GAP_KEYS = ["scheme", TAU, GAP, "seeds", "slowdown_mean", "slowdown_mean_ci95"] as const;
type GapRow = Readonly<Record<(typeof GAP_KEYS)[number], number>>;

const gapRows = (document: RunDocument): GapRow[] =>
  document.rows
    .filter((row: { size: string }) => row.size === "all")
    .map((row: GapRow) => pickKeys(row, GAP_KEYS));

function gapRow(all: readonly GapRow[], tau: string, gap: string, scheme: string): GapRow {
  const found = all.find(
    (row) => String(row[TAU]) === tau && String(row[GAP]) === gap && String(row.scheme) === scheme,
  );
  if (found === undefined) throw new Error(`no row of ${scheme} with ${tau} and ${gap}`);
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
    runs: { all: run("examples/compare/conga.yaml") },
    pick: { all: rows },
    render: ({ all }) =>
      table(
        ["links", "load", "ECMP", "LetFlow", "HULA", "CONGA"],
        [true, false].flatMap((full) =>
          [...new Set(all.map(({ load }) => load))].map((load) => [
            full ? "all" : "one less",
            percent(load, 0),
            ...SCHEMES.map((scheme) => {
              const row = meanOf(all, full, load, scheme);
              return `${fixed(row.slowdown_mean, 2)} ± ${fixed(row.slowdown_mean_ci95, 2)}`;
            }),
          ]),
        ),
      ),
    values: ({ all }) => {
      const loads = [...new Set(all.map(({ load }) => load))];
      const ratio = (full: boolean, load: number, other: string) =>
        `${fixed(meanOf(all, full, load, other).slowdown_mean / meanOf(all, full, load, "conga").slowdown_mean, 1)} times`;
      return {
        ecmpHigh: ratio(false, loads.at(-1)!, "ecmp"),
        ecmpMiddle: ratio(false, loads[1]!, "ecmp"),
        letflowHigh: ratio(false, loads.at(-1)!, "letflow"),
        ecmpAll: ratio(true, loads.at(-1)!, "ecmp"),
      };
    },
    slow: true,
  }),
  /** The mean slowdown by tau and flowlet gap, beside ECMP's. */
  gaps: block({
    runs: { all: run("examples/compare/conga-flowlets.yaml") },
    pick: { all: gapRows },
    render: ({ all }) =>
      table(
        ["tau", ...GAPS.map((gap) => `gap ${shownTime(gap)}`)],
        TAUS.map((tau) => [
          shownTime(tau),
          ...GAPS.map((gap) => {
            const { slowdown_mean, slowdown_mean_ci95 } = gapRow(all, tau, gap, "conga");
            return `${fixed(slowdown_mean, 2)} ± ${fixed(slowdown_mean_ci95, 2)}`;
          }),
        ]),
      ),
    values: ({ all }) => {
      const { slowdown_mean, slowdown_mean_ci95 } = gapRow(all, TAUS[0], GAPS[0], "ecmp");
      return {
        ecmp: `${fixed(slowdown_mean, 2)} ± ${fixed(slowdown_mean_ci95, 2)}`,
        worst: `${fixed(gapRow(all, "640us", "20us", "conga").slowdown_mean / slowdown_mean, 2)} times`,
      };
    },
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
