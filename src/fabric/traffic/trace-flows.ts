/** Flows of a traffic file as a workload. */
import { hostsOf, type Topology } from "../topology/index.js";
import { Flow, type FlowSource, type Service } from "./flow-source.js";
import { FlowAllowance, type Limits, MixedWorkload } from "./mixed-workload.js";
import type { TrafficFlow } from "./traffic-file.js";

export interface TraceSpec extends Limits {
  /** In the order of their starts; read on demand. */
  readonly trace: Iterator<TrafficFlow>;
  /** Factor for the starts. */
  readonly timeScale: number;
  /** Protocol of all flows; their ports are those of the file. */
  readonly protocol: Pick<Service, "protocol" | "rateBps">;
}

/** The flows of a trace, up to the limits. All hosts that it names are in the topology. */
export function openTrace(
  { trace, timeScale, protocol, ...limits }: TraceSpec,
  topology: Topology,
): MixedWorkload {
  const hosts = new Map(hostsOf(topology).map(({ name, index }) => [name, index]));
  return new MixedWorkload([new TraceFlows(trace, hosts, timeScale, protocol)], new FlowAllowance(limits));
}

class TraceFlows implements FlowSource {
  constructor(
    readonly flows: Iterator<TrafficFlow>,
    /** By name: indexes in `Topology.nodes`. */
    readonly hosts: ReadonlyMap<string, number>,
    readonly timeScale: number,
    readonly protocol: Pick<Service, "protocol" | "rateBps">,
  ) {}

  next(): Flow | undefined {
    const { value, done } = this.flows.next();
    if (done) return undefined;
    const { startNs, src, dst, bytes, port } = value;
    const { hosts, timeScale, protocol } = this;
    const service = { ...protocol, port };
    return new Flow(Math.floor(startNs * timeScale), hosts.get(src)!, hosts.get(dst)!, bytes, service);
  }
}
