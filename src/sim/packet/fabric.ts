/** A whole topology as a network: hosts with their policy, and for each switch the node that the caller makes. */

import type { HostPolicy } from "../../hosts/index.js";
import { hostsOf, type Topology, type TopologyNode } from "../../topology/index.js";
import type { ChannelOptions } from "./channel.js";
import type { SelectorCodec } from "./frames.js";
import { Host } from "./host.js";
import { type Link, Network, type Node } from "./network.js";
import type { Simulation } from "./simulation.js";

export interface FabricOptions {
  simulation: Simulation;
  topology: Topology;
  policy: HostPolicy;
  codec: SelectorCodec;
  /** Bounds of the output queue of each port of a host, and of a switch that has no queues of its own. */
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
      const [a, b] = [this.nodes[link.a.node]!, this.nodes[link.b.node]!];
      const from = (node: Node): ChannelOptions => ({
        rate: link.rateBps,
        delay: Math.round(link.delayNs),
        queueBytes: node.ownQueues ? Number.POSITIVE_INFINITY : queueBytes,
        queuePackets: node.ownQueues ? Number.POSITIVE_INFINITY : queuePackets,
      });
      this.network.connect(
        { node: a, port: link.a.port },
        { node: b, port: link.b.port },
        { aToB: from(a), bToA: from(b) },
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
