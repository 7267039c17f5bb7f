import { bench, block, p4loom, page, type RunDocument, run } from "../../block.js";
import { localisation } from "../../blocks/localisation.js";
import { memory } from "../../blocks/memory.js";
import { longRuns } from "../../blocks/p-ecmp.js";
import { fixed, measured, percent, pickKeys, range, significant, table, unit } from "../../text.js";

/** A row of an experiment with single failures. */
interface Recovery {
  scheme: string;
  failure: string;
  first: number;
  recovered: number;
  /** Not there: fewer than 95 % of the flows have recovered. */
  p95?: number;
  copies: number;
}

const recoveries = (document: RunDocument): Recovery[] =>
  document.rows.map((row: Record<string, number | string | null>) => ({
    scheme: row["scheme"],
    failure: row["failure"],
    first: row["first_try_success"],
    recovered: row["recovered"],
    ...(row["p95_ms"] === null ? {} : { p95: row["p95_ms"] }),
    copies: row["copies_mean"],
  }));

/** First tries: no decimals when all of them succeed. */
const first = (share: number) => percent(share, share === 1 ? 0 : 1);

const firstAndP95 = ({ first: share, p95, recovered }: Recovery) => {
  const time =
    p95 === undefined
      ? `never (${percent(1 - recovered, 0)} of the flows)`
      : `${fixed(p95, p95 < 1000 ? 1 : 0)} ms`;
  return `${first(share)}, ${time}`;
};

const copies = (rows: readonly Recovery[]) =>
  range(
    rows.map((row) => row.copies),
    (value) => (value === 0 ? "0" : fixed(value, value < 10 ? 1 : 0)),
  );

const MECHANISMS: Readonly<Record<string, string>> = {
  pecmp: "P-ECMP, `failover: probe`",
  "pecmp-prr": "P-ECMP, `failover: prr`",
  "pecmp-shift": "P-ECMP, `failover: shift`",
  prr: "PRR",
  "prr-copies": "PRR, `copies: 2`",
};

const FAILURES = ["tor", "leaf", "spine", "link"];
const SITES = ["ToR, N = 2", "leaf, N = 8", "spine, N = 512", "link, N = 16"];

const FAILOVER_12 = run("examples/pecmp-failover-12.yaml");
const FIRST_TRIES = bench("first-tries");

const ofScheme = (rows: readonly Recovery[], scheme: string) => rows.filter((row) => row.scheme === scheme);

const GRAY_SCHEMES: Readonly<Record<string, string>> = {
  pecmp: "P-ECMP `probe`",
  "pecmp-shift": "P-ECMP `shift`",
  "pecmp-prr": "P-ECMP `prr`",
  prr: "PRR",
  "prr-copies": "PRR, `copies: 2`",
  ecmp: "ECMP",
};

interface Gray {
  scheme: string;
  failure: string;
  timeouts: number;
  copies: number;
}

/** Payload of a segment in examples/pecmp/update.yaml. */
const SEGMENT_BYTES = 1440;

/** Faults and schemes of examples/pecmp/storage.yaml in their order. */
const STORAGE_FAILURES = ["leaf, both directions", "leaf, towards the servers", "ToR, towards the servers"];
const STORAGE_SCHEMES = ["`ecmp`", "`pecmp` (two copies)", "`pecmp`, `failover: prr`", "`prr` (one copy)"];

/** Networks of `first-tries` in the order of the page. */
const NETWORKS: Readonly<Record<string, string>> = {
  "random-graphs": "random graphs, 8 to 24 switches",
  "clos-single-homed": "Clos, single-homed, 1 to 10 % of the links missing (500)",
  "clos-dual-homed": "Clos, dual-homed, 1 to 10 % of the links missing (500)",
};

/** Mechanisms by their names in `first-tries`, and its names of the failed elements of {@link FAILURES}. */
const PATH_MODEL = {
  pecmp: "pecmp",
  "pecmp-prr": "pecmp-prr-roles",
  prr: "prr",
  "prr-copies": "prr-2-copies",
};
const MODEL_SITES = ["tor", "leaf", "spine", "tor-leaf"];

/** A percentage of the benchmark. */
const points = (value: number) => (value === 100 ? "100 %" : `${fixed(value, 1)} %`);

/** A topology of the paper's table 2. */
interface Fabric {
  topology: string;
  paths: number;
  groups: Record<string, number | null>;
  selector_bits: { offset: number; both: number };
}

const fabrics = (document: RunDocument): Fabric[] =>
  document.rows.map((row: Fabric) => pickKeys(row, ["topology", "paths", "groups", "selector_bits"]));

const TABLE_2 = ["generate", "pecmp", "--topology", "table2", "--report"];

/** The range of the switches' groups that are there. */
const groupsOf = (rows: readonly Fabric[], role: string) =>
  range(
    rows.map(({ groups }) => groups[role] ?? 0).filter((count) => count > 0),
    (count) => fixed(count),
  ).replace(" to ", "-");

/** Timeouts of a flow by scheme, for each share that a leaf loses. */
const gray = (file: string, slow: boolean) =>
  block({
    slow,

    runs: { rows: run(file) },
    pick: {
      rows: (document): Gray[] =>
        document.rows.map((row: Record<string, number | string>) => ({
          scheme: row["scheme"],
          failure: row["failure"],
          timeouts: row["timeouts_per_flow"],
          copies: row["copies_mean"],
        })),
    },
    render: ({ rows }) => {
      const failures = [...new Set(rows.map((row) => row.failure))];
      return table(
        ["share lost", ...Object.values(GRAY_SCHEMES)],
        failures.map((failure) => [
          /\d+ ?%/.exec(failure)?.[0].replace(/ ?%/, " %") ?? failure,
          ...Object.keys(GRAY_SCHEMES).map((scheme) =>
            significant(rows.find((row) => row.scheme === scheme && row.failure === failure)!.timeouts),
          ),
        ]),
      );
    },
    values: ({ rows }) => {
      // Copies and timeouts of P-ECMP's default, at the share that needs least and the one that needs most.
      const own = rows.filter(({ scheme }) => scheme === "pecmp");
      return {
        copies: range(
          own.map((row) => row.copies),
          (value) => fixed(value, 1),
        ),
        timeouts: range(
          own.map((row) => row.timeouts),
          (value) => fixed(value, 1),
        ),
      };
    },
  });

/** `0.2 % and 0.2 %`: the numbers of groups and members in the text, of 8,192 and 65,536. */
function shareOfTrident(what: string): string {
  const numbers = [...what.matchAll(/(\d+) groups? of (\d+)/g)][0]?.slice(1).map(Number);
  const [groups, members] = numbers === undefined ? [8192, 65_536] : [numbers[0]!, numbers[0]! * numbers[1]!];
  const share = (part: number, all: number) => `${fixed((100 * part) / all, 1)} %`;
  return `${share(groups, 8192)} and ${share(members, 65_536)}`;
}

export default page("docs/papers/p-ecmp.md", {
  memory: memory(
    "pecmp",
    "groups and members",
    [{ title: "of a Trident 5's 8K groups, 64K members", of: shareOfTrident }],
    { up_matrix: "table of groups", up_members: "members" },
  ),
  table_2: block({
    runs: { rows: p4loom(...TABLE_2, "--json") },
    pick: { rows: fabrics },
    values: ({ rows }) => ({
      paths: rows.map(({ paths }) => fixed(paths)).join(", "),
      groups: ["tor", "leaf", "spine"].map((role) => groupsOf(rows, role)).join(", "),
      offset_bits: range(
        rows.map((row) => row.selector_bits.offset),
        (bits) => fixed(bits),
      ),
    }),
  }),

  table_2_versions: block({
    runs: { rows: p4loom(...TABLE_2, "--version-bit", "per-hop", "--legs", "--json") },
    pick: { rows: fabrics },
    values: ({ rows }) => {
      // Hosts of #1 to #8 have one NIC, those of #9 to #12 two.
      const most = (some: readonly Fabric[]) => fixed(Math.max(...some.map((row) => row.selector_bits.both)));
      return { single_homed: most(rows.slice(0, 8)), dual_homed: most(rows.slice(8)) };
    },
  }),

  failover: block({
    runs: { rows: FAILOVER_12 },
    pick: { rows: recoveries },
    render: ({ rows }) =>
      table(
        ["mechanism", "copies", ...SITES],
        Object.entries(MECHANISMS).map(([scheme, name]) => {
          const own = ofScheme(rows, scheme);
          const cells = FAILURES.map((failure) => firstAndP95(own.find((row) => row.failure === failure)!));
          return [name, copies(own), ...cells];
        }),
      ),
    values: ({ rows }) =>
      Object.fromEntries(rows.map((row) => [`${row.scheme}_${row.failure}`, first(row.first)])),
  }),

  closed_form: block({
    runs: { rows: FAILOVER_12 },
    pick: {
      rows: (document): { scheme: string; measured: number[]; theory: (number | null)[] }[] =>
        ["pecmp-prr", "prr-copies"].map((scheme) => {
          const own = FAILURES.map((failure) =>
            document.rows.find((row: Recovery) => row.scheme === scheme && row.failure === failure),
          );
          return {
            scheme,
            measured: own.map((row) => row.first_try_success),
            theory: own.map((row) => row.theory_first_try_success),
          };
        }),
    },
    render: ({ rows }) =>
      table(
        ["mechanism", "measured", "closed form"],
        rows.map(({ scheme, measured: shares, theory }) => [
          MECHANISMS[scheme],
          shares.map((share) => percent(share)).join(", "),
          theory.map((share) => (share === null ? "-" : percent(share))).join(", "),
        ]),
      ),
  }),

  gray: gray("examples/pecmp-gray.yaml", false),

  gray_window: gray("examples/pecmp/gray-window.yaml", true),

  ...localisation,

  ...longRuns,

  graphs: block({
    runs: { rows: run("examples/pecmp/graphs.yaml") },
    pick: { rows: recoveries },
    render: ({ rows }) =>
      table(
        ["hosts", "copies", "switch fails: first try, p95", "link fails: first try, p95"],
        Object.entries({
          multiroute: "`multiroute`, `failover: probe`",
          "one copy": "`multiroute`, `failover: prr`",
          pecmp: "`pecmp`, `failover: probe`",
          prr: "PRR",
        }).map(([scheme, name]) => {
          const own = ofScheme(rows, scheme);
          const cells = ["switch", "link"].map((failure) =>
            firstAndP95(own.find((row) => row.failure === failure)!),
          );
          return [name, copies(own), ...cells];
        }),
      ),
  }),

  first_tries: block({
    runs: { shares: FIRST_TRIES },
    pick: {
      shares: (document): Record<string, number[]> =>
        Object.fromEntries(
          Object.keys(NETWORKS).map((network) => [
            network,
            ["failures", "avoidable", "multiroute", "pecmp", "prr-2-copies"].map((what) =>
              measured(document, `first-tries/${network}/${what}`),
            ),
          ]),
        ),
    },
    render: ({ shares }) =>
      table(
        [
          "networks, 1,000 each kind",
          "failures",
          "avoidable, the bound",
          "`multiroute`",
          "`pecmp`, two copies",
          "PRR, two copies",
        ],
        Object.entries(NETWORKS).map(([network, name]) => {
          const [failures, avoidable, ...left] = shares[network]!;
          return [name, fixed(failures!), fixed(avoidable!), ...left.map(points)];
        }),
      ),
  }),

  path_model: block({
    runs: { model: FIRST_TRIES, packets: FAILOVER_12 },
    pick: {
      model: (document): Record<string, number> =>
        Object.fromEntries(
          Object.values(PATH_MODEL).flatMap((label) =>
            MODEL_SITES.map((site) => [
              `${label}/${site}`,
              measured(document, `first-tries/topology-12/${label}/${site}`),
            ]),
          ),
        ),
      packets: recoveries,
    },
    render: ({ model, packets }) =>
      table(
        ["mechanism", ...SITES],
        Object.entries(PATH_MODEL).map(([scheme, label]) => [
          MECHANISMS[scheme],
          ...FAILURES.map((failure, i) => {
            const packet = packets.find((row) => row.scheme === scheme && row.failure === failure)!;
            return `${points(model[`${label}/${MODEL_SITES[i]}`]!)} / ${first(packet.first)}`;
          }),
        ]),
      ),
  }),

  updates: block({
    runs: { rows: run("examples/pecmp/update.yaml") },
    pick: {
      rows: (document): Record<string, number>[] =>
        document.rows
          .filter((row: Record<string, unknown>) => row["size"] === "all")
          .map((row: Record<string, number>) =>
            Object.fromEntries(
              [
                "drops",
                "reordered",
                "reordered_flows",
                "reordered_max",
                "max_reordering_bytes",
                "retransmissions",
                "timeouts",
                "flows",
                "goodput_gbps",
                "goodput_since_gbps",
                "held_flows",
                "held_p50_ms",
                "held_max_ms",
                "silence_max_ms",
              ].map((key) => [key, row[key] ?? 0]),
            ),
          ),
    },
    render: ({ rows }) =>
      table(
        [
          "",
          "dropped by switches",
          "segments out of order",
          "flows with such segments",
          "maximum of a flow",
          "maximum distance, segments",
          "retransmissions",
          "timeouts",
        ],
        [
          "no update",
          "`transaction`",
          "`transaction`, `switchover: at_once`",
          "`plain`: switch by switch, in place",
        ].map((name, i) => {
          const row = rows[i]!;
          return [
            name,
            row["drops"],
            row["reordered"],
            row["reordered_flows"],
            row["reordered_max"],
            row["max_reordering_bytes"]! / SEGMENT_BYTES,
            row["retransmissions"],
            row["timeouts"],
          ];
        }),
      ),
    values: ({ rows }) => {
      const [, transaction, atOnce, plain] = rows as Record<string, number>[] as [
        Record<string, number>,
        Record<string, number>,
        Record<string, number>,
        Record<string, number>,
      ];
      return {
        transaction_lost: fixed(transaction["drops"]!),
        transaction_late: fixed(transaction["reordered"]!),
        at_once_late: fixed(atOnce["reordered"]!),
        plain_most: fixed(plain["reordered_max"]!),
        plain_distance: fixed(plain["max_reordering_bytes"]! / SEGMENT_BYTES),
        plain_late: fixed(plain["reordered"]!),
        plain_lost: fixed(plain["drops"]!),
        flows: fixed(transaction["flows"]!),
        goodput: `${rows.map((row) => fixed(row["goodput_gbps"]!, 1)).join(", ")} Gbit/s`,
        since: `${rows.map((row) => fixed(row["goodput_since_gbps"]!, 1)).join(", ")} Gbit/s`,
        hold_cost: percent(1 - transaction["goodput_gbps"]! / rows[0]!["goodput_gbps"]!, 0),
        held: fixed(transaction["held_flows"]!),
        held_p50: unit(transaction["held_p50_ms"]!, "ms"),
        held_max: unit(transaction["held_max_ms"]!, "ms"),
        silence: unit(transaction["silence_max_ms"]!, "ms"),
        silence_without: unit(rows[0]!["silence_max_ms"]!, "ms"),
      };
    },
  }),

  storage: block({
    runs: { rows: run("examples/pecmp/storage.yaml") },
    pick: {
      rows: (document): Record<string, number>[] =>
        document.rows.map((row: Record<string, number>) =>
          pickKeys(row, [
            "scheme",
            ...["jitter", "hang"].flatMap((name) =>
              ["min", "p50", "max"].map((which) => `${name}_${which}_s`),
            ),
            "reconnects",
          ]),
        ),
    },
    render: ({ rows }) => {
      const seconds = (row: Record<string, number>, name: string) =>
        ["min", "p50", "max"]
          .map((which) => row[`${name}_${which}_s`] ?? null)
          .map((value) => (value === null ? "-" : fixed(value, 2)))
          .join(" / ");
      return table(
        ["failure", "scheme", "slow IOs", "hang", "closed"],
        rows.map((row, i) => [
          i % STORAGE_SCHEMES.length === 0 ? STORAGE_FAILURES[i / STORAGE_SCHEMES.length]! : "",
          STORAGE_SCHEMES[i % STORAGE_SCHEMES.length]!,
          seconds(row, "jitter"),
          seconds(row, "hang"),
          row["reconnects"],
        ]),
      );
    },
  }),
});
