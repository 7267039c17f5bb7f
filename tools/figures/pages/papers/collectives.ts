import { block, page, type RunDocument, run } from "../../block.js";
import { meanOf, seedsOf } from "../../paired.js";
import { fixed, pickKeys, table } from "../../text.js";

const KEYS = [
  "seeds",
  "rct_slowdown_mean",
  "rct_slowdown_mean_ci95",
  "slowdown_mean",
  "drops",
  "repaths",
] as const;
const SCHEMES = ["ecmp", "plb", "spray", "reps"] as const;
const TITLES: Readonly<Record<(typeof SCHEMES)[number], string>> = {
  ecmp: "ECMP",
  plb: "PLB",
  spray: "spraying",
  reps: "REPS",
};

interface Row {
  readonly network: string;
  readonly operation: string;
  readonly scheme: string;
  readonly figures: Partial<Record<(typeof KEYS)[number], number>>;
}

const rowsOf = (document: RunDocument): Row[] =>
  document.rows
    .filter(({ size }: { size: string }) => size === "all")
    .map((row: Record<string, unknown>) => ({
      network:
        row["faults.0.loss"] !== undefined
          ? "a gray link"
          : row["topology.links.0.rate"] === "5Gbps"
            ? "a slow link"
            : "equal",
      operation: row["traffic.pattern.collective.operation"] === "all_reduce" ? "all-reduce" : "all-to-all",
      scheme: row["scheme"],
      figures: pickKeys(row, KEYS as unknown as readonly string[]),
    }));

function figures(rows: readonly Row[], network: string, operation: string, scheme: string) {
  const found = rows.find(
    (row) => row.network === network && row.operation === operation && row.scheme === scheme,
  );
  if (found === undefined) throw new Error(`no row of ${scheme}, ${network}, ${operation}`);
  return found.figures as Record<(typeof KEYS)[number], number>;
}

/** The mean of a count over the runs: seeds differ between the points of a file with `until`. */
const inRun = (row: Readonly<Record<(typeof KEYS)[number], number>>, key: (typeof KEYS)[number]) =>
  fixed(row[key] / row.seeds, 1);

export default page("docs/papers/collectives.md", {
  operations: block({
    runs: { rows: run("examples/compare/collectives.yaml") },
    pick: { rows: rowsOf },
    render: ({ rows }) =>
      table(
        [
          "network",
          "operation",
          ...SCHEMES.map((scheme) => TITLES[scheme]),
          "of its flows: ECMP",
          "REPS",
          "lost in a run: ECMP",
          "REPS",
        ],
        rows
          .filter(({ scheme }) => scheme === "ecmp")
          .map(({ network, operation }) => {
            const own = SCHEMES.map((scheme) => figures(rows, network, operation, scheme));
            const [ecmp, , , reps] = own;
            return [
              ...[network, operation],
              ...own.map((one) => meanOf(one.rct_slowdown_mean, one.rct_slowdown_mean_ci95)),
              ...[fixed(ecmp!.slowdown_mean, 2), fixed(reps!.slowdown_mean, 2)],
              ...[inRun(ecmp!, "drops"), inRun(reps!, "drops")],
            ];
          }),
      ),
    values: ({ rows }) => {
      const ratio = (network: string, operation: string, a: string, b: string) =>
        `${fixed(figures(rows, network, operation, a).rct_slowdown_mean / figures(rows, network, operation, b).rct_slowdown_mean, 2)} times`;
      const ecmp = figures(rows, "equal", "all-reduce", "ecmp");
      const repaths = rows.filter(({ scheme }) => scheme === "plb").map((row) => row.figures.repaths ?? 0);
      return {
        seeds: seedsOf(rows.map((row) => ({ seeds: row.figures.seeds! }))),
        ecmp: ratio("equal", "all-reduce", "ecmp", "reps"),
        rounds: ratio("equal", "all-to-all", "ecmp", "reps"),
        plb: ratio("equal", "all-reduce", "plb", "ecmp"),
        repaths: repaths.reduce((sum, one) => sum + one, 0).toLocaleString("en"),
        spray: ratio("equal", "all-reduce", "spray", "reps"),
        chain: `${fixed(ecmp.rct_slowdown_mean, 2)}, and ${fixed(ecmp.slowdown_mean, 2)} of its flows`,
        slowSpray: ratio("a slow link", "all-reduce", "spray", "reps"),
        slowRounds: ratio("a slow link", "all-to-all", "spray", "reps"),
        slowEcmp: ratio("a slow link", "all-reduce", "ecmp", "reps"),
        graySpray: ratio("a gray link", "all-reduce", "spray", "ecmp"),
        grayReps: ratio("a gray link", "all-reduce", "reps", "ecmp"),
      };
    },
  }),
});
