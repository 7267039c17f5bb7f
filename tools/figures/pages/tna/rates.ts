import { bench, block, page, type RunDocument, run } from "../../block.js";
import { fixed, pickKeys, significant, table } from "../../text.js";

/** Rates and times by the name of the measurement, one for each run. */
type Measured = Record<string, number[]>;

const ALONE = "Tofino without egress";
const PAIRS = [
  { program: ALONE, beside: "v1model", what: "no egress (`bypass_egress`)" },
  { program: "Tofino, egress parses nothing", beside: "v1model", what: "an egress that parses nothing" },
  {
    program: "Tofino, egress parses and rewrites the headers",
    beside: "v1model, egress rewrites the headers",
    what: "an egress that parses both headers and writes a field",
  },
  { program: `${ALONE}, register`, beside: ALONE, what: "a register action" },
  { program: `${ALONE}, CRC-32 of the addresses`, beside: ALONE, what: "CRC-32 of the addresses" },
  {
    program: `${ALONE}, mirror to a session`,
    beside: ALONE,
    what: "a mirror of each packet, which leaves too",
  },
] as const;
const RATE = (program: string) => `tofino/small l3, ${program}`;
const RATIO = (program: string, beside: string) => `tofino/small l3, ${program}, of ${beside}`;
const START = "tofino/start to the end of a packet test";
const TEN = "tofino/an experiment with ten Tofinos";
const NAMES = [
  ...PAIRS.flatMap(({ program, beside }) => [RATE(program), RATIO(program, beside)]),
  START,
  TEN,
];

/** 40 Mbit/s (open-p4studio's issue 64) in frames of 1,500 bytes. */
const MODEL_RATE = 40e6 / (8 * 1500);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const rounded = (value: number, digits: number): string =>
  significant(Number(value.toPrecision(digits)), digits);
const spread = (values: readonly number[], digits = 2): string =>
  `${rounded(Math.min(...values), digits)} to ${rounded(Math.max(...values), digits)}`;
const millions = (values: readonly number[]): string => `${rounded(median(values) / 1e6, 2)} million`;

interface Flow {
  readonly scheme: string;
  readonly fct_ms: number;
  readonly timeouts: number;
  readonly recovered: boolean;
}

export default page("docs/tna/rates.md", {
  rates: block({
    timed: true,
    runs: { measured: [bench("tofino")] },
    pick: {
      measured: (documents: RunDocument): Measured => {
        const all = documents.flat() as { name: string; value: number }[];
        return Object.fromEntries(
          NAMES.map((name) => [name, all.filter((one) => one.name === name).map(({ value }) => value)]),
        );
      },
    },
    render: ({ measured }) =>
      table(
        ["the L3 switch for a Tofino with", "packets a second", "beside", "ratio", "of the runs"],
        PAIRS.map(({ program, beside, what }) => {
          const ratios = measured[RATIO(program, beside)]!;
          return [
            what,
            millions(measured[RATE(program)]!),
            beside === ALONE ? "without egress" : beside,
            fixed(median(ratios), 2),
            `${fixed(Math.min(...ratios), 2)} to ${fixed(Math.max(...ratios), 2)}`,
          ];
        }),
      ),
    values: ({ measured }) => {
      const slowest = Math.min(...measured[RATE(PAIRS[2].program)]!);
      return {
        start: `${rounded(median(measured[START]!), 1)} s`,
        startRange: `${spread(measured[START]!, 2)} s`,
        ten: `${rounded(median(measured[TEN]!), 1)} s`,
        tenRange: `${spread(measured[TEN]!, 1)} s`,
        least: `${rounded(slowest / 1e6, 2)} million`,
        times: rounded(Math.floor(slowest / MODEL_RATE / 100) * 100, 2),
      };
    },
  }),
  network: block({
    runs: { flows: run("examples/schemes/tofino.yaml") },
    pick: {
      flows: (document): readonly Flow[] =>
        document.rows.map((row: Flow) => pickKeys(row, ["scheme", "fct_ms", "timeouts", "recovered"])),
    },
    render: ({ flows }) =>
      table(
        ["switches", "flows", "completed", "mean completion", "longest", "timeouts"],
        [...new Set(flows.map(({ scheme }) => scheme))].map((scheme) => {
          const own = flows.filter((flow) => flow.scheme === scheme);
          const times = own.map(({ fct_ms }) => fct_ms);
          return [
            scheme === "Tofino" ? "ten Tofinos" : "six for v1model, four Tofinos",
            own.length,
            own.filter(({ recovered }) => recovered).length,
            `${significant(times.reduce((sum, time) => sum + time, 0) / own.length)} ms`,
            `${significant(Math.max(...times))} ms`,
            own.reduce((sum, { timeouts }) => sum + timeouts, 0),
          ];
        }),
      ),
  }),
});
