import { block, page, type RunDocument, run } from "../block.js";
import { fixed, parsed, percent, pickKeys, table } from "../text.js";
import { RIVALS } from "../titles.js";

const KEYS = [
  "scheme",
  "load",
  "seeds",
  "unfinished",
  "slowdown_mean",
  "slowdown_mean_ci95",
  "slowdown_p99",
  "slowdown_p99_ci95",
] as const;
const SCHEMES = RIVALS;
const FABRICS = ["equal", "half", "gray"] as const;
const LOADS = [0.1, 0.3, 0.5, 0.7, 0.9];
const TRAFFIC = ["data mining", "all-to-all", "ring"] as const;
/** A mean whose interval is wider than this share of it gets a mark. */
const WIDE = 0.1;

type Row = Readonly<Record<(typeof KEYS)[number], number>> & {
  readonly fabric: string;
  readonly traffic: string;
};
// biome-ignore lint/suspicious/noExplicitAny: a row of the kind load.
type AnyRow = any;

function fabricOf(row: AnyRow): (typeof FABRICS)[number] {
  if (row["faults.0.loss"] !== undefined) return "gray";
  return String(row["topology.links.0.rate"]) === "5Gbps" ? "half" : "equal";
}

function trafficOf({ traffic }: AnyRow): string {
  if (traffic === undefined) return "web search";
  const { sizes, pattern } = parsed(traffic);
  if (typeof sizes === "string") return "data mining";
  return pattern === "all_to_all" ? "all-to-all" : "ring";
}

const rows = ({ rows: all }: RunDocument): Row[] =>
  all
    .filter((row: AnyRow) => row.size === "all")
    .map((row: AnyRow) => ({
      ...(pickKeys(row, KEYS) as Record<(typeof KEYS)[number], number>),
      fabric: fabricOf(row),
      traffic: trafficOf(row),
    }));

function find(all: readonly Row[], fabric: string, scheme: string, is: (row: Row) => boolean): Row {
  const found = all.find((row) => row.fabric === fabric && String(row.scheme) === scheme && is(row));
  if (found === undefined) throw new Error(`no row of ${scheme} with ${fabric}`);
  return found;
}

const at = (load: number) => (row: Row) => row.load === load;
const under = (traffic: string) => (row: Row) => row.traffic === traffic;

function shown(value: number, half: number): string {
  return `${fixed(value, 2)} ± ${fixed(half, 2)}${half > WIDE * value ? " *" : ""}`;
}
const mean = (row: Row) => shown(row.slowdown_mean, row.slowdown_mean_ci95);
const p99 = (row: Row) => shown(row.slowdown_p99, row.slowdown_p99_ci95);

function byLoad(all: readonly Row[], fabric: string, text: (row: Row) => string): readonly string[] {
  return table(
    ["scheme", ...LOADS.map((load) => percent(load, 0))],
    Object.entries(SCHEMES).map(([scheme, title]) => [
      title,
      ...LOADS.map((load) => text(find(all, fabric, scheme, at(load)))),
    ]),
  );
}

const TITLES: Readonly<Record<string, string>> = {
  equal: "Equal links",
  half: "One link of half the rate",
  gray: "One gray link",
};

/** The mean and the 99th percentile by load, of one fabric. */
const ofFabric = (all: readonly Row[], fabric: string): readonly string[] => [
  `${TITLES[fabric]}, mean slowdown by load:`,
  "",
  ...byLoad(all, fabric, mean),
  "",
  `${TITLES[fabric]}, 99th percentile of the slowdown by load:`,
  "",
  ...byLoad(all, fabric, p99),
  "",
];

const byTraffic = (all: readonly Row[]): readonly string[] => [
  "Other traffic at a load of 50 %, mean slowdown:",
  "",
  ...table(
    [
      "scheme",
      ...FABRICS.flatMap((fabric) =>
        TRAFFIC.map(
          (traffic) => `${{ equal: "equal", half: "slow link", gray: "gray link" }[fabric]}, ${traffic}`,
        ),
      ),
    ],
    Object.entries(SCHEMES).map(([scheme, title]) => [
      title,
      ...FABRICS.flatMap((fabric) =>
        TRAFFIC.map((traffic) => mean(find(all, fabric, scheme, under(traffic)))),
      ),
    ]),
  ),
];

/** How many times as long as under REPS, at a load of 50 %. */
const overReps = (all: readonly Row[], fabric: string, scheme: string): string =>
  `${fixed(find(all, fabric, scheme, at(0.5)).slowdown_mean / find(all, fabric, "reps", at(0.5)).slowdown_mean, 2)} times`;

export default page("docs/rivals.md", {
  fabrics: block({
    runs: {
      loads: run("examples/compare/rivals.yaml"),
      traffic: run("examples/compare/rivals-traffic.yaml"),
    },
    pick: { loads: rows, traffic: rows },
    render: ({ loads, traffic }) => [
      ...FABRICS.flatMap((fabric) => ofFabric(loads, fabric)),
      ...byTraffic(traffic),
    ],
    values: ({ loads }) => ({
      ecmp: overReps(loads, "equal", "ecmp"),
      letflow: overReps(loads, "equal", "letflow"),
      conga: overReps(loads, "equal", "conga"),
      slowSpray: overReps(loads, "half", "spray"),
      slowEcmp: overReps(loads, "half", "ecmp"),
      slowConga: overReps(loads, "half", "conga"),
    }),
    slow: true,
  }),
});
