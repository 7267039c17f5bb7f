/**
 * Computes the path of a packet from its flow and its selector, with the hash functions of the plan's switches and the NIC that its host's policy
 * picks. No packet is sent, so it is fast for fabrics of hundreds of switches.
 */

import type { FlowKey } from "../../base/packets/index.js";
import { type HostPolicy, type PolicyDescription, restingHost } from "../hosts/index.js";
import {
  emptyFlows,
  type FlowColumns,
  FlowTracer,
  MAX_LINKS,
  type PathModel,
  type PathSource,
} from "../paths/index.js";
import type { Topology } from "../topology/index.js";
import { hostPolicyOf } from "./host-policy.js";

/** A flow between two hosts, as its first host sends it. */
export interface HostFlow {
  /** Node indexes of hosts. */
  readonly source: number;
  readonly destination: number;
  /** IP version. */
  readonly version: 4 | 6;
  /** 6 TCP, 17 UDP. */
  readonly protocol: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
}

export interface SelectorPath {
  /** Node indexes from the source to the destination, both included. */
  readonly nodes: readonly number[];
  /** Directed links: 2 l is link l from its end `a` to its end `b`, 2 l + 1 the way back. */
  readonly links: readonly number[];
}

export class SelectorPaths {
  readonly #tracer: FlowTracer;
  readonly #policy: HostPolicy;
  readonly #links = new Int32Array(MAX_LINKS);

  /**
   * @param model of a plan: `FabricPlan.pathModel`
   * @param hosts of the same plan
   */
  constructor(
    readonly topology: Topology,
    model: PathModel,
    hosts: PolicyDescription,
  ) {
    this.#tracer = new FlowTracer(topology, model);
    this.#policy = hostPolicyOf(hosts, restingHost());
  }

  /** The paths of many flows, by the column of selectors; the column of NICs is filled in where hosts have several. */
  of(flows: FlowColumns): PathSource {
    return this.#tracer.of({ ...flows, nic: flows.nic ?? this.#nics(flows) });
  }

  /** The path of one packet; undefined where it does not arrive. */
  pathOf(flow: HostFlow, selector: number): SelectorPath | undefined {
    const columns = emptyFlows(1, flow.version);
    columns.source[0] = flow.source;
    columns.destination[0] = flow.destination;
    columns.protocol[0] = flow.protocol;
    columns.sourcePort[0] = flow.sourcePort;
    columns.destinationPort[0] = flow.destinationPort;
    const own = this.of({ ...columns, selector: Uint32Array.of(selector) });
    const count = own.linksOf(0, this.#links);
    if (count < 0) return undefined;
    const links = [...this.#links.subarray(0, count)];
    const ends = links.map((link) => {
      const { a, b } = this.topology.links[link >> 1]!;
      return (link & 1) === 0 ? b.node : a.node;
    });
    return { nodes: [flow.source, ...ends], links };
  }

  #nics({ size, source, destination, selector, ...flows }: FlowColumns): Uint8Array {
    const { nodes } = this.topology;
    const family = flows.version === 4 ? "ipv4" : "ipv6";
    return Uint8Array.from({ length: size }, (_, flow) => {
      const from = nodes[source[flow]!]!;
      const nics = from.ports.length;
      if (nics < 2 || from.host === undefined) return 0;
      const key: FlowKey = {
        src: from.host[family],
        dst: nodes[destination[flow]!]?.host?.[family] ?? 0n,
        protocol: flows.protocol[flow]!,
        srcPort: flows.sourcePort[flow]!,
        dstPort: flows.destinationPort[flow]!,
      };
      return this.#policy.nic(key, selector?.[flow] ?? 0, nics);
    });
  }
}
