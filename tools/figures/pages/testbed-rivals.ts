import { bench, block, page, type RunDocument, run } from "../block.js";
import { fixed, percent, significant, table } from "../text.js";
import { RIVALS } from "../titles.js";

const LOAD = "examples/compare/rivals-testbed.yaml";
const FAILOVER = "examples/compare/rivals-testbed-failover.yaml";
const RATES = "examples/compare/rates-testbed.yaml";
const SEEDS = [3, 4, 5, 6, 7];

/** Runs of one file on each engine. */
const engines = (file: string) => ({
  simulator: run(file),
  ours: run(file, "--engine", "switch"),
  bmv2: run(file, "--engine", "bmv2"),
});
const onEach = <T>(pick: (document: RunDocument) => T) => ({ simulator: pick, ours: pick, bmv2: pick });
/** Columns of what is shown for each engine. */
const columns = (...what: readonly string[]) =>
  what.flatMap((name) => [`${name}: simulator`, "our switch", "BMv2"]);

/** Of the flows of a scheme: how many had a timeout under the fault, and how many of these left the dead switch. */
interface Left {
  readonly scheme: string;
  readonly hit: number;
  readonly left: number;
}

interface FlowRow {
  readonly scheme: string;
  readonly outages: number;
  readonly recovered: boolean;
  readonly recovered_by: "left" | "repaired" | null;
}

/** Throws for a flow that did not recover and has no outage: its host reported none, so that its record is not complete. */
function leftOf(rows: readonly FlowRow[]): Left[] {
  const unknown = rows.find(({ recovered, outages }) => !recovered && outages === 0);
  if (unknown !== undefined)
    throw new Error(`${unknown.scheme}: the outages of a flow are not known: run it again`);
  return [...new Set(rows.map(({ scheme }) => scheme))].map((scheme) => {
    const hit = rows.filter((row) => row.scheme === scheme && row.outages > 0);
    return { scheme, hit: hit.length, left: hit.filter((row) => row.recovered_by === "left").length };
  });
}

const share = ({ hit, left }: Left) => (hit === 0 ? "no flow hit" : `${left} of ${hit}`);

interface LoadRow {
  readonly scheme: string;
  readonly rate?: string;
  readonly p50: number;
  readonly p99: number;
  readonly retransmissions: number;
  readonly achieved: number;
}

const loads = ({ rows }: RunDocument): LoadRow[] =>
  rows
    // biome-ignore lint/suspicious/noExplicitAny: a row of the kind load.
    .filter((row: any) => row.size === "all")
    // biome-ignore lint/suspicious/noExplicitAny: a row of the kind load.
    .map((row: any) => ({
      scheme: row.scheme,
      rate: row["topology.host_link.rate"],
      p50: row.slowdown_p50,
      p99: row.slowdown_p99,
      retransmissions: row.retransmissions,
      achieved: row.goodput_gbps / row.offered_gbps,
    }));

/** A switch is no longer the network where the median slowdown is this share above the simulator's. */
const STOPS = 0.25;

function lastRate(simulator: readonly LoadRow[], real: readonly LoadRow[]): string {
  const first = real.findIndex(({ p50 }, i) => p50 > (1 + STOPS) * simulator[i]!.p50);
  if (first === 0) return "none";
  return rateText(simulator[(first < 0 ? simulator.length : first) - 1]!.rate!);
}

/** Measurements of the benchmark `testbed`: our switch, and BMv2 as the rival. */
interface Alone {
  readonly name: string;
  readonly value: number;
  readonly rival_value: number;
}

const rateText = (rate: string) => rate.replace("Mbps", " Mbit/s");

export default page("docs/testbed-rivals.md", {
  /** The same silent failure on all engines. */
  failover: block({
    timed: true,
    runs: engines(FAILOVER),
    pick: onEach(({ rows }) => leftOf(rows)),
    render: ({ simulator, ours, bmv2 }) =>
      table(
        ["scheme", ...columns("left the dead switch, of the flows with a timeout")],
        simulator.map((one, i) => [RIVALS[one.scheme], share(one), share(ours[i]!), share(bmv2[i]!)]),
      ),
  }),
  /** In the simulator, under several seeds. */
  seeds: block({
    runs: { all: SEEDS.map((seed) => run(FAILOVER, "--seed", String(seed))) },
    pick: { all: (documents: RunDocument[]) => leftOf(documents.flatMap(({ rows }) => rows)) },
    render: ({ all }) =>
      table(
        ["scheme", "flows with a timeout", "left the dead switch"],
        all.map(({ scheme, hit, left }) => [
          RIVALS[scheme],
          String(hit),
          hit === 0 ? "-" : percent(left / hit, 0),
        ]),
      ),
  }),
  /** The same load on all engines. */
  load: block({
    timed: true,
    runs: engines(LOAD),
    pick: onEach(loads),
    render: ({ simulator, ours, bmv2 }) => {
      const cells = (i: number, text: (row: LoadRow) => string) =>
        [simulator, ours, bmv2].map((list) => text(list[i]!));
      return table(
        ["scheme", ...columns("median slowdown", "99th percentile", "retransmissions")],
        simulator.map(({ scheme }, i) => [
          RIVALS[scheme],
          ...cells(i, ({ p50 }) => fixed(p50, 2)),
          ...cells(i, ({ p99 }) => fixed(p99, 1)),
          ...cells(i, ({ retransmissions }) => fixed(retransmissions)),
        ]),
      );
    },
  }),
  /** The same load at faster and faster links; and one switch between two hosts, without a rate of its links. */
  rates: block({
    timed: true,
    runs: { ...engines(RATES), alone: bench("testbed") },
    pick: {
      ...onEach(loads),
      alone: (list: RunDocument): Alone[] =>
        list.map(({ name, value, rival_value }: Alone) => ({ name, value, rival_value })),
    },
    render: ({ simulator, ours, bmv2 }) => {
      const cells = (i: number, text: (row: LoadRow) => string) =>
        [simulator, ours, bmv2].map((list) => text(list[i]!));
      return table(
        [
          "rate of the links",
          ...columns("median slowdown", "99th percentile", "achieved, of the offered load"),
        ],
        simulator.map(({ rate }, i) => [
          rateText(rate!),
          ...cells(i, ({ p50 }) => significant(p50)),
          ...cells(i, ({ p99 }) => significant(p99)),
          ...cells(i, ({ achieved }) => percent(achieved, 0)),
        ]),
      );
    },
    values: ({ simulator, ours, bmv2, alone }) => {
      const of = (name: string) => alone.find((one) => one.name === `testbed/${name}`)!;
      return {
        bmv2: lastRate(simulator, bmv2),
        ours: lastRate(simulator, ours),
        tcpOurs: `${significant(of("tcp").value, 2)} Mbit/s`,
        tcpBmv2: `${significant(of("tcp").rival_value, 2)} Mbit/s`,
        pingOurs: `${significant(of("ping").value / 1000, 2)} ms`,
        pingBmv2: `${significant(of("ping").rival_value / 1000, 2)} ms`,
      };
    },
  }),
  /** What links of these rates do alone. */
  ideal: block({
    runs: { simulator: run(RATES) },
    pick: { simulator: loads },
    values: ({ simulator }) => {
      const medians = simulator.map(({ p50 }) => p50);
      return {
        least: fixed(Math.min(...medians), 2),
        most: fixed(Math.max(...medians), 2),
      };
    },
  }),
  /** Retransmissions of the designs that reorder packets, in the simulator. */
  order: block({
    runs: { simulator: run(LOAD) },
    pick: { simulator: loads },
    values: ({ simulator }) =>
      Object.fromEntries(simulator.map(({ scheme, retransmissions }) => [scheme, fixed(retransmissions)])),
  }),
});
