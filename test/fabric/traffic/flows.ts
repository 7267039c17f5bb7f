/** What the tests of workloads share: topologies, and the flows of a workload in a network without delay. */
import { Random } from "../../../src/base/index.js";
import {
  buildTopology,
  type Topology,
  type TopologyInput,
  topologySchema,
} from "../../../src/fabric/topology/index.js";
import {
  type FlowArrival,
  openWorkload,
  type PartSpec,
  SizeDistribution,
  type Workload,
  type WorkloadSpec,
} from "../../../src/fabric/traffic/index.js";

/** `racks` ToRs with this number of hosts each, below four leaves; links of 10 Gbit/s. */
export function leafSpine(racks: number, hosts: number, more: Partial<TopologyInput> = {}): Topology {
  const link = { rate: "10Gbps" };
  return buildTopology(
    topologySchema.parse({
      kind: "leaf_spine",
      tors: racks,
      leaves: 4,
      homing: "single",
      hosts_per_rack: hosts,
      host_link: link,
      fabric_link: link,
      ...more,
    }),
  );
}

const TCP = { protocol: "tcp", port: 5201 } as const;

/** A part of a workload: all to all, at half load, flows of 10 kB, unless given. */
export function part(given: Partial<PartSpec> = {}): PartSpec {
  return {
    pattern: { kind: "all_to_all" },
    pace: { kind: "load", load: 0.5, arrivals: "poisson" },
    sizes: SizeDistribution.fixed(10_000),
    service: TCP,
    ...given,
  };
}

export function open(
  topology: Topology,
  parts: readonly PartSpec[],
  given: Partial<WorkloadSpec> = {},
  seed = 1,
) {
  return openWorkload(
    { parts, loadOf: "host_links", segmentBytes: 1000, flows: 1000, ...given },
    topology,
    new Random(seed),
  );
}

/** All flows, those that completions start among them, where a flow is complete `takesNs` after its start. */
export function play(
  workload: ReturnType<typeof open>,
  takesNs: (flow: FlowArrival) => number,
): FlowArrival[] {
  const flows: FlowArrival[] = [];
  /** Flows that have not started, or not ended, by the time of that. */
  const events: { at: number; flow: FlowArrival; ends: boolean }[] = [];
  let next = workload.next();
  const later = (at: number, flow: FlowArrival, ends: boolean) => {
    events.push({ at, flow, ends });
    events.sort((a, b) => a.at - b.at || a.flow.id - b.flow.id);
  };
  const start = (flow: FlowArrival) => {
    flows.push(flow);
    later(flow.startNs + takesNs(flow), flow, true);
  };
  while (next !== undefined || events.length > 0) {
    const first = events[0];
    if (next !== undefined && (first === undefined || next.startNs <= first.at)) {
      start(next);
      next = workload.next();
      continue;
    }
    events.shift();
    if (!first!.ends) start(first!.flow);
    else
      for (const flow of workload.completed?.(first!.flow, first!.at) ?? []) later(flow.startNs, flow, false);
  }
  return flows;
}

export function drawn(workload: Workload): FlowArrival[] {
  const flows: FlowArrival[] = [];
  for (let flow = workload.next(); flow !== undefined; flow = workload.next()) flows.push(flow);
  return flows;
}
