/** Runs flows on the hosts of a lab, by agents or by iperf3, with one kind of result. */
import type { TrafficFlow } from "../../traffic/index.js";
import type { RunningHost } from "../lab.js";
import type { Agent } from "./agent.js";
import { agentFailure, monotonicNs } from "./failure.js";
import { runIperf3 } from "./iperf3.js";

export const GENERATORS = ["agent", "iperf3"] as const;
/** Who makes the flows; iperf3 through the agents' data path, too. */
export type Generator = (typeof GENERATORS)[number];

/** One flow that was sent. */
export interface FlowRow {
  readonly generator: Generator;
  readonly src: string;
  readonly dst: string;
  readonly port: number;
  readonly bytes: number;
  /** Nanoseconds after the start of the traffic, as it was wanted. */
  readonly startNs: number;
  /**
   * Nanoseconds. Agents: from the first SYN to the acknowledgement of the last byte. iperf3: the time that it says it
   * sent.
   */
  readonly fctNs: number;
  /** Segments that were sent again. */
  readonly retransmissions: number | null;
  /** Retransmission timeouts; iperf3 does not tell. */
  readonly timeouts: number | null;
  /** Microseconds: smoothed at the end of the flow; iperf3: the mean. */
  readonly rttUs: number | null;
  readonly minRttUs: number | null;
}

/** A host that traffic may run on. */
export interface TrafficHost {
  readonly host: RunningHost;
  readonly agent: Agent;
  /** Of the IP version that the traffic is to have. */
  readonly address: bigint;
}

export interface TrafficOptions {
  readonly ipVersion: 4 | 6;
  readonly generator: Generator;
}

/** From the request to the first flow: time for all agents to be told. */
const LEAD_NS = 100e6;

/** Below it ports belong to services. */
const FIRST_USER_PORT = 1024;

/**
 * Sends all flows at their times and waits for them; rows stand in the order of the flows. Throws DiagnosticError:
 * P43171 when a port cannot be listened on, P43172 when a flow fails, P43173 when iperf3 does.
 */
export async function runTraffic(
  hosts: ReadonlyMap<string, TrafficHost>,
  flows: readonly TrafficFlow[],
  { ipVersion, generator }: TrafficOptions,
): Promise<FlowRow[]> {
  const hostOf = (name: string): TrafficHost => {
    const host = hosts.get(name);
    if (host === undefined) throw agentFailure("P43171", `there is no agent on a host "${name}"`);
    return host;
  };
  if (generator === "iperf3") return await runByIperf3(hostOf, flows, ipVersion);
  for (const flow of flows) await hostOf(flow.dst).agent.listen(flow.port);
  const epoch = monotonicNs() + LEAD_NS;
  return await Promise.all(
    flows.map(async (flow): Promise<FlowRow> => {
      const { startNs, bytes, port, src, dst } = flow;
      const to = hostOf(dst).address;
      const sent = hostOf(src).agent.flow({
        to,
        ipVersion,
        port,
        bytes,
        startNs: Math.round(epoch + startNs),
      });
      const { fctNs, timeouts, tcp } = await sent.finished;
      return {
        generator,
        src,
        dst,
        port,
        bytes,
        startNs,
        fctNs: fctNs!,
        retransmissions: tcp?.retransmissions ?? null,
        timeouts,
        rttUs: tcp?.rttUs ?? null,
        minRttUs: tcp?.minRttUs ?? null,
      };
    }),
  );
}

async function runByIperf3(
  hostOf: (name: string) => TrafficHost,
  flows: readonly TrafficFlow[],
  ipVersion: 4 | 6,
): Promise<FlowRow[]> {
  // A server of iperf3 serves one client at a time: flows to one host need ports of their own.
  const taken = new Set<string>();
  const ports = flows.map(({ dst, port: wanted }) => {
    let port = wanted;
    while (taken.has(`${dst} ${port}`)) port = port === 65535 ? FIRST_USER_PORT : port + 1;
    taken.add(`${dst} ${port}`);
    return port;
  });
  const started = monotonicNs();
  return await Promise.all(
    flows.map(async ({ src, dst, bytes, startNs }, index): Promise<FlowRow> => {
      const wait = (started + startNs - monotonicNs()) / 1e6;
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const port = ports[index]!;
      const figures = await runIperf3(hostOf(src), hostOf(dst), { ipVersion, port, bytes });
      return { generator: "iperf3", src, dst, port, startNs, timeouts: null, ...figures };
    }),
  );
}
