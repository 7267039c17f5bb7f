/**
 * The congestion controls on whole networks: closed forms, our simulator, and ns-3 where it is installed (bench/fabric/ns3/README.md).
 * The block `validation` of docs/transport.md shows all of it. `P4LOOM_TOPIC`: part of a topic's name, to run only such rows.
 */
import {
  type ChainOptions,
  type ChainResult,
  FRAME,
  runChain,
  SEGMENT,
  TRANSPORT,
} from "../../test/fabric/sim/congestion/chain.js";
import { VALIDATION } from "../../test/fabric/sim/congestion/validation.js";
import type { Benchmark } from "../benchmark.js";
import { compileNs3, type Ns3Program, ns3Missing } from "./ns3.js";

const NS3_CONTROLS: Readonly<Record<string, string>> = {
  reno: "TcpNewReno",
  cubic: "TcpCubic",
  dctcp: "TcpDctcp",
  bbr: "TcpBbr",
};
/** Bytes of the headers in ns-3: PPP, IPv4, TCP with timestamps. */
const NS3_HEADERS = 2 + 20 + 32;
/**
 * Packets that leave ns-3's queue before they are on the wire: the one being sent, and one in the device below a
 * marking queue.
 */
const beyondQueue = ({ mark }: ChainOptions): number => (mark === undefined ? 1 : 2);

export const run: Benchmark = async (report) => {
  const missing = ns3Missing();
  if (missing !== undefined) console.error(`transport: without ns-3: ${missing}`);
  const ns3 = missing === undefined ? compileNs3("chain") : undefined;
  const ours = new Map<ChainOptions, ChainResult>();
  const theirs = new Map<ChainOptions, ChainResult>();
  const wanted = process.env["P4LOOM_TOPIC"] ?? "";
  for (const row of VALIDATION.filter(({ topic }) => topic.includes(wanted))) {
    const result = once(ours, row.network, runChain);
    const value = row.measure(result);
    let rival: number | undefined;
    if (ns3 !== undefined && row.withoutNs3 === undefined)
      rival = row.measure(once(theirs, row.network, (network) => runNs3(ns3, network)));
    const { expected } = row;
    const closedForm = typeof expected === "function" ? expected(result) : expected;
    report({
      name: `transport/${row.topic}: ${row.name}`,
      unit: row.unit,
      value,
      ...(rival === undefined ? {} : { rival: { name: "ns-3", value: rival } }),
      ...(closedForm === undefined ? {} : { more: { expected: closedForm, holds: row.holds } }),
    });
  }
};

function once<K, V>(known: Map<K, V>, key: K, make: (key: K) => V): V {
  const value = known.get(key) ?? make(key);
  known.set(key, value);
  return value;
}

/** The same network in ns-3: its rates are chosen so that a full segment takes as long on the wire as ours. */
function runNs3(program: Ns3Program, network: ChainOptions): ChainResult {
  const { flows, mark, loss, lossEvery, lostSegments = [] } = network;
  const scale = (SEGMENT + NS3_HEADERS) / FRAME;
  const beyond = beyondQueue(network);
  const document = program.run({
    control: NS3_CONTROLS[flows[0]!.control]!,
    flows: flows
      .map(({ from, to, delay, bytes, startNs }) =>
        [from, to, delay / 1e3, Number.isFinite(bytes) ? bytes : 0, startNs / 1e6].join(":"),
      )
      .join(","),
    hops: network.hops,
    rate: network.rate * scale,
    accessRate: network.accessRate * scale,
    delayUs: network.delay / 1e3,
    queue: network.queue - beyond,
    mark: mark === undefined ? 0 : mark - beyond,
    loss: loss ?? 0,
    lossEvery: lossEvery ?? 0,
    ...(lostSegments.length === 0 ? {} : { lost: lostSegments.join(",") }),
    seconds: network.untilNs / 1e9,
    warmUp: network.warmUpNs / 1e9,
    mss: SEGMENT,
    delayedAck: 1,
    minRtoMs: (network.transport?.floor ?? TRANSPORT.floor) / 1e6,
  }) as {
    flows: { bytes: number; fct_s: number }[];
    queues: { mean: number; smallest: number; largest: number; drops: number }[];
  };
  return {
    flows: document.flows.map(({ bytes, fct_s }) => ({
      bytes,
      fctNs: fct_s < 0 ? -1 : fct_s * 1e9,
      retransmissions: 0,
      timeouts: 0,
    })),
    queues: document.queues.map(({ mean, smallest, largest, drops }) => ({
      mean: mean > 0 ? mean + beyond : 0,
      smallest: smallest > 0 ? smallest + beyond : 0,
      largest: largest + beyond,
      drops,
      marked: 0,
    })),
    watched: [],
  };
}
