import { block, page, type RunDocument, run } from "../../block.js";
import { fixed, percent, table } from "../../text.js";

/** Means of the seeds of a point: completion times in seconds with half of their 95 % interval, and retransmissions per flow. */
interface Picked {
  readonly load?: number;
  readonly scheme: string;
  readonly size: string;
  readonly mean: number;
  readonly half: number;
  readonly retransmissions: number;
  readonly seeds: number;
}

const rounded = (value: number) => Number(value.toPrecision(5));

const rowsOf = ({ rows }: RunDocument): Picked[] =>
  rows
    .filter(({ size }: { size: string }) => size !== "all")
    // biome-ignore lint/suspicious/noExplicitAny: a row of the kind load.
    .map((row: any) => ({
      ...(row.load === undefined ? {} : { load: row.load }),
      scheme: row.scheme,
      size: row.size,
      mean: rounded(row.fct_mean_ms / 1000),
      half: rounded((row.fct_mean_ms_ci95 ?? 0) / 1000),
      retransmissions: rounded(row.retransmissions / row.flows),
      seeds: row.seeds,
    }));

/** `unit`: of the cell, in seconds. */
const cellOf = (rows: readonly Picked[], size: string, unit = 1): string => {
  const row = rows.find((one) => one.size === size);
  if (row === undefined) return "-";
  const mean = row.mean / unit;
  const decimals = mean < 1 ? 2 : mean < 20 ? 1 : 0;
  return row.half === 0
    ? fixed(mean, decimals)
    : `${fixed(mean, decimals)} ± ${fixed(row.half / unit, decimals)}`;
};
const both = (rows: readonly Picked[], scheme: string, unit = 1): string => {
  const own = rows.filter((row) => row.scheme === scheme);
  return own.length === 0 ? "-" : `${cellOf(own, "small", unit)}, ${cellOf(own, "large", unit)}`;
};

const SCHEMES = ["ecmp", "letflow", "hula", "p4te", "p4te-nra", "p4te-paper"] as const;
const TITLES = ["ECMP", "LetFlow", "HULA", "P4TE", "P4TE without rate adaptation", "P4TE, the paper's rule"];

function section(what: string, rows: readonly Picked[], unit = 1): string[][] {
  const loads = [...new Set(rows.map(({ load }) => load!))].sort((a, b) => a - b);
  return loads.map((load) => [
    `${what}, ${percent(load, 0)}`,
    ...SCHEMES.map((scheme) =>
      both(
        rows.filter((row) => row.load === load),
        scheme,
        unit,
      ),
    ),
  ]);
}

/** How much longer flows take under a scheme than under P4TE. */
function longer(rows: readonly Picked[], scheme: string, size: string): string {
  const of = (name: string) => rows.find((row) => row.scheme === name && row.size === size)!.mean;
  const share = of(scheme) / of("p4te") - 1;
  return `${share < 0 ? "-" : "+"}${fixed(Math.abs(share) * 100)} %`;
}

export default page("docs/papers/p4te-evaluation.md", {
  comparison: block({
    runs: {
      authors: run("examples/p4te/authors.yaml"),
      tenGigabit: run("examples/p4te/websearch-10g.yaml"),
    },
    pick: { authors: rowsOf, tenGigabit: rowsOf },
    render: ({ authors, tenGigabit }) =>
      table(
        ["flows, load", ...TITLES],
        [
          ["flowlets", "-", "yes", "yes", "yes", "yes", "yes"],
          ["load of paths", "-", "-", "by probes", "of own ports", "of own ports", "of own ports"],
          ["old knowledge ages", "-", "-", "yes", "yes", "yes", "queues and colours do not"],
          ["rate adaptation", "-", "-", "-", "yes", "-", "yes"],
          ...section(
            "`authors.yaml` (s)",
            authors.filter(({ seeds }) => seeds > 1),
          ),
          ...section(
            "`websearch-10g.yaml` (ms)",
            tenGigabit.filter(({ seeds }) => seeds > 1),
            1e-3,
          ),
        ],
      ),
    slow: true,
  }),
  testbed: block({
    runs: { rows: run("examples/p4te/testbed.yaml") },
    pick: { rows: rowsOf },
    render: ({ rows }) =>
      table(
        ["scheme", "completion, short and large (s)", "retransmissions, short and large"],
        [
          ["authors-ecmp", "ECMP with the authors' hash"],
          ["ecmp", "ECMP, not polarised"],
          ["letflow", "LetFlow"],
          ["p4te", "P4TE"],
          ["p4te-nra", "P4TE without rate adaptation"],
          ["p4te-paper", "P4TE, the paper's rule"],
        ].map(([scheme, title]) => {
          const own = rows.filter((row) => row.scheme === scheme);
          const again = (size: string) => fixed(own.find((row) => row.size === size)?.retransmissions ?? 0);
          return [title!, both(rows, scheme!), `${again("small")}, ${again("large")}`];
        }),
      ),
    values: ({ rows }) => ({
      polarisedShort: longer(rows, "authors-ecmp", "small"),
      polarisedLarge: longer(rows, "authors-ecmp", "large"),
      ecmpShort: longer(rows, "ecmp", "small"),
      ecmpLarge: longer(rows, "ecmp", "large"),
    }),
    slow: true,
  }),
  cause: block({
    runs: { rows: run("examples/p4te/ablation.yaml") },
    pick: { rows: rowsOf },
    render: ({ rows }) =>
      table(
        ["scheme, and what differs", "short (s)", "large (s)"],
        [
          ["never", "P4TE, the paper's rule"],
          ["age 1 s", "P4TE, `colour_age: 1s`"],
          ["age 100 ms", "P4TE, `colour_age: 100ms`"],
          ["age by meter", "P4TE, the default (the meter's refill time)"],
          ["no colours", "P4TE, `cir: 2, pir: 2`: no port is ever yellow"],
          ["never gap 1 s", "P4TE, the paper's rule, `flowlet_gap: 1s`"],
          ["ecmp", "ECMP"],
          ["letflow", "LetFlow"],
        ].flatMap(([scheme, title]) => {
          const own = rows.filter((row) => row.scheme === scheme);
          return own.length === 0 ? [] : [[title!, cellOf(own, "small"), cellOf(own, "large")]];
        }),
      ),
    slow: true,
  }),
});
