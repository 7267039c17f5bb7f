import { block, page, type RunDocument, run, script } from "../block.js";
import { differenceOf, meanOf, pairedOf, pairedRun } from "../paired.js";
import { fixed, parsed, percent, pickKeys, significant, table } from "../text.js";
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
/** Those of the testbed's page, and Clove. */
const SCHEMES = { ...RIVALS, clove: "Clove" };
const FABRICS = ["equal", "half", "gray"] as const;
const LOADS = [0.1, 0.3, 0.5, 0.7];
const TRAFFIC = ["data mining", "all-to-all", "ring"] as const;
type Row = Readonly<Record<(typeof KEYS)[number], number>> & {
  readonly fabric: string;
  readonly traffic: string;
  /** The command warned that the run ends in the transient. */
  readonly transient: boolean;
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
  if (sizes.scaled !== undefined) return "data mining";
  return pattern === "all_to_all" ? "all-to-all" : "ring";
}

/** Whether one of the warnings names the row's point and scheme and the transient: `rate: 5Gbps, load: 0.7, ...: Presto: the run ends in the transient`. */
export function isTransient(row: AnyRow, warnings: readonly string[]): boolean {
  const title = row.scheme === "spray" ? "Spraying" : SCHEMES[row.scheme as keyof typeof SCHEMES];
  const keys = ["topology.links.0.rate", "faults.0.loss", "load", "traffic"] as const;
  const parts = keys.filter((key) => row[key] !== undefined).map((key) => `${key}: ${pointText(key, row)}`);
  return warnings.some(
    (text) =>
      text.includes(`: ${title}: the run ends in the transient`) &&
      parts.every((part) => text.includes(part)) &&
      text.includes("faults: []") === (row["faults.0.loss"] === undefined),
  );
}

/** The value of a key as a warning has it. */
const pointText = (key: string, row: AnyRow): string =>
  key === "load" ? `${row.load},` : typeof row[key] === "string" ? row[key] : JSON.stringify(row[key]);

const rows = ({ rows: all, warnings }: RunDocument): Row[] =>
  all
    .filter((row: AnyRow) => row.size === "all")
    .map((row: AnyRow) => ({
      ...(pickKeys(row, KEYS) as Record<(typeof KEYS)[number], number>),
      fabric: fabricOf(row),
      traffic: trafficOf(row),
      transient: isTransient(row, warnings),
    }));

function find(all: readonly Row[], fabric: string, scheme: string, is: (row: Row) => boolean): Row {
  const found = all.find((row) => row.fabric === fabric && String(row.scheme) === scheme && is(row));
  if (found === undefined) throw new Error(`no row of ${scheme} with ${fabric}`);
  return found;
}

const at = (load: number) => (row: Row) => row.load === load;
const under = (traffic: string) => (row: Row) => row.traffic === traffic;

/** Closed forms of tools/figures/measure/slow-link.ts. */
interface Limits {
  /** Loads from which on a link is full. */
  readonly full: { readonly host: number; readonly alike: number; readonly byRate: number };
  readonly loads: readonly {
    readonly load: number;
    readonly use: number;
    /** Absent where the link is full. */
    readonly slowdown?: number;
    readonly flows?: number;
  }[];
}

/** Designs that give each uplink the same, whatever its rate and its queue: each flow, or each part of a flow. */
const BLIND: Readonly<Record<string, "flow" | "part">> = { ecmp: "flow", presto: "part", spray: "part" };
/** Share of the flows of a host that leave its rack: in an all-to-all, 8 of 11 other hosts are in other racks. */
const crossing = (traffic: string) => (traffic === "all-to-all" ? 8 / 11 : 1);

/**
 * The most of the offered payload that can arrive in the long run, as a share, below 1 where a link is full: then queues grow with the run, and a mean
 * slowdown is one of its length. Where the hosts' links and the slow link are full, the lesser of their shares is a bound: a flow may meet both.
 * The limits are those of the sizes of web search, for all traffic. Two thirds of the flows begin or end in the rack of the slow link. If each uplink gets the same, a quarter of
 * them meets the slow link, or all of them if each flow is spread.
 */
function carried({ fabric, scheme, traffic, load = 0.5 }: Row, { full }: Limits): number {
  const hosts = Math.min(1, full.host / load);
  if (fabric !== "half") return hosts;
  const across = load * crossing(traffic);
  const blind = BLIND[String(scheme)];
  const limit = Math.min(1, (blind === undefined ? full.byRate : full.alike) / across);
  const met = (2 / 3) * (blind === "flow" ? 1 / 4 : 1);
  return Math.min(hosts, 1 - met * (1 - limit));
}

/** The text of a figure, or what arrives at most where a link is full. */
function unlessFull(row: Row, limits: Limits, text: (row: Row) => string): string {
  const share = carried(row, limits);
  return share < 1 ? `full: ${percent(share, 0)}` : text(row);
}

function shown(value: number, half: number, transient: boolean): string {
  return `${meanOf(value, half)}${transient ? " †" : ""}`;
}
const mean = (row: Row) => shown(row.slowdown_mean, row.slowdown_mean_ci95, row.transient);
const p99 = (row: Row) => shown(row.slowdown_p99, row.slowdown_p99_ci95, row.transient);

function byLoad(
  all: readonly Row[],
  fabric: string,
  limits: Limits,
  text: (row: Row) => string,
): readonly string[] {
  return table(
    ["scheme", ...LOADS.map((load) => percent(load, 0))],
    Object.entries(SCHEMES).map(([scheme, title]) => [
      title,
      ...LOADS.map((load) => unlessFull(find(all, fabric, scheme, at(load)), limits, text)),
    ]),
  );
}

const TITLES: Readonly<Record<string, string>> = {
  equal: "Equal links",
  half: "One link of half the rate",
  gray: "One gray link",
};

/** The mean and the 99th percentile by load, of one fabric. */
const ofFabric = (all: readonly Row[], fabric: string, limits: Limits): readonly string[] => [
  `${TITLES[fabric]}, mean slowdown by load:`,
  "",
  ...byLoad(all, fabric, limits, mean),
  "",
  `${TITLES[fabric]}, 99th percentile of the slowdown by load:`,
  "",
  ...byLoad(all, fabric, limits, p99),
  "",
];

const byTraffic = (all: readonly Row[], limits: Limits): readonly string[] => [
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
        TRAFFIC.map((traffic) => unlessFull(find(all, fabric, scheme, under(traffic)), limits, mean)),
      ),
    ]),
  ),
];

/** How many times as long as under DRILL. */
const overDrill = (all: readonly Row[], fabric: string, scheme: string, load: number): string =>
  `${fixed(find(all, fabric, scheme, at(load)).slowdown_mean / find(all, fabric, "drill", at(load)).slowdown_mean, 2)} times`;

/** What rows of `rivals-ring.yaml` know, by label. */
const NEWS: Readonly<Record<string, string>> = {
  ecmp: "ECMP: nothing",
  "hula-100us": "HULA, a probe each 100 us",
  "hula-25us": "HULA, a probe each 25 us",
  "hula-6us": "HULA, a probe each 6 us",
  "hula-2us": "HULA, a probe each 2 us",
  "conga-64us": "CONGA, tau 64 us",
  "conga-16us": "CONGA, tau 16 us",
  "conga-8us": "CONGA, tau 8 us",
  drill: "DRILL: its own queues",
};

const limits = script("tools/figures/measure/slow-link.ts");
const asIs = (document: RunDocument): Limits => document;

export default page("docs/rivals.md", {
  fabrics: block({
    runs: {
      loads: run("examples/compare/rivals.yaml"),
      traffic: run("examples/compare/rivals-traffic.yaml"),
      limits,
    },
    pick: { loads: rows, traffic: rows, limits: asIs },
    render: ({ loads, traffic, limits: own }) => [
      ...FABRICS.flatMap((fabric) => ofFabric(loads, fabric, own)),
      ...byTraffic(traffic, own),
    ],
    values: ({ loads }) => ({
      ecmp: overDrill(loads, "equal", "ecmp", 0.5),
      ecmpMost: overDrill(loads, "equal", "ecmp", 0.7),
      letflow: overDrill(loads, "equal", "letflow", 0.5),
      conga: overDrill(loads, "equal", "conga", 0.5),
      hula: overDrill(loads, "equal", "hula", 0.5),
      presto: overDrill(loads, "equal", "presto", 0.5),
      reps: overDrill(loads, "equal", "reps", 0.5),
      slowReps: overDrill(loads, "half", "reps", 0.5),
      slowConga: overDrill(loads, "half", "conga", 0.5),
      slowHula: overDrill(loads, "half", "hula", 0.5),
      slowClove: overDrill(loads, "half", "clove", 0.5),
      slowWcmp: overDrill(loads, "half", "wcmp", 0.5),
      slowLetflow: overDrill(loads, "half", "letflow", 0.5),
      slowEcmp: overDrill(loads, "half", "ecmp", 0.3),
      slowPresto: overDrill(loads, "half", "presto", 0.3),
      slowSpray: overDrill(loads, "half", "spray", 0.3),
    }),
    slow: true,
  }),
  /** The slow link at half of the load, by the size of flows. */
  sizes: block({
    runs: { sizes: run("examples/compare/rivals-sizes.yaml") },
    pick: {
      sizes: ({ rows: all }) =>
        (all as readonly AnyRow[])
          .filter(({ size }) => size === "all")
          .map((row) => ({
            ...(pickKeys(row, KEYS) as Record<(typeof KEYS)[number], number>),
            by: Number(row["traffic.sizes.scaled.by"]),
          })),
    },
    render: ({ sizes }) =>
      table(
        ["scheme", "an eighth", "a half", "the papers' sizes"],
        [...new Set(sizes.map(({ scheme }) => String(scheme)))].map((scheme) => [
          SCHEMES[scheme as keyof typeof SCHEMES],
          ...[0.125, 0.5, 1].map((by) => {
            const row = sizes.find((one) => String(one.scheme) === scheme && one.by === by)!;
            return shown(row.slowdown_mean, row.slowdown_mean_ci95, false);
          }),
        ]),
      ),
  }),
  /** The ring, by the age of what HULA and CONGA know. */
  ring: block({
    runs: {
      ring: pairedRun("examples/compare/rivals-ring.yaml"),
      paired: pairedRun("examples/compare/rivals-ring.yaml"),
    },
    pick: {
      ring: ({ rows: all }) =>
        (all as readonly AnyRow[])
          .filter(({ size }) => size === "all")
          .map((row) => pickKeys(row, KEYS) as Record<(typeof KEYS)[number], number>),
      paired: pairedOf,
    },
    render: ({ ring, paired }) =>
      table(
        ["design and its news", "mean slowdown", "difference from ECMP in pairs of one seed"],
        ring.map((row) => [
          NEWS[String(row.scheme)]!,
          shown(row.slowdown_mean, row.slowdown_mean_ci95, false),
          String(row.scheme) === "ecmp" ? "" : differenceOf(paired, 0, String(row.scheme)),
        ]),
      ),
  }),
  /** Closed forms: what links carry, and how long a run must be. */
  capacity: block({
    runs: { limits },
    pick: { limits: asIs },
    render: ({ limits: { loads } }) =>
      table(
        ["", ...loads.map(({ load }) => percent(load, 0))],
        [
          [
            "use of a host's link, with headers and acknowledgements",
            ...loads.map(({ use }) => percent(use, 0)),
          ],
          [
            "mean slowdown of one such link alone, shared alike: 1 / (1 - use)",
            ...loads.map(({ slowdown }) => (slowdown === undefined ? "none" : fixed(slowdown, 2))),
          ],
          [
            "flows for a mean within a tenth",
            ...loads.map(({ flows }) => (flows === undefined ? "none" : significant(flows, 2))),
          ],
        ],
      ),
    values: ({ limits: { full } }) =>
      Object.fromEntries(Object.entries(full).map(([name, load]) => [name, percent(load, 0)])),
  }),
});
