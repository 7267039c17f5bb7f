import { block, page, type RunDocument, run } from "../../block.js";
import { fixed, gain, pickKeys, table, time } from "../../text.js";

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

export default page("docs/papers/repac.md", {
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
