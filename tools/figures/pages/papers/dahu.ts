import { block, page, type RunDocument, run } from "../../block.js";
import { memory } from "../../blocks/memory.js";
import { fixed, meanOf, percent, table } from "../../text.js";

const COUNT = "traffic.0.pattern.cliques.count";
const SENDERS = "traffic.0.senders.switches";

/** A row of a fluid experiment: scheme, swept value, whether flows keep their paths, seed, Gbps, links of a byte. */
interface Row {
  readonly scheme: string;
  readonly at: number | string;
  readonly keeps: boolean;
  readonly seed: number;
  readonly gbps: number;
  readonly links: number;
}

const rowsBy =
  (key?: string) =>
  (document: RunDocument): Row[] =>
    document.rows.map((row: Record<string, unknown>) => ({
      scheme: row["scheme"],
      at: key === undefined ? 0 : row[key],
      keeps: row["keep_paths"] ?? false,
      seed: row["seed"] ?? document.seed,
      gbps: row["throughput_gbps"],
      links: row["mean_links"],
    }));

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Gains over ECMP in percent, one for each seed. */
function gains(
  rows: readonly Row[],
  scheme: string,
  at: number | string,
  keeps: boolean,
  rival = "ecmp",
): number[] {
  return rows
    .filter((row) => row.scheme === scheme && row.at === at && row.keeps === keeps)
    .map((row) => {
      const base = rows.find(
        (one) => one.scheme === rival && one.at === at && one.keeps === keeps && one.seed === row.seed,
      )!;
      return 100 * (row.gbps / base.gbps - 1);
    });
}

const others = (rows: readonly Row[]) =>
  unique(rows.map(({ scheme }) => scheme)).filter((name) => name !== "ecmp");
const FOLLOW = "flows follow";
const KEEP = "flows keep";

/** Gains by scheme: for each swept value under the model that switches can carry, then under the other one. */
function bothModels(rows: readonly Row[], what: string): string[] {
  const values = unique(rows.map(({ at }) => at));
  const models = [false, true] as const;
  return table(
    [
      what,
      ...models.flatMap((keeps) =>
        values.map((at) => `${keeps ? KEEP : FOLLOW}, ${fixed(Number(at))} cliques`),
      ),
    ],
    others(rows).map((scheme) => [
      scheme,
      ...models.flatMap((keeps) =>
        values.map((at) => {
          const list = gains(rows, scheme, at, keeps);
          return list.length === 0 ? undefined : `${meanOf(list)} %`;
        }),
      ),
    ]),
  );
}

/** Gains over a rival by scheme, for each swept value. */
function gainsBy(
  rows: readonly Row[],
  what: string,
  column: (at: number | string) => string,
  decimals: number,
  rival = "ecmp",
): string[] {
  const values = unique(rows.map(({ at }) => at));
  const keeps = rows[0]!.keeps;
  return table(
    [what, ...values.map(column)],
    unique(rows.map(({ scheme }) => scheme))
      .filter((scheme) => scheme !== rival)
      .map((scheme) => [
        scheme,
        ...values.map((at) => `${meanOf(gains(rows, scheme, at, keeps, rival), decimals)} %`),
      ]),
  );
}

interface Validated {
  readonly scheme: string;
  readonly senders: number;
  readonly aimd: boolean;
  readonly gbps: number;
}

interface Subflows {
  readonly scheme: string;
  readonly senders: number;
  readonly subflows: number;
  readonly gbps: number;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean completion times by scheme, over seeds. */
const times = (document: RunDocument) =>
  document.rows.map((row: Record<string, unknown>) => ({
    scheme: row["scheme"] as string,
    keeps: (row["keep_paths"] ?? false) as boolean,
    ms: row["fct_mean_ms"] as number,
  }));

type Time = ReturnType<typeof times>[number];

const timeOf = (rows: readonly Time[], scheme: string, keeps = false) =>
  mean(rows.filter((row) => row.scheme === scheme && row.keeps === keeps).map(({ ms }) => ms));

export default page("docs/papers/dahu.md", {
  memory: memory(
    "dahu",
    "switch",
    [
      { title: "virtual ports, 1 byte each, KB", of: () => "64" },
      {
        title: "counters of 8 bytes, KB",
        of: (ports) => fixed((64 * Number.parseInt(ports, 10) * 8) / 1024),
      },
      {
        title: "two bitmaps a prefix, KB",
        of: (ports) => fixed((16_384 * 2 * Number.parseInt(ports, 10)) / 8 / 1024),
      },
    ],
    { virtual_ports: "virtual ports", group_traffic: "counters", destinations: "bitmaps" },
  ),
  cliques: block({
    runs: { rows: run("examples/dahu/clique.yaml") },
    pick: { rows: rowsBy(COUNT) },
    slow: true,
    render: ({ rows }) => bothModels(rows, "131,712 servers, 1 s, one seed"),
    values: ({ rows }) => ({
      links: ["ecmp", "Dahu-1", "Dahu-2"]
        .map((scheme) => {
          const { links } = rows.find((row) => row.scheme === scheme && row.at === 768 && !row.keeps)!;
          return `${fixed(links, 2)} (${scheme === "ecmp" ? "ECMP" : scheme})`;
        })
        .join(", "),
    }),
  }),
  cliquesSmall: block({
    runs: { rows: run("examples/dahu/clique-small.yaml") },
    pick: { rows: rowsBy(COUNT) },
    slow: true,
    render: ({ rows }) => bothModels(rows, "12,288 servers, 0.5 s, three seeds"),
  }),
  sensitivity: block({
    runs: { rows: run("examples/dahu/sensitivity.yaml") },
    pick: { rows: rowsBy(COUNT) },
    render: ({ rows }) => {
      const settings = unique(
        others(rows)
          .filter((name) => name.startsWith("Dahu-1"))
          .map((name) => name.slice("Dahu-1".length).trim()),
      );
      const cell = (scheme: string, at: number) => percent(mean(gains(rows, scheme, at, false)) / 100, 0);
      const columns = [12, 144] as const;
      const line = (name: string, of: (n: number) => string) => [
        name,
        ...columns.flatMap((at) => [1, 2].map((n) => cell(of(n), at))),
      ];
      return table(
        ["setting", ...columns.flatMap((at) => [1, 2].map((n) => `Dahu-${n}, ${at} cliques`))],
        [
          ...settings.map((setting) =>
            line(setting === "" ? "defaults (the paper's)" : setting, (n) =>
              setting === "" ? `Dahu-${n}` : `Dahu-${n} ${setting}`,
            ),
          ),
          line("static nDer", (n) => `${n}Der`),
        ],
      );
    },
  }),
  epoch: block({
    runs: { rows: run("examples/dahu/epoch.yaml") },
    pick: { rows: rowsBy("epoch") },
    render: ({ rows }) => {
      const epochs = unique(rows.map(({ at }) => at));
      return table(
        ["epoch", ...epochs.map(String)],
        others(rows).map((scheme) => [
          scheme,
          ...epochs.map((at) => percent(mean(gains(rows, scheme, at, false)) / 100, 0)),
        ]),
      );
    },
  }),
  fatTree: block({
    runs: { rows: run("examples/dahu/fat-tree-small.yaml") },
    pick: { rows: rowsBy() },
    render: ({ rows }) =>
      table(
        ["stride 64, 1,024 hosts", FOLLOW, KEEP],
        others(rows).map((scheme) => [
          scheme === "Dahu" ? "counters of members" : scheme,
          ...[false, true].map((keeps) => `${meanOf(gains(rows, scheme, 0, keeps), 1)} %`),
        ]),
      ),
  }),
  unequal: block({
    runs: { rows: run("examples/dahu/unequal-links.yaml") },
    pick: { rows: rowsBy() },
    render: ({ rows }) =>
      table(
        ["scheme", "Gbps of 25"],
        unique(rows.map(({ scheme }) => scheme)).map((scheme) => [
          scheme,
          meanOf(
            rows.filter((row) => row.scheme === scheme).map(({ gbps }) => gbps),
            1,
          ),
        ]),
      ),
  }),
  feedback: block({
    runs: { rows: run("examples/dahu/feedback.yaml") },
    pick: { rows: rowsBy(SENDERS) },
    render: ({ rows }) =>
      table(
        ["over ECMP", "3 switches send", "all 16"],
        others(rows).map((scheme) => [
          scheme,
          ...[3, 16].map((at) => `${meanOf(gains(rows, scheme, at, false), 1)} %`),
        ]),
      ),
  }),
  packets: block({
    runs: { packets: run("examples/dahu/packet.yaml"), flows: run("examples/dahu/packet-fluid.yaml") },
    pick: { packets: times, flows: times },
    render: ({ packets, flows }) =>
      table(
        ["mean completion time, ms", "packets", "flows", "difference"],
        unique((flows as Time[]).map(({ scheme }) => scheme)).map((scheme) => {
          const [a, b] = [timeOf(packets, scheme), timeOf(flows, scheme)];
          return [scheme, fixed(a), fixed(b), percent(a / b - 1, 0)];
        }),
      ),
  }),
  hotPair: block({
    runs: { packets: run("examples/dahu/hot-pair.yaml"), flows: run("examples/dahu/hot-pair-fluid.yaml") },
    pick: { packets: times, flows: times },
    render: ({ packets, flows }) =>
      table(
        ["mean completion time, ms", "packets", FOLLOW, KEEP],
        unique((flows as Time[]).map(({ scheme }) => scheme)).map((scheme) => [
          scheme,
          fixed(timeOf(packets, scheme)),
          ...[false, true].map((keeps) => fixed(timeOf(flows, scheme, keeps))),
        ]),
      ),
  }),
  /** Figure 7: rates of lasting flows. */
  validation: block({
    runs: { rows: run("examples/dahu/validation.yaml") },
    pick: {
      rows: (document: RunDocument) =>
        document.rows.map((row: Record<string, unknown>) => ({
          scheme: row["scheme"] as string,
          senders: row[SENDERS] as number,
          aimd: row["rates"] !== "max_min",
          gbps: row["throughput_gbps"] as number,
        })),
    },
    slow: true,
    render: ({ rows }: { rows: Validated[] }) => {
      const senders = unique(rows.map((row) => row.senders));
      return table(
        ["Gbps: max-min fair / AIMD", ...senders.map((count) => `${count} switches send`)],
        unique(rows.map(({ scheme }) => scheme)).map((scheme) => [
          scheme,
          ...senders.map((count) =>
            [false, true]
              .map((aimd) =>
                fixed(
                  rows.find((row) => row.scheme === scheme && row.senders === count && row.aimd === aimd)!
                    .gbps,
                ),
              )
              .join(" / "),
          ),
        ]),
      );
    },
  }),
  /** Figure 10 in the smaller HyperX: gains by the rate of the hot switches. */
  mixedSmall: block({
    runs: { rows: run("examples/dahu/mixed-small.yaml") },
    pick: { rows: rowsBy("traffic.0.rate") },
    slow: true,
    render: ({ rows }) => gainsBy(rows, "12,288 servers, three seeds", (at) => `${at} of a hot switch`, 1),
  }),
  /** Figure 11 with 8,192 hosts. */
  fatTreeLarge: block({
    runs: { rows: run("examples/dahu/fat-tree.yaml") },
    pick: {
      rows: (document: RunDocument): Row[] =>
        document.rows.map((row: Record<string, unknown>) => ({
          scheme: row["scheme"],
          at: `${typeof row["traffic.0.pattern"] === "object" ? "stride 256" : "random"}, ${row["traffic.0.senders.hosts"]} of 16 hosts send`,
          keeps: false,
          seed: row["seed"] ?? document.seed,
          gbps: row["throughput_gbps"],
          links: row["mean_links"],
        })),
    },
    slow: true,
    render: ({ rows }) => {
      const columns = unique(others(rows));
      return table(
        [
          "over ECMP, 8,192 hosts",
          ...columns.map((name) => (name === "Dahu" ? "counters of members" : name)),
        ],
        unique(rows.map(({ at }) => at)).map((at) => [
          String(at),
          ...columns.map((scheme) => `${meanOf(gains(rows, scheme, at, false), 1)} %`),
        ]),
      );
    },
  }),
  /** Figure 12 in the smaller HyperX, a permutation of half of the hosts. */
  mptcpSmall: block({
    runs: { rows: run("examples/dahu/mptcp-small.yaml") },
    pick: { rows: rowsBy("subflows") },
    render: ({ rows }) =>
      gainsBy(rows, "over MPTCP-ECMP, two seeds", (at) => `${at} subflows`, 0, "MPTCP-ECMP"),
  }),
  /** Figure 12 where few links are on shortest paths. */
  mptcpRacks: block({
    runs: { rows: run("examples/dahu/mptcp-racks.yaml") },
    pick: {
      rows: (document: RunDocument) =>
        document.rows.map((row: Record<string, unknown>) => ({
          scheme: row["scheme"] as string,
          senders: row[SENDERS] as number,
          subflows: row["subflows"] as number,
          gbps: row["throughput_gbps"] as number,
        })),
    },
    render: ({ rows }: { rows: Subflows[] }) => {
      const subflows = unique(rows.map((row) => row.subflows));
      const of = (scheme: string, senders: number, count: number) =>
        rows.find((row) => row.scheme === scheme && row.senders === senders && row.subflows === count)!.gbps;
      return table(
        ["over MPTCP-ECMP, one seed", ...subflows.map((count) => `${count} subflows`)],
        ["MPTCP-1Der", "MPTCP-2Der", "Dahu-1", "Dahu-2"].flatMap((scheme) =>
          unique(rows.map((row) => row.senders)).map((senders) => [
            `${scheme}, ${senders} switches send`,
            ...subflows.map((count) =>
              percent(of(scheme, senders, count) / of("MPTCP-ECMP", senders, count) - 1, 0),
            ),
          ]),
        ),
      );
    },
  }),
});
