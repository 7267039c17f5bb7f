/** A whole topology as a network: hosts with their policy, and at each switch whatever the caller puts there. */
import { hostsOf, type Topology, type TopologyNode } from "../../topology/index.js";
import type { ChannelOptions } from "./channel.js";
import type { SelectorCodec } from "./frames.js";
import { Host } from "./host.js";
import type { HostPolicy } from "./host-policy.js";
import { type Link, Network, type Node } from "./network.js";
import type { Simulation } from "./simulation.js";

export interface FabricOptions {
  simulation: Simulation;
  topology: Topology;
  policy: HostPolicy;
  codec: SelectorCodec;
  /** Bounds of each output queue. */
  queueBytes: number;
  queuePackets: number;
  makeSwitch(node: TopologyNode): Node;
}

export class Fabric {
  readonly network: Network;
  readonly topology: Topology;
  /** By node index of the topology. */
  readonly nodes: readonly Node[];
  readonly #hosts: ReadonlyMap<number, Host>;
  readonly #indexes: ReadonlyMap<Node, number>;

  constructor(options: FabricOptions) {
    const { simulation, topology, policy, codec, queueBytes, queuePackets } = options;
    this.topology = topology;
    this.network = new Network(simulation);
    this.#hosts = new Map(
      hostsOf(topology).map((node) => [
        node.index,
        new Host(simulation, {
          name: node.name,
          mac: node.mac,
          ipv4: node.host!.ipv4,
          ipv6: node.host!.ipv6,
          policy,
          codec,
        }),
      ]),
    );
    this.nodes = topology.nodes.map((node) => this.#hosts.get(node.index) ?? options.makeSwitch(node));
    this.#indexes = new Map(this.nodes.map((node, index) => [node, index]));
    for (const link of topology.links) {
      const channel: ChannelOptions = {
        rate: link.rateBps,
        delay: Math.round(link.delayNs),
        queueBytes,
        queuePackets,
      };
      this.network.connect(
        { node: this.nodes[link.a.node]!, port: link.a.port },
        { node: this.nodes[link.b.node]!, port: link.b.port },
        { aToB: channel, bToA: channel },
      );
    }
    for (const [index, host] of this.#hosts)
      for (const port of topology.nodes[index]!.ports)
        host.setGateway(port.number, topology.nodes[port.peer]!.mac);
  }

  /** The host at a node of the topology. */
  host(index: number): Host {
    const host = this.#hosts.get(index);
    if (host === undefined) throw new RangeError(`${this.topology.nodes[index]?.name} is no host`);
    return host;
  }

  hosts(): Iterable<Host> {
    return this.#hosts.values();
  }

  /** The simulated link of a link of the topology. */
  link(index: number): Link {
    return this.network.links[index]!;
  }

  /** Index in the topology of a simulated node. */
  indexOf(node: Node): number {
    return this.#indexes.get(node)!;
  }
}
