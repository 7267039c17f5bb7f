/**
 * A network as a graph: nodes with numbered ports, links between ports, racks of hosts with the
 * prefixes that name them. Built once by a generator or from a list (`build.ts`), read-only afterwards.
 */

/** Position of a node in a tree of switches; `switch` is a switch without a tier. */
export type Role = "host" | "tor" | "leaf" | "spine" | "switch";

/** One end of a link, from the view of its node. */
export interface Port {
  /** From 1, in the order in which links were added: 0 is no port and 511 drops (v1model). */
  readonly number: number;
  /** Index in {@link Topology.links}. */
  readonly link: number;
  /** Index of the node at the other end. */
  readonly peer: number;
  /** Port number at the other end. */
  readonly peerPort: number;
}

export interface TopologyNode {
  /** Index in {@link Topology.nodes}. */
  readonly index: number;
  readonly name: string;
  readonly role: Role;
  /** Pod it belongs to; spines and free switches belong to none. */
  readonly pod: number | undefined;
  /** Number among the nodes of its role: within the pod, or in the whole network where there is no pod. */
  readonly position: number;
  /** The number of the stage, where several stages share a role; 1 for the ToRs. Absent: {@link TIER} of the role. */
  readonly tier?: number;
  /** 48 bits. A host with several NICs bonds them under one address. */
  readonly mac: bigint;
  /** `ports[i].number` is i + 1. */
  readonly ports: readonly Port[];
  /** Position in a HyperX, one number a dimension; absent elsewhere. */
  readonly coordinates?: readonly number[];
  /** Hosts only. */
  readonly host: HostAddress | undefined;
}

interface HostAddress {
  /** Index in {@link Topology.racks}. */
  readonly rack: number;
  /** 32 bits. */
  readonly ipv4: bigint;
  /** 128 bits. */
  readonly ipv6: bigint;
}

export interface Link {
  readonly index: number;
  /** The end in the lower tier; in one tier, the end that was named first. */
  readonly a: LinkEnd;
  readonly b: LinkEnd;
  /** Bits per second, each way. */
  readonly rateBps: number;
  /** Propagation one way, in nanoseconds. */
  readonly delayNs: number;
  /** Weight of the link on a map, each way; absent: 1. Shortest-path routes count links and do not read it. */
  readonly cost?: number;
  /** Maximum number of packets per second that a switch at either end sends into it, whatever their sizes; absent: only {@link rateBps} limits. */
  readonly ratePps?: number;
  /** Maximum number of packets that wait at a switch's port to it; absent: the limit of all queues of the network. */
  readonly queuePackets?: number;
}

export interface LinkEnd {
  readonly node: number;
  readonly port: number;
}

/** An address prefix; `address` has zeros beyond `length`. */
export interface Prefix {
  readonly address: bigint;
  readonly length: number;
}

/** Prefixes of one destination, one for each address family. */
export interface PrefixPair {
  readonly ipv4: Prefix;
  readonly ipv6: Prefix;
}

/** Hosts that are linked to the same switches: one ToR, or a pair of ToRs when hosts have two NICs. */
export interface Rack extends PrefixPair {
  readonly index: number;
  readonly pod: number;
  /** Node indexes, ascending. */
  readonly switches: readonly number[];
  readonly hosts: readonly number[];
}

/** Racks whose prefixes are parts of one shorter prefix. */
export interface Pod extends PrefixPair {
  readonly index: number;
  readonly racks: readonly number[];
}

export interface Topology {
  readonly name: string;
  readonly nodes: readonly TopologyNode[];
  readonly links: readonly Link[];
  readonly racks: readonly Rack[];
  readonly pods: readonly Pod[];
  /** Indexes of links that carry no packets; absent: none. Their ports keep their numbers. See `withLinksDown`. */
  readonly down?: ReadonlySet<number>;
}

/** Distance from the hosts; switches without a tier count as leaves. */
export const TIER: Readonly<Record<Role, number>> = { host: 0, tor: 1, leaf: 2, spine: 3, switch: 2 };

/** Distance of a node from the hosts: packets go up to higher tiers, then down. */
export function tierOf({ tier, role }: Pick<TopologyNode, "tier" | "role">): number {
  return tier ?? TIER[role];
}

export function hostsOf(topology: Topology): TopologyNode[] {
  return topology.nodes.filter((node) => node.role === "host");
}

export function switchesOf(topology: Topology, role?: Role): TopologyNode[] {
  return topology.nodes.filter((node) => (role === undefined ? node.role !== "host" : node.role === role));
}

/** The node of an index of this topology. An index of another network is an error of ours: indexes come from the topology itself. */
export function nodeAt({ nodes }: Topology, index: number): TopologyNode {
  const node = nodes[index];
  if (node === undefined) throw new RangeError(`node ${index} of ${nodes.length}`);
  return node;
}

/** The rack of an index of this topology, as {@link nodeAt}. */
export function rackAt({ racks }: Topology, index: number): Rack {
  const rack = racks[index];
  if (rack === undefined) throw new RangeError(`rack ${index} of ${racks.length}`);
  return rack;
}

const byName = new WeakMap<Topology, ReadonlyMap<string, TopologyNode>>();

export function nodeNamed(topology: Topology, name: string): TopologyNode | undefined {
  let nodes = byName.get(topology);
  if (nodes === undefined) {
    nodes = new Map(topology.nodes.map((node) => [node.name, node]));
    byName.set(topology, nodes);
  }
  return nodes.get(name);
}
