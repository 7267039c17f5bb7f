/** Several parts as one workload: their flows in the order of their starts, with ids, up to a number or a time. */

import { hostsOf, type Topology } from "../topology/index.js";
import { type Allowance, Flow, type FlowSource, GroupFlow, type Service } from "./flow-source.js";
import type { TrafficFlow } from "./traffic-file.js";
import type { FlowArrival, Workload } from "./workload.js";

/** Limits of a workload; groups are whole, so that it may end before a group that is larger than the rest. */
export interface Limits {
  /** Maximum number of flows. */
  readonly flows?: number | undefined;
  /** Flows and requests start before this time. */
  readonly durationNs?: number | undefined;
}

/** Counts the flows that start. */
export class FlowAllowance implements Allowance {
  #left: number;
  readonly #end: number;
  #groups = 0;

  constructor({ flows = Infinity, durationNs = Infinity }: Limits) {
    this.#left = flows;
    this.#end = durationNs;
  }

  take(flows: number, startNs: number): boolean {
    if (startNs >= this.#end || flows > this.#left) return false;
    this.#left -= flows;
    return true;
  }

  newGroup(): number {
    return this.#groups++;
  }
}

export class MixedWorkload implements Workload {
  readonly completed?: (flow: FlowArrival, nowNs: number) => readonly FlowArrival[];
  /** The next flow of each part. */
  readonly #heads: (Flow | undefined)[];
  #ids = 0;

  /** @param sources in a fixed order: of flows that start at the same time, those of the first source come first */
  constructor(
    readonly sources: readonly FlowSource[],
    readonly allowance: Allowance,
    /** Bits of payload per second that the parts offer on average; absent where it follows from the network. */
    readonly offeredBps?: number,
  ) {
    this.#heads = sources.map((source) => source.next());
    if (sources.some((source) => source.completed !== undefined))
      this.completed = (flow, nowNs) => {
        const { part } = flow as Flow;
        const started = sources[part]!.completed?.(flow as Flow, nowNs) ?? [];
        return started.map((one) => this.#name(one, part));
      };
  }

  next(): FlowArrival | undefined {
    const heads = this.#heads;
    let first = -1;
    for (let part = 0; part < heads.length; part++) {
      const head = heads[part];
      if (head !== undefined && (first < 0 || head.startNs < heads[first]!.startNs)) first = part;
    }
    if (first < 0) return undefined;
    const flow = heads[first]!;
    if (!this.#mayStart(flow)) {
      heads.fill(undefined);
      return undefined;
    }
    heads[first] = this.sources[first]!.next();
    return this.#name(flow, first);
  }

  #mayStart(flow: Flow): boolean {
    if (!(flow instanceof GroupFlow)) return this.allowance.take(1, flow.startNs);
    return !flow.first || this.allowance.take(flow.group.flows, flow.startNs);
  }

  #name(flow: Flow, part: number): Flow {
    flow.id = this.#ids++;
    flow.part = part;
    return flow;
  }
}

// Flows of a traffic file as a workload.

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
