/** A topology in the form of the flow simulator: switches and their ports to each other in flat arrays, capacities by directed link. */
import { fail, type Locate } from "../../../base/index.js";
import { directedLink } from "../../paths/index.js";
import type { Topology } from "../../topology/index.js";
import { CODES } from "./codes.js";

/** Bytes per nanosecond of a rate in bits per second. */
const bytesPerNs = (rateBps: number) => rateBps / 8e9;

/**
 * Flows share resources: the directed links of the topology (numbers as in `PathSource`), then for each rack the total that its
 * hosts can send, and the total that they can receive; and last a resource without capacity, for flows without a path.
 */
export class FlowNetwork {
  readonly switches: number;
  /** Switch by node index; -1 for hosts. */
  readonly switchOf: Int32Array;
  /** Node index by switch. */
  readonly nodeOf: Int32Array;
  /** Ports to other switches, of all switches one after the other: those of switch s from `firstPort[s]` to `firstPort[s + 1]`. */
  readonly firstPort: Int32Array;
  /** By port: the switch at the other end, the directed link that leads there, and the port at the other end, within its switch. */
  readonly peer: Int32Array;
  readonly link: Int32Array;
  readonly peerPort: Int32Array;
  /** By directed link between switches: its port; -1 for other resources. */
  readonly portOfLink: Int32Array;
  /** Bytes per nanosecond by resource. */
  readonly capacity: Float64Array;
  /** The resource without capacity. */
  readonly nowhere: number;
  /** Switch by rack. */
  readonly switchOfRack: Int32Array;
  /** By node index of a host: rack, directed link to its switch and from it, bytes per nanosecond of its NIC. */
  readonly rackOf: Int32Array;
  readonly upLink: Int32Array;
  readonly downLink: Int32Array;
  readonly nic: Float64Array;
  /** Directed links between switches that are up. */
  readonly fabricLinks: Int32Array;

  /** Fails with P45401 for hosts with several NICs, P45402 where a host has no link that is up. */
  constructor(
    readonly topology: Topology,
    locate: Locate = () => undefined,
  ) {
    const { nodes, links, racks, down } = topology;
    const up = (link: number) => !(down?.has(link) ?? false);
    this.switchOf = new Int32Array(nodes.length).fill(-1);
    const own = nodes.filter(({ role }) => role !== "host");
    this.switches = own.length;
    this.nodeOf = Int32Array.from(own, ({ index }) => index);
    for (const [number, { index }] of own.entries()) this.switchOf[index] = number;
    const fabricPorts = own.map(({ ports }) =>
      ports.filter(({ peer, link }) => nodes[peer]!.role !== "host" && up(link)),
    );
    this.firstPort = new Int32Array(own.length + 1);
    for (const [number, ports] of fabricPorts.entries())
      this.firstPort[number + 1] = this.firstPort[number]! + ports.length;
    const count = this.firstPort[own.length]!;
    this.peer = new Int32Array(count);
    this.link = new Int32Array(count);
    this.peerPort = new Int32Array(count);
    this.nowhere = 2 * links.length + 2 * racks.length;
    this.portOfLink = new Int32Array(this.nowhere + 1).fill(-1);
    for (const [number, ports] of fabricPorts.entries())
      for (const [i, port] of ports.entries()) {
        const at = this.firstPort[number]! + i;
        this.peer[at] = this.switchOf[port.peer]!;
        this.link[at] = directedLink(topology, own[number]!.index, port.number);
        this.portOfLink[this.link[at]!] = at;
      }
    for (let port = 0; port < count; port++) {
      const back = this.portOfLink[this.link[port]! ^ 1]!;
      this.peerPort[port] = back - this.firstPort[this.peer[port]!]!;
    }
    this.fabricLinks = this.link.slice().sort();
    this.capacity = new Float64Array(this.portOfLink.length);
    for (const { index, rateBps } of links) {
      this.capacity[2 * index] = bytesPerNs(rateBps);
      this.capacity[2 * index + 1] = bytesPerNs(rateBps);
    }
    this.switchOfRack = Int32Array.from(racks, ({ switches }) => this.switchOf[switches[0]!]!);
    this.rackOf = new Int32Array(nodes.length).fill(-1);
    this.upLink = new Int32Array(nodes.length).fill(-1);
    this.downLink = new Int32Array(nodes.length).fill(-1);
    this.nic = new Float64Array(nodes.length);
    for (const { index, name, host, ports } of nodes) {
      if (host === undefined) continue;
      if (ports.length > 1)
        fail(
          CODES.severalNics,
          locate(["topology", "homing"]) ?? locate(["topology"]),
          `"${name}" has ${ports.length} NICs: the flow simulator supports hosts with one`,
          "write `homing: single`",
        );
      const [port] = ports;
      if (port === undefined || !up(port.link))
        fail(CODES.hostWithoutLink, locate(["topology"]), `"${name}" has no link that is up`);
      this.rackOf[index] = host.rack;
      this.upLink[index] = directedLink(topology, index, 1);
      this.downLink[index] = this.upLink[index]! ^ 1;
      this.nic[index] = bytesPerNs(links[port.link]!.rateBps);
      this.capacity[this.rackSends(host.rack)]! += this.nic[index]!;
      this.capacity[this.rackReceives(host.rack)]! += this.nic[index]!;
    }
  }

  /** The resource of all that the hosts of a rack send. */
  rackSends(rack: number): number {
    return 2 * this.topology.links.length + 2 * rack;
  }

  /** The resource of all that the hosts of a rack receive. */
  rackReceives(rack: number): number {
    return this.rackSends(rack) + 1;
  }

  portsOf(own: number): number {
    return this.firstPort[own + 1]! - this.firstPort[own]!;
  }
}
