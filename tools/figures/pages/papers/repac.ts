import { bench, block, page, type RunDocument, run } from "../../block.js";
import { memory } from "../../blocks/memory.js";
import { fixed, gain, pickKeys, table, time, unit } from "../../text.js";

interface FailoverRow {
  readonly scheme: string;
  readonly "topology.k": number;
  readonly failure: string;
  readonly recovered: number;
  readonly first_try_success: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly max_ms: number | null;
  readonly repaths_mean: number;
  readonly equal_sites: number;
}
const FAILOVER = [
  "scheme",
  "topology.k",
  "failure",
  "recovered",
  "first_try_success",
  "p50_ms",
  "p95_ms",
  "p99_ms",
  "max_ms",
  "repaths_mean",
  "equal_sites",
] as const;
const failoverRows = (document: RunDocument): FailoverRow[] =>
  document.rows.map((row: FailoverRow) => pickKeys(row, FAILOVER));
const ms = (value: number | null) => (value === null ? "never" : time(value));

const LOAD = [
  "scheme",
  "traffic.flows",
  "fct_mean_ms",
  "fct_mean_ms_ci95",
  "fct_max_ms",
  "fct_max_ms_ci95",
] as const;
type LoadRow = Readonly<Record<Exclude<(typeof LOAD)[number], "scheme">, number>> & {
  readonly scheme: string;
};

/** Connections by the number of subflows that a silent element leaves: of the tier, and of all. */
interface Survivors {
  readonly subflows: number;
  readonly failure: string;
  readonly connections: number;
  readonly lost: number;
  /** Connections of which the element has hit no subflow. */
  readonly untouched: number;
}

const survivorsOf = (document: RunDocument): Survivors[] =>
  document.rows.map((row: Record<string, number | string>) => ({
    ...{ subflows: row["connection_subflows"], failure: row["failure"], connections: row["connections"] },
    ...{ lost: row["lost"], untouched: row[`left_${row["connection_subflows"]}`] },
  }));

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A transfer over a silent switch. */
interface Transfers {
  readonly scheme: string;
  readonly subflows: number;
  readonly unfinished: number;
  readonly mean: number;
  readonly p50: number;
}

/** Shares of predicted pairs, in per cent, by function; and what was drawn. */
interface Linearity {
  readonly headers: number;
  readonly changes: number;
  readonly seeds: number;
  readonly linear: number;
  readonly exact: number;
  /** Of functions that are not linear. */
  readonly random: number;
  readonly pearson: number;
  readonly csum16: number;
}

const linearityOf = (document: RunDocument): Linearity => {
  const measurements: readonly { name: string; value: number }[] = document;
  const of = (name: string) => measurements.find((one) => one.name === `linearity/${name}`)!.value;
  return {
    ...{ headers: of("headers"), changes: of("changes"), seeds: of("seeds") },
    ...{ linear: of("linear-functions"), exact: of("predicted-without-exception") },
    random: Number(of("random").toFixed(2)),
    pearson: Number(of("pearson").toFixed(2)),
    csum16: Number(of("csum16").toFixed(2)),
  };
};

export default page("docs/papers/repac.md", {
  memory: memory(
    "repac",
    "sets of next hops",
    [{ title: "buckets of 8 a set", of: (sets) => fixed(8 * Number(sets)) }],
    { up_buckets: "table of buckets", up_members: "members" },
  ),
  linearity: block({
    runs: { drawn: bench("linearity") },
    pick: { drawn: linearityOf },
    values: ({ drawn }) => ({
      headers: fixed(drawn.headers),
      changes: fixed(drawn.changes),
      seeds: fixed(drawn.seeds),
      linear: fixed(drawn.linear),
      exact: fixed(drawn.exact),
      random: `${fixed(drawn.random, 1)} %`,
      pearson: `${fixed(drawn.pearson)} %`,
      csum16: `${fixed(drawn.csum16, 1)} %`,
    }),
  }),
  mptcp: block({
    runs: { rows: run("examples/repac/mptcp.yaml") },
    pick: { rows: survivorsOf },
    values: ({ rows }) => {
      const of = (subflows: number, failure: string) =>
        rows.find((row) => row.subflows === subflows && row.failure === failure)!;
      const all = ({ connections, lost }: Survivors) => 1 - lost / connections;
      const hit = ({ connections, lost, untouched }: Survivors) => 1 - lost / (connections - untouched);
      const mean = (subflows: number, share: (row: Survivors) => number) =>
        100 * average([share(of(subflows, "tor")), share(of(subflows, "leaf"))]);
      const both = (show: (subflows: number) => string) => [2, 4].map(show).join(" and ");
      return {
        connections: fixed(of(2, "tor").connections),
        tor: `${both((subflows) => fixed(100 * all(of(subflows, "tor")), 1))} %`,
        leaf: `${both((subflows) => fixed(100 * all(of(subflows, "leaf")), 1))} %`,
        mean: `${both((subflows) => fixed(mean(subflows, all), 1))} %`,
        better: `${both((subflows) => fixed(100 - mean(subflows, all)))} points`,
        hit: `${both((subflows) => fixed(mean(subflows, hit), 1))} %`,
        betterHit: `${both((subflows) => fixed(100 - mean(subflows, hit)))} points`,
      };
    },
  }),
  mptcp_packets: block({
    runs: { rows: run("examples/repac/failover-mptcp.yaml") },
    pick: {
      rows: (document): Transfers[] =>
        document.rows
          .filter(({ size }: { size: string }) => size === "all")
          .map((row: Record<string, number | string>) => ({
            ...{ scheme: row["scheme"], subflows: row["transport.subflows.count"] },
            ...{ unfinished: row["unfinished"], mean: row["fct_mean_ms"], p50: row["fct_p50_ms"] },
          })),
    },
    values: ({ rows }) => {
      const of = (scheme: string, subflows: number) =>
        rows.find((row) => row.scheme === scheme && row.subflows === subflows)!;
      const lost = of("ecmp", 1).unfinished;
      const saved = (subflows: number) => fixed((100 * (lost - of("ecmp", subflows).unfinished)) / lost);
      return {
        tcp: fixed(lost),
        mptcp: `${of("ecmp", 2).unfinished} and ${of("ecmp", 4).unfinished}`,
        saved: `${saved(2)} and ${saved(4)} %`,
        repac: fixed(of("repac", 1).unfinished),
        repacMean: unit(of("repac", 1).mean, "ms"),
        repacP50: unit(of("repac", 1).p50, "ms"),
      };
    },
  }),
  failover: block({
    runs: { rows: run("examples/repac/failover.yaml") },
    pick: { rows: failoverRows },
    values: ({ rows }) => {
      const of = (scheme: string, failure: string) =>
        rows.find((row) => row.scheme === scheme && row.failure === failure)!;
      const silent = ["silent leaf", "silent link"].map((failure) => of("repac", failure));
      return {
        p50: ms(Math.max(...silent.map((row) => row.p50_ms!))),
        p95: ms(Math.max(...silent.map((row) => row.p95_ms!))),
        max: ms(Math.max(...silent.map((row) => row.max_ms!))),
        scan: ms(of("link scan", "link down").p50_ms),
        lacp: ms(of("LACP", "link down").p50_ms),
        prr: `p50 ${ms(of("prr", "silent leaf").p50_ms)}, max ${ms(of("prr", "silent leaf").max_ms)}`,
        pecmp: `p50 ${ms(of("P-ECMP", "silent leaf").p50_ms)}, max ${ms(of("P-ECMP", "silent leaf").max_ms)}`,
      };
    },
  }),
  options: block({
    runs: { rows: run("examples/repac/options.yaml") },
    pick: { rows: failoverRows },
    render: ({ rows }) =>
      table(
        [
          "next hops of a tier",
          "scheme",
          "failure",
          "left at the first try",
          "p50",
          "p95",
          "p99",
          "max",
          "re-paths of a flow",
        ],
        rows.map((row) => [
          row.equal_sites,
          row.scheme === "repac" ? "RePaC" : row.scheme === "prr" ? "PRR" : row.scheme,
          row.failure,
          row.scheme === "repac" ? "-" : `${fixed(100 * row.first_try_success, 1)} %`,
          ms(row.p50_ms),
          ms(row.p95_ms),
          ms(row.p99_ms),
          ms(row.max_ms),
          fixed(row.repaths_mean, 2),
        ]),
      ),
  }),
  pathmap: block({
    runs: {
      rows: [undefined, 1, 2, 3].map((seed) =>
        run("examples/repac/pathmap.yaml", ...(seed === undefined ? [] : ["--seed", `${seed}`])),
      ),
    },
    pick: {
      rows: (documents): { seed: number; left: number; repaired: number; none: number; no: number }[] =>
        documents.map((document: RunDocument) => {
          const rows: { outages: number; recovered: boolean; recovered_by: string | null }[] = document.rows;
          return {
            seed: document.seed,
            left: rows.filter((row) => row.recovered_by === "left").length,
            repaired: rows.filter((row) => row.recovered_by === "repaired").length,
            none: rows.filter((row) => row.outages === 0).length,
            no: rows.filter((row) => !row.recovered).length,
          };
        }),
    },
    render: ({ rows }) =>
      table(
        ["seed", "flows that left", "waited for a repair in an outage", "without an outage", "not recovered"],
        rows.map(({ seed, left, repaired, none, no }) => [seed, left, repaired, none, no]),
      ),
  }),
  planning: block({
    runs: { rows: run("examples/repac/planning.yaml") },
    pick: {
      rows: (document): LoadRow[] =>
        document.rows
          .filter(({ size }: { size: string }) => size === "all")
          .map((row: LoadRow) => pickKeys(row, LOAD)),
    },
    render: ({ rows }) =>
      table(
        ["flows", "completion time", "random ports, ms", "planned ports, ms", "change"],
        [16, 64].flatMap((flows) =>
          (
            [
              ["mean", "fct_mean_ms"],
              ["last flow", "fct_max_ms"],
            ] as const
          ).map(([name, key]) => {
            const of = (scheme: string) =>
              rows.find((row) => row.scheme === scheme && row["traffic.flows"] === flows)!;
            const shown = (row: LoadRow) => `${fixed(row[key], 3)} ± ${fixed(row[`${key}_ci95`], 3)}`;
            const [random, planned] = [of("ecmp"), of("repac")];
            return [flows, name, shown(random), shown(planned), gain(planned[key] / random[key])];
          }),
        ),
      ),
  }),
});
