import { block, page, type RunDocument } from "../../block.js";
import { silentFailure } from "../../failover.js";
import { differences, meanOf, pairedOf, pairedRun, seedsOf } from "../../paired.js";
import { fixed, percent, pickKeys, table } from "../../text.js";

const RATE = "topology.links.0.rate";
const LOSS = "faults.0.loss";
const KEYS = [
  "scheme",
  "seeds",
  "slowdown_mean",
  "slowdown_mean_ci95",
  "slowdown_p99",
  "retransmissions",
  "reordered_share",
] as const;
const SCHEMES = ["ecmp", "letflow", "conga", "presto", "edge-flowlet", "clove", "clove-masked"] as const;
const NETWORKS = ["equal links", "a slow link", "a gray link"] as const;

type Row = Readonly<Record<(typeof KEYS)[number], number>> & { readonly where: string };
// biome-ignore lint/suspicious/noExplicitAny: a row of the kind load.
type AnyRow = any;

function networkOf(row: AnyRow): (typeof NETWORKS)[number] {
  if (row[LOSS] !== undefined) return "a gray link";
  return String(row[RATE]) === "500Mbps" ? "a slow link" : "equal links";
}

const rows = (document: RunDocument): Row[] =>
  document.rows
    .filter((row: AnyRow) => row.size === "all")
    .map((row: AnyRow) => ({
      ...(pickKeys(row, KEYS) as Record<(typeof KEYS)[number], number>),
      where: networkOf(row),
    }));

function rowOf(all: readonly Row[], where: string, scheme: string): Row {
  const found = all.find((row) => row.where === where && String(row.scheme) === scheme);
  if (found === undefined) throw new Error(`no row of ${scheme} with ${where}`);
  return found;
}

const HEADINGS = ["ECMP", "LetFlow", "CONGA", "Presto", "Edge-Flowlet", "Clove-ECN", "masked"];

export default page("docs/papers/clove.md", {
  rivals: block({
    runs: {
      all: pairedRun("examples/compare/clove.yaml"),
      paired: pairedRun("examples/compare/clove.yaml"),
    },
    pick: { all: rows, paired: pairedOf },
    render: ({ all, paired }) => {
      const lines = (cell: (row: Row) => string) =>
        table(
          ["network", ...HEADINGS],
          NETWORKS.map((where) => [where, ...SCHEMES.map((scheme) => cell(rowOf(all, where, scheme)))]),
        );
      return [
        "Mean slowdown:",
        "",
        ...lines((row) => meanOf(row.slowdown_mean, row.slowdown_mean_ci95)),
        "",
        "99th percentile of the slowdown:",
        "",
        ...lines((row) => fixed(row.slowdown_p99, 1)),
        "",
        "Difference from Clove-ECN in pairs of one seed:",
        "",
        ...differences(
          paired,
          ["network"],
          NETWORKS.map((where) => [where]),
          SCHEMES.map((scheme, i) => [scheme, HEADINGS[i]!] as const).filter(
            ([scheme]) => scheme !== "clove",
          ),
        ),
      ];
    },
    values: ({ all }) => {
      const mean = (where: string, scheme: string) => rowOf(all, where, scheme).slowdown_mean;
      const times = (where: string, a: string, b: string) =>
        `${fixed(mean(where, a) / mean(where, b), 2)} times`;
      const [equal, slow, gray] = NETWORKS;
      const share = (where: string) =>
        percent(
          (mean(where, "ecmp") - mean(where, "clove")) / (mean(where, "ecmp") - mean(where, "conga")),
          0,
        );
      return {
        seeds: seedsOf(all),
        grayShare: share(gray),
        equalEcmp: times(equal, "ecmp", "clove"),
        equalShare: share(equal),
        slowEcmp: times(slow, "ecmp", "clove"),
        slowPresto: times(slow, "presto", "clove"),
        slowEdge: times(slow, "edge-flowlet", "clove"),
        slowConga: times(slow, "conga", "clove"),
        slowShare: share(slow),
        slowMasked: times(slow, "clove-masked", "clove"),
        grayEdge: times(gray, "edge-flowlet", "clove"),
        grayConga: times(gray, "clove", "conga"),
        reordered: `${percent(rowOf(all, slow, "clove").reordered_share, 2)} under Clove-ECN, ${percent(
          rowOf(all, slow, "clove-masked").reordered_share,
          2,
        )} with masking, ${percent(rowOf(all, slow, "presto").reordered_share, 2)} under Presto`,
      };
    },
    slow: true,
  }),
  silent: silentFailure("examples/compare/clove-failover.yaml"),
});
