/** Blocks of P-ECMP's page with loads and long runs: subflows, losses over time, spraying and load balancing. */
import { type Block, block, type RunDocument, run, withCsv } from "../block.js";
import { fixed, percent, pickKeys, range, significant, table } from "../text.js";

interface Lost {
  readonly scheme: string;
  readonly subflow_ports: string;
  readonly failure: string;
  readonly lost: number;
  readonly random_lost: number;
}

const MULTIPATH: readonly [string, string, string, string][] = [
  ["ports, ECMP", "-", "ecmp", "own"],
  ["ports and selectors", "k, floor(k / 2)", "pecmp-halved", "own"],
  ["selectors alone", "k, k", "pecmp-mirrored", "shared"],
  ["selectors alone", "k, floor(k / 2)", "pecmp-halved", "shared"],
  ["exact next hops alone", "k, floor(k / 2)", "pecmp-hops", "shared"],
];
const SITES: readonly [string, string][] = [
  ["tor", "ToR, N = 2"],
  ["leaf", "leaf, N = 8"],
  ["spine", "spine, N = 512"],
  ["link", "link, N = 16"],
];

/** Connections of four subflows that lose all of them. */
const multipath = block({
  runs: { rows: run("examples/pecmp/multipath.yaml") },
  pick: {
    rows: (document: RunDocument): Lost[] =>
      document.rows.map((row: Lost) =>
        pickKeys(row, ["scheme", "subflow_ports", "failure", "lost", "random_lost"]),
      ),
  },
  render: ({ rows }) => {
    const of = (scheme: string, ports: string, failure: string) =>
      rows.find((row) => row.scheme === scheme && row.subflow_ports === ports && row.failure === failure)!;
    const lines = MULTIPATH.map(([what, selectors, scheme, ports]) => [
      what,
      selectors,
      ...SITES.map(([failure]) => fixed(of(scheme, ports, failure).lost)),
    ]);
    const drawn = [
      "independent draws, closed form",
      "-",
      ...SITES.map(([failure]) => fixed(of("ecmp", "own", failure).random_lost)),
    ];
    return table(
      ["subflows distinguished by", "selectors of data, acknowledgements", ...SITES.map(([, name]) => name)],
      [lines[0]!, drawn, ...lines.slice(1)],
    );
  },
  values: ({ rows }) => {
    const lost = (failure: string, scheme = "ecmp", ports = "own") =>
      rows.find((row) => row.scheme === scheme && row.subflow_ports === ports && row.failure === failure)!;
    return {
      leaf: fixed(lost("leaf").lost),
      leafDrawn: fixed(lost("leaf").random_lost),
      tor: fixed(lost("tor").lost),
      torDrawn: fixed(lost("tor").random_lost),
      spine: fixed(lost("spine").lost),
      halved: fixed(Math.max(...SITES.map(([failure]) => lost(failure, "pecmp-halved", "shared").lost))),
      mirrored: fixed(lost("tor", "pecmp-mirrored", "shared").lost),
    };
  },
});

/** A row of a load experiment that sweeps load and trace. */
interface Load {
  readonly scheme: string;
  readonly load: number;
  readonly trace: string;
  readonly fct_p50_ms: number;
  readonly fct_p99_ms: number;
  readonly fct_max_ms: number;
  readonly slowdown_mean: number;
  readonly reordered_share: number;
}

const LOAD_KEYS = [
  ...["scheme", "load", "fct_p50_ms", "fct_p99_ms", "fct_max_ms", "slowdown_mean", "reordered_share"],
] as const;

const loads = (document: RunDocument): Load[] =>
  document.rows
    .filter(({ size }: { size: string }) => size === "all")
    .map((row: Load & { readonly "traffic.sizes": string }) => ({
      ...pickKeys(row, [...LOAD_KEYS] as (keyof Load)[]),
      trace: row["traffic.sizes"],
    }));

const TRACES: readonly [string, string][] = [
  ["web_search", "Web Search"],
  ["hadoop", "Hadoop"],
];
const LOADS = [0.3, 0.5, 0.8];
const at = (rows: readonly Load[], scheme: string, trace: string, load: number) =>
  rows.find((row) => row.scheme === scheme && row.trace === trace && row.load === load)!;

/** Completion times of two schemes, divided by the median of the second one. */
const completions = (rows: readonly Load[], first: string, second: string) =>
  TRACES.flatMap(([trace, name]) =>
    LOADS.map((load) => {
      const [a, b] = [at(rows, first, trace, load), at(rows, second, trace, load)];
      const pair = (key: "fct_p50_ms" | "fct_p99_ms" | "fct_max_ms") =>
        [a, b].map((row) => significant(row[key] / b.fct_p50_ms)).join(" / ");
      return [
        `${name}, ${fixed(100 * load)} %`,
        pair("fct_p50_ms"),
        pair("fct_p99_ms"),
        pair("fct_max_ms"),
        `${significant(a.slowdown_mean)} / ${significant(b.slowdown_mean)}`,
      ];
    }),
  );

const COMPLETION_COLUMNS = ["trace, load", "p50", "p99", "last flow", "mean slowdown"];

/** Both blocks of this run have the same document, so it runs once. */
const SPRAY = withCsv(run("examples/pecmp/spray.yaml"), "queues.csv");
const SPRAYED: readonly [string, string][] = [
  ["random", "random next hops for each packet"],
  ["in-turn", "exact next hops in turn"],
  ["offsets-in-turn", "offsets in turn"],
  ["flows", "a path for each flow (`failover: prr`)"],
];
const kilobytes = (bytes: number) => `${fixed(bytes / 1000, 1)} KB`;

/** The queues of the ToRs' ports to leaves under a scheme and a load, over all seeds: range of the p99, and maximum. */
interface Uplinks {
  readonly scheme: string;
  readonly load: number;
  readonly least_p99: number;
  readonly most_p99: number;
  readonly most: number;
}

function uplinks({ csv }: RunDocument): Uplinks[] {
  const rows = (csv["queues.csv"] as Record<string, string>[]).filter(
    (row) => row["traffic.sizes"] === "hadoop" && /^tor/.test(row["switch"]!) && /^leaf/.test(row["to"]!),
  );
  return SPRAYED.flatMap(([scheme]) =>
    LOADS.map((load) => {
      const own = rows.filter((row) => row["scheme"] === scheme && Number(row["load"]) === load);
      const p99 = own.map((row) => Number(row["p99_bytes"]));
      return {
        ...{ scheme, load, least_p99: Math.min(...p99), most_p99: Math.max(...p99) },
        most: Math.max(...own.map((row) => Number(row["max_bytes"]))),
      };
    }),
  );
}

/** Queues of the ToRs' uplinks under spraying (figure 8b). */
const spray: Block = block({
  runs: { rows: SPRAY, queues: SPRAY },
  pick: { rows: loads, queues: uplinks },
  slow: true,
  render: ({ rows, queues }) =>
    table(
      ["scheme", "p99 of a port, 30 %", "maximum, 30 %", "p99, 50 %", "p99, 80 %", "reordered, 30 %"],
      SPRAYED.map(([scheme, name]) => {
        const of = (load: number) => queues.find((row) => row.scheme === scheme && row.load === load)!;
        const p99 = (load: number) =>
          `${fixed(of(load).least_p99 / 1000, 1)} to ${kilobytes(of(load).most_p99)}`;
        return [
          name,
          p99(0.3),
          kilobytes(of(0.3).most),
          p99(0.5),
          p99(0.8),
          `${fixed(100 * at(rows, scheme, "hadoop", 0.3).reordered_share, 1)} %`,
        ];
      }),
    ),
  values: ({ rows, queues }) => {
    const p99 = (scheme: string, load: number) =>
      kilobytes(queues.find((row) => row.scheme === scheme && row.load === load)!.most_p99);
    const slower = LOADS.map((load) => {
      const p50 = (scheme: string) => at(rows, scheme, "hadoop", load).fct_p50_ms;
      return p50("flows") / p50("random");
    });
    return {
      random_30: p99("random", 0.3),
      turn_30: p99("in-turn", 0.3),
      random_80: p99("random", 0.8),
      turn_80: p99("in-turn", 0.8),
      flows_slower: range(slower, (ratio) => fixed(ratio, 1)),
    };
  },
});

/** Completion times under spraying (table 8). */
const sprayTimes: Block = block({
  runs: { rows: SPRAY },
  pick: { rows: loads },
  slow: true,
  render: ({ rows }) => table(COMPLETION_COLUMNS, completions(rows, "in-turn", "random")),
  values: ({ rows }) => {
    const [turn, random] = ["in-turn", "random"].map((scheme) => at(rows, scheme, "hadoop", 0.3)) as [
      Load,
      Load,
    ];
    const over = (row: Load) =>
      [row.fct_p50_ms, row.fct_p99_ms, row.fct_max_ms]
        .map((ms) => significant(ms / random.fct_p50_ms))
        .join(", ");
    return { turn: over(turn), random: over(random) };
  },
});

/** Completion times under load balancing (table 3). */
const balance: Block = block({
  runs: { rows: run("examples/pecmp/balance.yaml") },
  pick: { rows: loads },
  slow: true,
  render: ({ rows }) =>
    table(
      [...COMPLETION_COLUMNS, "no balancing"],
      completions(rows, "P-ECMP", "PLB").map((line, place) => [
        ...line,
        significant(
          at(rows, "no balancing", TRACES[Math.floor(place / LOADS.length)]![0], LOADS[place % LOADS.length]!)
            .slowdown_mean,
        ),
      ]),
    ),
  values: ({ rows }) => {
    const ratio = (trace: string, load: number) =>
      at(rows, "P-ECMP", trace, load).slowdown_mean / at(rows, "PLB", trace, load).slowdown_mean;
    const others = TRACES.flatMap(([trace]) =>
      LOADS.filter((load) => trace !== "hadoop" || load !== 0.3).map((load) => ratio(trace, load)),
    );
    return {
      hadoop_30: percent(1 - ratio("hadoop", 0.3), 0),
      others: range(others, (value) => fixed(value, 2)),
    };
  },
});

/** Two flows that share a slow link and leave it, or do not: megabytes of each in six seconds. */
const balancePair: Block = block({
  runs: { rows: run("examples/pecmp/balance-testbed.yaml") },
  pick: {
    rows: (document: RunDocument): { scheme: string; bytes: number }[] =>
      document.rows.map((row: { scheme: string; bytes: number }) => pickKeys(row, ["scheme", "bytes"])),
  },
  values: ({ rows }) =>
    Object.fromEntries(
      ["plb", "pecmp", "spray", "ecmp"].map((scheme) => {
        const own = rows.filter((row) => row.scheme === scheme);
        const mean = own.reduce((sum, { bytes }) => sum + bytes, 0) / own.length;
        return [scheme, `${fixed(mean / 1e6, 2)} MB`];
      }),
    ),
});

/** A millisecond of `series.csv`: packets sent, and lost by the faults; bytes delivered. */
interface Millisecond {
  readonly scheme: string;
  readonly seed: string;
  readonly at: number;
  readonly sent: number;
  readonly lost: number;
  readonly delivered: number;
}

const milliseconds = ({ csv }: RunDocument): Millisecond[] =>
  (csv["series.csv"] as Record<string, string>[]).map((row) => ({
    scheme: row["scheme"]!,
    seed: row["seed"]!,
    at: Number(row["from_ms"]),
    sent: Number(row["sent"]),
    lost: Number(row["lost_by_faults"]),
    delivered: Number(row["delivered_bytes"]),
  }));

const namesOf = (rows: readonly { readonly scheme: string }[]) => [
  ...new Set(rows.map(({ scheme }) => scheme)),
];

/** What is in flight when the ToR fails has arrived two milliseconds later. */
const FAILS_MS = 100;
const IN_FLIGHT_MS = 2;

/** One flow at full rate (figure 7a): flows that the failure hits, and when data arrives again; null: not in the run. */
const oneFlow: Block = block({
  runs: { rows: withCsv(run("examples/pecmp/one-flow.yaml"), "series.csv") },
  pick: {
    rows: (document: RunDocument) => {
      const all = milliseconds(document);
      return namesOf(all).map((scheme) => {
        const own = all.filter((row) => row.scheme === scheme && row.at >= FAILS_MS);
        const seeds = [...new Set(own.map(({ seed }) => seed))];
        const hit = seeds
          .map((seed) => own.filter((row) => row.seed === seed))
          .filter((rows) => rows.some(({ lost }) => lost > 0));
        const again = hit.map(
          (rows) =>
            rows.find(({ at, delivered }) => at >= FAILS_MS + IN_FLIGHT_MS && delivered > 0)?.at ?? null,
        );
        return { scheme, flows: seeds.length, again: again.toSorted((a, b) => (a ?? 1e9) - (b ?? 1e9)) };
      });
    },
  },
  render: ({ rows }: { rows: { scheme: string; flows: number; again: (number | null)[] }[] }) =>
    table(
      ["hosts", "flows hit", "millisecond in which data arrives again (flows)"],
      rows.map(({ scheme, flows, again }) => [
        scheme,
        `${again.length} of ${flows}`,
        [...new Set(again)]
          .map((at) => `${at ?? "not in the run"} (${again.filter((one) => one === at).length})`)
          .join(", "),
      ]),
    ),
  values: ({ rows }: { rows: { scheme: string; flows: number; again: (number | null)[] }[] }) => {
    const of = (name: string) => {
      const times = rows.find(({ scheme }) => scheme === name)!.again.filter((at) => at !== null);
      return [...new Set(times)].join(", ");
    };
    return { pecmp: `${of("P-ECMP")} ms`, prr: `${of("PRR")} ms` };
  },
});

const LINK_FAILS_MS = 60;
/** Milliseconds after the failure: from, to. */
const AFTER: readonly (readonly [number, number])[] = [
  [0, 1],
  [1, 2],
  [2, 6],
  [6, 12],
  [12, 50],
  [50, 100],
];

/** Loss after a link failure under load (figure 7c): packets lost over packets sent, and timeouts of all seeds. */
const lossOverTime: Block = block({
  runs: { rows: withCsv(run("examples/pecmp/loss-over-time.yaml"), "series.csv") },
  pick: {
    rows: (document: RunDocument) => {
      const all = milliseconds(document);
      return namesOf(all).map((scheme) => ({
        scheme,
        shares: AFTER.map(([from, to]) => {
          const own = all.filter(
            (row) => row.scheme === scheme && row.at >= LINK_FAILS_MS + from && row.at < LINK_FAILS_MS + to,
          );
          return own.reduce((sum, { lost }) => sum + lost, 0) / own.reduce((sum, { sent }) => sum + sent, 0);
        }),
        timeouts: document.rows.find(
          (row: { scheme: string; size: string }) => row.scheme === scheme && row.size === "all",
        ).timeouts as number,
      }));
    },
  },
  slow: true,
  render: ({ rows }: { rows: { scheme: string; shares: number[]; timeouts: number }[] }) =>
    table(
      ["hosts", ...AFTER.map(([from, to]) => `${from} to ${to} ms`), "timeouts"],
      rows.map(({ scheme, shares, timeouts }) => [
        scheme,
        ...shares.map((share) => `${significant(100 * share)} %`),
        fixed(timeouts),
      ]),
    ),
  values: ({ rows }: { rows: { scheme: string; shares: number[]; timeouts: number }[] }) =>
    Object.fromEntries(
      [
        ["pecmp", "P-ECMP"],
        ["prr", "PRR"],
      ].flatMap(([key, name]) => {
        const { shares, timeouts } = rows.find(({ scheme }) => scheme === name)!;
        return [
          [`${key}_first`, `${significant(100 * shares[0]!)} %`],
          [`${key}_all`, shares.map((share) => `${significant(100 * share, 2)} %`).join(", ")],
          [`${key}_timeouts`, fixed(timeouts)],
        ];
      }),
    ),
});

interface Repeated {
  readonly scheme: string;
  readonly slowdown_mean: number;
  readonly slowdown_mean_ci95: number;
  readonly slowdown_p99: number;
}

/** One point of {@link balance} with other seeds, with 95 % intervals, and the p of the paired t test against PLB. */
const balance30: Block = block({
  runs: { results: withCsv(run("examples/pecmp/balance-30.yaml"), "tests.csv") },
  pick: {
    results: (document: RunDocument) => ({
      rows: document.rows
        .filter(({ size }: { size: string }) => size === "all")
        .map((row: Repeated) =>
          pickKeys(row, ["scheme", "slowdown_mean", "slowdown_mean_ci95", "slowdown_p99"]),
        ),
      p: Object.fromEntries(
        (document.csv["tests.csv"] as Record<string, string>[])
          .filter((row) => row["size"] === "all" && row["figure"] === "slowdown_mean")
          .map((row) => [row["scheme"]!, Number(row["p_t"])]),
      ),
    }),
  },
  render: ({ results }: { results: { rows: Repeated[]; p: Record<string, number> } }) =>
    table(
      ["24 seeds", "mean slowdown", "p99 of the slowdown", "p of the t test against PLB"],
      results.rows.map(({ scheme, slowdown_mean, slowdown_mean_ci95, slowdown_p99 }) => [
        scheme,
        `${fixed(slowdown_mean, 2)} ± ${fixed(slowdown_mean_ci95, 2)}`,
        fixed(slowdown_p99, 1),
        results.p[scheme] === undefined ? "" : fixed(results.p[scheme], 2),
      ]),
    ),
});

export const longRuns = {
  oneFlow,
  lossOverTime,
  balance_30: balance30,
  multipath,
  spray,
  sprayTimes,
  balance,
  balance_pair: balancePair,
};
