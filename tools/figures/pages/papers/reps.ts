import { block, page, type RunDocument, run } from "../../block.js";
import { differences, meanOf, pairedOf, pairedRun, seedsOf } from "../../paired.js";
import { fixed, parsed, percent, pickKeys, table } from "../../text.js";

const RATE = "topology.links.0.rate";
const LOSS = "faults.0.loss";
const PATTERN = "traffic.pattern";
const KEYS = [
  "scheme",
  "seeds",
  "slowdown_mean",
  "slowdown_mean_ci95",
  "slowdown_p99",
  "unfinished",
  "drops",
  "retransmissions",
  "timeouts",
  "reordered_share",
] as const;
const SCHEMES = ["ecmp", "conga", "drill", "spray", "reps"] as const;
const TITLES: Readonly<Record<string, string>> = {
  ecmp: "ECMP",
  conga: "CONGA",
  drill: "DRILL",
  prr: "PRR",
  spray: "spraying",
  reps: "REPS",
  "reps-thawed": "REPS without freezing",
};
const NETWORKS = ["equal", "a slow link", "a gray link"] as const;
const TRANSPORTS = ["TCP, DCTCP", "selective repeat", "go-back-N", "Swift", "DCQCN"] as const;

type Row = Readonly<Record<(typeof KEYS)[number], number>> & {
  readonly where: string;
  readonly ring: boolean;
};
// biome-ignore lint/suspicious/noExplicitAny: a row of the kind load.
type AnyRow = any;

const all = (document: RunDocument): AnyRow[] => document.rows.filter((row: AnyRow) => row.size === "all");

function networkOf(row: AnyRow): (typeof NETWORKS)[number] {
  if (row[LOSS] !== undefined) return "a gray link";
  return String(row[RATE]) === "5Gbps" ? "a slow link" : "equal";
}

function transportOf({ transport }: AnyRow): (typeof TRANSPORTS)[number] {
  const { protocol, recovery, congestion_control } = parsed(transport);
  if (protocol === "tcp") return "TCP, DCTCP";
  if (recovery === "go_back_n") return "go-back-N";
  return congestion_control === "fixed"
    ? "selective repeat"
    : congestion_control === "swift"
      ? "Swift"
      : "DCQCN";
}

const rowsBy =
  (where: (row: AnyRow) => string) =>
  (document: RunDocument): Row[] =>
    all(document).map((row) => ({
      ...(pickKeys(row, KEYS) as Record<(typeof KEYS)[number], number>),
      where: where(row),
      ring: row[PATTERN] !== "inter_rack",
    }));

function rowOf(rows: readonly Row[], where: string, scheme: string, ring = true): Row {
  const found = rows.find((row) => row.where === where && String(row.scheme) === scheme && row.ring === ring);
  if (found === undefined) throw new Error(`no row of ${scheme} with ${where}`);
  return found;
}

const mean = ({ slowdown_mean, slowdown_mean_ci95 }: Row) => meanOf(slowdown_mean, slowdown_mean_ci95);
const times = (a: Row, b: Row) => `${fixed(a.slowdown_mean / b.slowdown_mean, 2)} times`;

/** The mean of a count over the runs: seeds differ between the points of a file with `until`. */
const inRun = (sum: number, seeds: number) => fixed(sum / seeds, 1);

const PAUSED_KEYS = [
  "seeds",
  "slowdown_mean",
  "slowdown_mean_ci95",
  "drops",
  "retransmissions",
  "timeouts",
  "unfinished",
  "pfc_pauses",
  "pfc_drops",
  "pfc_deadlocks",
] as const;

interface PausedRow {
  readonly network: string;
  readonly transport: string;
  readonly pfc: boolean;
  readonly scheme: string;
  readonly figures: Partial<Record<(typeof PAUSED_KEYS)[number], number>>;
}

const pausedRows = (document: RunDocument): PausedRow[] =>
  all(document).map((row) => {
    const { recovery, congestion_control } = parsed(row.transport);
    const direction = row["faults.0.direction"];
    return {
      network: direction === undefined ? "equal" : direction === "both" ? "gray" : "gray, one way",
      transport: `${recovery === "go_back_n" ? "go-back-N" : "selective repeat"}, ${congestion_control === "dcqcn" ? "DCQCN" : "window"}`,
      pfc: parsed(row.queues).pfc !== undefined,
      scheme: row.scheme,
      figures: pickKeys(row, PAUSED_KEYS),
    };
  });

function pausedRow(
  rows: readonly PausedRow[],
  network: string,
  transport: string,
  pfc: boolean,
  scheme: string,
): PausedRow {
  const found = rows.find(
    (row) =>
      row.network === network && row.transport === transport && row.pfc === pfc && row.scheme === scheme,
  );
  if (found === undefined) throw new Error(`no row of ${scheme} with ${transport}, ${network}`);
  return found;
}

export default page("docs/papers/reps.md", {
  rivals: block({
    runs: {
      rows: pairedRun("examples/compare/spraying.yaml"),
      paired: pairedRun("examples/compare/spraying.yaml"),
    },
    pick: { rows: rowsBy(networkOf), paired: pairedOf },
    render: ({ rows, paired }) => {
      const points = NETWORKS.flatMap((where) =>
        [true, false].map((ring) => ({ where, ring, cells: [where, ring ? "ring" : "between racks"] })),
      );
      return [
        ...table(
          ["network", "traffic", ...SCHEMES.map((scheme) => TITLES[scheme]!)],
          points.map(({ where, ring, cells }) => [
            ...cells,
            ...SCHEMES.map((scheme) => mean(rowOf(rows, where, scheme, ring))),
          ]),
        ),
        "",
        "Difference from REPS in pairs of one seed:",
        "",
        ...differences(
          paired,
          ["network", "traffic"],
          points.map(({ cells }) => cells),
          SCHEMES.filter((scheme) => scheme !== "reps").map((scheme) => [scheme, TITLES[scheme]!] as const),
        ),
      ];
    },
    values: ({ rows }) => {
      const ratio = (where: string, a: string, b: string, ring = true) =>
        times(rowOf(rows, where, a, ring), rowOf(rows, where, b, ring));
      const share = (scheme: string) => percent(rowOf(rows, "equal", scheme).reordered_share, 1);
      return {
        ecmp: ratio("equal", "ecmp", "reps"),
        spray: ratio("equal", "spray", "reps"),
        slowSpray: ratio("a slow link", "spray", "reps"),
        slowEcmp: ratio("a slow link", "ecmp", "reps"),
        slowConga: ratio("a slow link", "conga", "reps"),
        slowDrill: ratio("a slow link", "drill", "reps"),
        grayRing: ratio("a gray link", "spray", "reps"),
        grayRacks: ratio("a gray link", "spray", "reps", false),
        conga: ratio("equal", "conga", "drill"),
        seeds: seedsOf(rows),
        reordered: `${share("spray")} under spraying, ${share("reps")} under REPS, ${share("drill")} under DRILL`,
      };
    },
    slow: true,
  }),
  transports: block({
    runs: { rows: run("examples/compare/spraying-transports.yaml") },
    pick: { rows: rowsBy(transportOf) },
    render: ({ rows }) =>
      table(
        ["transport", "ECMP", "spraying", "REPS", "sent again in a run: ECMP", "spraying", "REPS"],
        TRANSPORTS.map((where) => {
          const own = ["ecmp", "spray", "reps"].map((scheme) => rowOf(rows, where, scheme));
          return [where, ...own.map(mean), ...own.map((row) => inRun(row.retransmissions, row.seeds))];
        }),
      ),
    values: ({ rows }) => ({
      seeds: seedsOf(rows),
      goBackN: times(rowOf(rows, "go-back-N", "spray"), rowOf(rows, "selective repeat", "spray")),
      dcqcn: times(rowOf(rows, "DCQCN", "ecmp"), rowOf(rows, "selective repeat", "ecmp")),
      lost: String(rowOf(rows, "go-back-N", "spray").drops),
      lostTcp: String(rowOf(rows, "TCP, DCTCP", "spray").drops + rowOf(rows, "TCP, DCTCP", "reps").drops),
    }),
    slow: true,
  }),
  pfc: block({
    runs: { rows: run("examples/compare/spraying-pfc.yaml") },
    pick: { rows: pausedRows },
    render: ({ rows }) =>
      table(
        [
          "network",
          "transport",
          "flow control",
          "ECMP",
          "spraying",
          "lost in a run: ECMP",
          "spraying",
          "sent again: ECMP",
          "spraying",
          "pauses: ECMP",
          "spraying",
        ],
        rows
          .filter(({ scheme }) => scheme === "ecmp")
          .map(({ network, transport, pfc }) => {
            const own = ["ecmp", "spray"].map((scheme) => pausedRow(rows, network, transport, pfc, scheme));
            const counts = (key: "drops" | "retransmissions" | "pfc_pauses") =>
              own.map(({ figures }) => inRun(figures[key] ?? 0, figures.seeds!));
            return [
              network,
              transport,
              pfc ? "yes" : "no",
              ...own.map(({ figures }) => meanOf(figures.slowdown_mean!, figures.slowdown_mean_ci95!)),
              ...counts("drops"),
              ...counts("retransmissions"),
              ...(pfc ? counts("pfc_pauses") : ["", ""]),
            ];
          }),
      ),
    values: ({ rows }) => {
      const EQUAL = "equal";
      const slowdown = (transport: string, pfc: boolean, scheme: string, network = EQUAL) =>
        pausedRow(rows, network, transport, pfc, scheme).figures.slowdown_mean!;
      const ratio = (a: number, b: number) => `${fixed(a / b, 2)} times`;
      const grayCounts = (transport: string, pfc: boolean, between: string, after = "") => {
        const { retransmissions, drops, seeds } = pausedRow(rows, "gray", transport, pfc, "ecmp").figures;
        return `${inRun(retransmissions!, seeds!)}${between} ${inRun(drops!, seeds!)}${after}`;
      };
      const ofGray = rows.filter(({ network }) => network.startsWith("gray"));
      return {
        seeds: seedsOf(rows.map(({ figures }) => ({ seeds: figures.seeds! }))),
        window: ratio(
          slowdown("go-back-N, window", false, "ecmp"),
          slowdown("go-back-N, window", true, "ecmp"),
        ),
        headroom: String(ofGray.reduce((sum, { figures }) => sum + (figures.pfc_drops ?? 0), 0)),
        deadlocks: String(rows.reduce((sum, { figures }) => sum + (figures.pfc_deadlocks ?? 0), 0)),
        deployed: ratio(
          slowdown("go-back-N, DCQCN", true, "ecmp"),
          slowdown("selective repeat, window", false, "ecmp"),
        ),
        lossy: ratio(slowdown("go-back-N, DCQCN", false, "ecmp"), slowdown("go-back-N, DCQCN", true, "ecmp")),
        sprayed: ratio(
          slowdown("go-back-N, DCQCN", true, "spray"),
          slowdown("selective repeat, window", false, "spray"),
        ),
        timers: ["selective repeat, window", "go-back-N, window"]
          .map((transport) => pausedRow(rows, EQUAL, transport, false, "ecmp").figures)
          .map(({ timeouts, seeds }) => inRun(timeouts!, seeds!))
          .join(" and "),
        grayAgain: grayCounts("go-back-N, DCQCN", true, " packets again for", " lost"),
        grayRepeat: grayCounts("selective repeat, window", false, " for"),
      };
    },
    slow: true,
  }),
  failure: block({
    runs: { rows: run("examples/compare/spraying-failure.yaml") },
    pick: { rows: rowsBy(() => "failure") },
    render: ({ rows }) =>
      table(
        [
          "scheme",
          "flows that never end",
          "mean slowdown of the others",
          "packets lost",
          "sent again",
          "timeouts",
        ],
        ["ecmp", "prr", "spray", "reps", "reps-thawed"].map((scheme) => {
          const row = rowOf(rows, "failure", scheme);
          return [
            TITLES[scheme]!,
            String(row.unfinished),
            mean(row),
            ...[row.drops, row.retransmissions, row.timeouts].map((count) => count.toLocaleString("en")),
          ];
        }),
      ),
    values: ({ rows }) => {
      const again = (scheme: string) => rowOf(rows, "failure", scheme).retransmissions;
      return {
        spray: `${fixed(again("spray") / again("reps"), 1)} times`,
        thawed: `${fixed(again("reps-thawed") / again("reps"), 1)} times`,
        slower: times(rowOf(rows, "failure", "spray"), rowOf(rows, "failure", "reps")),
      };
    },
  }),
});
