/** Blocks of P-ECMP's page on localisation: covers of paths and links, and searches for a failed element, with and without packets. */
import { block, type RunDocument, run } from "../block.js";
import { fixed, pickKeys, range, table } from "../text.js";

/** A row of the kinds `localise`: a cover of links, or searches for a failed element. */
interface Search {
  readonly scheme: string;
  readonly failed: string;
  readonly n?: number;
  readonly crossed?: number;
  readonly cover_probes?: number;
  readonly coupon_collector?: number;
  readonly n_ln_n?: number;
  readonly loss?: number;
  readonly failures?: number;
  readonly right?: number;
  readonly set?: number;
  readonly wrong?: number;
  readonly several?: number;
  readonly unnamed?: number;
  readonly probes_p50?: number;
  readonly probes_p95?: number;
  readonly time_p50_ms?: number;
}

const SEARCH_KEYS = [
  ...["scheme", "failed", "n", "crossed", "cover_probes", "coupon_collector", "n_ln_n", "loss", "failures"],
  ...["right", "set", "wrong", "several", "unnamed", "probes_p50", "probes_p95", "time_p50_ms"],
] as (keyof Search)[];

const searches = (document: RunDocument): Search[] =>
  document.rows.map((row: Search) =>
    pickKeys(
      row,
      SEARCH_KEYS.filter((key) => row[key] !== undefined),
    ),
  );

const EXACT = "pecmp";
const RANDOM = "ecmp";

const found = (rows: readonly Search[], wanted: Partial<Search>): Search | undefined =>
  rows.find((row) => Object.entries(wanted).every(([key, value]) => row[key as keyof Search] === value));

const LOCALISE = run("examples/pecmp/localise.yaml");

/** Probes that cover paths and links (figure 8a). */
const covers = block({
  runs: { rows: LOCALISE },
  pick: { rows: searches },
  render: ({ rows }) =>
    table(
      [
        "fat tree of 80 switches",
        "n",
        "exact next hops",
        "random",
        "n H(n), over the crossings of a random probe",
        "n ln n, the same",
      ],
      [
        ["none: ways of a pair", "paths of a pair"],
        ["none: all links", "all links"],
      ].map(([failed, what]) => {
        const exact = found(rows, { scheme: EXACT, failed: failed! })!;
        const random = found(rows, { scheme: RANDOM, failed: failed! })!;
        const whole = (value: number | undefined) => fixed(value!, value! < 100 ? 1 : 0);
        return [
          what,
          fixed(exact.n!),
          fixed(exact.cover_probes!),
          whole(random.cover_probes),
          whole(random.coupon_collector),
          whole(random.n_ln_n),
        ];
      }),
    ),
  values: ({ rows }) => {
    const ways = (scheme: string) => found(rows, { scheme, failed: "none: ways of a pair" })!;
    return {
      paths: fixed(ways(EXACT).n!),
      ratio: fixed(ways(RANDOM).cover_probes! / ways(EXACT).cover_probes!, 1),
    };
  },
});

const ELEMENTS = ["switch", "link", "direction"];

/** Results of searches: right and wrong ones, then those that ended otherwise. */
const outcome = (row: Search) => {
  const others = [
    [row.set, "in a set"],
    [row.several, "not one fault"],
    [row.unnamed, "without a result"],
  ].filter(([count]) => (count as number) > 0);
  return [`${row.right} / ${row.wrong}`, ...others.map(([count, name]) => `${count} ${name}`)].join(", ");
};

/** Failures that drop all packets. */
const dead = block({
  runs: { rows: LOCALISE },
  pick: { rows: searches },
  render: ({ rows }) => {
    const of = (scheme: string, failed: string) => found(rows, { scheme, failed, loss: 1 })!;
    const cells = (row: Search) => [
      outcome(row),
      `${fixed(row.probes_p50!)} / ${fixed(row.probes_p95!)}`,
      `${fixed(row.time_p50_ms!, 1)} ms`,
    ];
    const columns = (what: string) => [`${what}: right / wrong`, "probes", "time p50"];
    return table(
      ["failed", ...columns("exact"), ...columns("random")],
      ELEMENTS.map((failed) => [
        failed === "direction" ? "direction of a link" : failed,
        ...cells(of(EXACT, failed)),
        ...cells(of(RANDOM, failed)),
      ]),
    );
  },
  values: ({ rows }) => {
    const own = rows.filter(({ scheme, loss }) => scheme === EXACT && loss === 1);
    const sum = (key: "failures" | "right") => own.reduce((total, row) => total + (row[key] ?? 0), 0);
    const fewer = ELEMENTS.map((failed) => {
      const of = (scheme: string) => found(rows, { scheme, failed, loss: 1 })!.probes_p50!;
      return of(RANDOM) / of(EXACT);
    });
    return {
      right: fixed(sum("right")),
      failures: fixed(sum("failures")),
      fewer: range(fewer, (ratio) => fixed(ratio, 1)),
    };
  },
});

/** A search with the confidence that it needed. */
interface SureSearch extends Search {
  readonly confidence: number;
}

const sureSearches = (document: RunDocument): SureSearch[] =>
  document.rows
    .filter(({ loss }: SureSearch) => loss !== undefined && loss < 1)
    .map((row: SureSearch) =>
      pickKeys(
        row,
        (["confidence", ...SEARCH_KEYS] as (keyof SureSearch)[]).filter((key) => row[key] !== undefined),
      ),
    );

/** A table of searches for elements that lose shares of the packets. */
const lossTable = (rows: readonly Search[], losses: readonly number[]) =>
  table(
    ["failed", "loss", "exact: right / wrong", "probes p50", "random: right / wrong", "probes p50"],
    ELEMENTS.flatMap((failed) =>
      losses.map((loss, i) => [
        i === 0 ? failed : "",
        `${100 * loss} %`,
        ...[EXACT, RANDOM].flatMap((scheme) => {
          const row = found(rows, { scheme, failed, loss })!;
          return [outcome(row), fixed(row.probes_p50!)];
        }),
      ]),
    ),
  );

/** Elements that lose a share of the packets. */
const lossy = block({
  runs: { rows: run("examples/pecmp/link-loss.yaml") },
  pick: { rows: sureSearches },
  slow: true,
  render: ({ rows }) =>
    lossTable(
      rows.filter(({ confidence }) => confidence === 0.99),
      [0.1, 0.01, 0.001],
    ),
  values: ({ rows }) => {
    const sum = (sure: number, keys: readonly ("failures" | "wrong" | "unnamed" | "several")[]) =>
      rows
        .filter(({ confidence }) => confidence === sure)
        .reduce((total, row) => keys.reduce((all, key) => all + (row[key] ?? 0), total), 0);
    return {
      failures: fixed(sum(0.999, ["failures"])),
      wrong: fixed(sum(0.999, ["wrong"])),
      unnamed: fixed(sum(0.999, ["unnamed", "several"])),
      wrong_99: fixed(sum(0.99, ["wrong"])),
    };
  },
});

/** The same in topology #12. */
const localise12 = block({
  runs: { rows: run("examples/pecmp/localise-12.yaml") },
  pick: { rows: searches },
  slow: true,
  render: ({ rows }) => lossTable(rows, [0.1, 0.01]),
});

/** Searches for two elements that fail at once. */
const two = block({
  runs: { rows: run("examples/pecmp/localise-two.yaml") },
  pick: {
    rows: (document: RunDocument): PairSearch[] =>
      document.rows
        .filter(({ loss }: PairSearch) => loss !== undefined)
        .map((row: PairSearch) => pickKeys(row, [...PAIR_KEYS])),
  },
  render: ({ rows }) => {
    const cells = (row: PairSearch) => [
      [
        `${row.right} / ${row.wrong}`,
        ...(row.set > 0 ? [`${row.set} in a set`] : []),
        ...(row.part > 0 ? [`${row.part} one of both`] : []),
        ...(row.unnamed > 0 ? [`${row.unnamed} without a result`] : []),
      ].join(", "),
      fixed(row.probes_p50),
    ];
    return table(
      [
        "failed, two at once",
        "loss",
        "exact: right / wrong",
        "probes p50",
        "random: right / wrong",
        "probes p50",
      ],
      ["switch", "link", "direction", "host_link"].flatMap((failed) =>
        [1, 0.1].map((loss, i) => {
          const of = (scheme: string) =>
            rows.find((row) => row.scheme === scheme && row.failed === failed && row.loss === loss)!;
          return [i === 0 ? failed : "", `${100 * loss} %`, ...cells(of(EXACT)), ...cells(of(RANDOM))];
        }),
      ),
    );
  },
  values: ({ rows }) => {
    const sum = (key: "failures" | "right" | "part" | "set" | "wrong") =>
      rows.reduce((total, row) => total + row[key], 0);
    return {
      failures: fixed(sum("failures")),
      right: fixed(sum("right")),
      wrong: fixed(sum("wrong")),
      part: fixed(sum("part")),
      set: fixed(sum("set")),
    };
  },
});

const PAIR_KEYS = [
  "scheme",
  "failed",
  "loss",
  "failures",
  "right",
  "set",
  "part",
  "wrong",
  "unnamed",
  "sets_max",
  "probes_p50",
] as const;
interface PairSearch {
  readonly scheme: string;
  readonly failed: string;
  readonly loss: number;
  readonly failures: number;
  readonly right: number;
  readonly set: number;
  readonly part: number;
  readonly wrong: number;
  readonly unnamed: number;
  readonly sets_max: number;
  readonly probes_p50: number;
}

/** Sums over the rows of a `localise_packets`. */
interface PacketSearches {
  readonly failures: number;
  readonly right: number;
  /** The element is in a set of elements that are always crossed together; absent in results from before sets were named. */
  readonly set?: number;
  readonly probes: number;
  readonly contradicted: number;
}

const packetSearches = (document: RunDocument): PacketSearches => {
  const sum = (key: keyof PacketSearches) =>
    document.rows.reduce((total: number, row: PacketSearches) => total + (row[key] ?? 0), 0);
  return {
    ...{ failures: sum("failures"), right: sum("right"), set: sum("set") },
    ...{ probes: sum("probes"), contradicted: sum("contradicted") },
  };
};

const packetTable = (rows: readonly (readonly [string, PacketSearches])[]) =>
  table(
    ["run", "failures", "identified", "in a set", "probes", "not as the path model"],
    rows.map(([name, { failures, right, set, probes, contradicted }]) => [
      name,
      ...[failures, right, set, probes, contradicted].map((count) =>
        count === undefined ? "-" : fixed(count),
      ),
    ]),
  );

const LOCALISE_TESTBED = "examples/pecmp/localise-testbed.yaml";

/** Localisation by packets in the simulator. */
const localisePackets = block({
  runs: { tree: run("examples/pecmp/localise-packets.yaml"), small: run(LOCALISE_TESTBED) },
  pick: { tree: packetSearches, small: packetSearches },
  render: ({ tree, small }) =>
    packetTable([
      ["fat tree of 20 switches, losses of 100 % and 10 % (`localise-packets.yaml`)", tree],
      ["6 switches, losses of 100 % and 20 % (`localise-testbed.yaml`)", small],
    ]),
});

/** The same on real switches, which need root and take minutes. */
const localiseSwitches = block({
  runs: {
    own: run(LOCALISE_TESTBED, "--engine", "switch"),
    bmv2: run(LOCALISE_TESTBED, "--engine", "bmv2"),
  },
  pick: { own: packetSearches, bmv2: packetSearches },
  timed: true,
  render: ({ own, bmv2 }) =>
    packetTable([
      ["our switch, one process each", own],
      ["BMv2", bmv2],
    ]),
});

export const localisation = {
  covers,
  dead,
  lossy,
  localise_12: localise12,
  two_faults: two,
  localise_packets: localisePackets,
  localise_switches: localiseSwitches,
};
