/** The port groups of the switches, and the group of each destination. */

import { fail, type Locate, Random } from "../../../../base/index.js";
import { type Distances, FAR, type FlowNetwork } from "../../../sim/flow/index.js";
import { nodeAt } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import { checkGroupCount } from "../group-limits.js";
import { PortGroups } from "../policy/port-groups.js";

export interface GroupPlan {
  /** By switch; undefined for a switch without ports to others. The last group of a switch has all ports to switches. */
  readonly groups: readonly (PortGroups | undefined)[];
  /** The group of a destination in the intact network. */
  groupOf(own: number, destination: number): number;
}

/** The virtual ports of a group. */
interface VirtualPorts {
  readonly count: number;
  /** Seed of the initial maps. */
  readonly seed: number;
}

/** All ports to switches in one group. */
export function oneGroup(network: FlowNetwork, virtualPorts: VirtualPorts): GroupPlan {
  const groups = switchesOf(network).map((own) =>
    groupsOf(network, own, virtualPorts, [allPorts(network, own)]),
  );
  return { groups, groupOf: () => 0 };
}

/** Fails with P45411 where switches have no coordinates. */
export function checkCoordinates({ topology, nodeOf }: FlowNetwork, locate: Locate): void {
  if (nodeOf.every((node) => nodeAt(topology, node).coordinates !== undefined)) return;
  fail(
    CODES.withoutCoordinates,
    locate(["port_groups"]),
    `port_groups: offset_dimensions needs a HyperX; switches of "${topology.name}" have no coordinates`,
    "write `port_groups: one`, or `topology: { kind: hyperx, ... }`",
  );
}

/** One group for each set of dimensions; bit d of its number is dimension d. Fails with P45411 where switches have no coordinates, P45412. */
export function groupsOfDimensions(
  network: FlowNetwork,
  virtualPorts: VirtualPorts,
  locate: Locate,
): GroupPlan {
  checkCoordinates(network, locate);
  const { topology, nodeOf, firstPort, peer } = network;
  const coordinates = Array.from(nodeOf, (node) => nodeAt(topology, node).coordinates!);
  const dimensions = coordinates[0]?.length ?? 0;
  checkGroupCount(1 << dimensions, nameOf(network, 0), locate);
  const flat = Int32Array.from(coordinates.flat());
  const offset = (a: number, b: number) => {
    let set = 0;
    for (let d = 0; d < dimensions; d++)
      if (flat[a * dimensions + d] !== flat[b * dimensions + d]) set |= 1 << d;
    return set;
  };
  const groups = switchesOf(network).map((own) => {
    const ports = allPorts(network, own);
    const along = (set: number) =>
      ports.filter((port) => (offset(own, peer[firstPort[own]! + port]!) & set) !== 0);
    // Set 0 is the switch itself; a group whose links are all missing has all ports.
    const members = Array.from({ length: 1 << dimensions }, (_, set) => along(set));
    return groupsOf(
      network,
      own,
      virtualPorts,
      members.map((list) => (list.length === 0 ? ports : list)),
    );
  });
  return { groups, groupOf: offset };
}

/** One group for each set of ports of shortest paths to a rack. Fails with P45412 where a switch has more sets than groups. */
export function groupsOfNextHops(
  network: FlowNetwork,
  distances: Distances,
  virtualPorts: VirtualPorts,
  locate: Locate,
): GroupPlan {
  const { firstPort, peer, switches } = network;
  const destinations = [...new Set(network.switchOfRack)].sort((a, b) => a - b);
  const numberOf = new Int16Array(switches * switches).fill(-1);
  const groups = switchesOf(network).map((own) => {
    const known = new Map<string, number>();
    const members: number[][] = [];
    for (const destination of destinations) {
      const distance = distances.to(destination);
      if (destination === own || distance[own] === FAR) continue;
      const ports = allPorts(network, own).filter(
        (port) => distance[peer[firstPort[own]! + port]!]! < distance[own]!,
      );
      const key = ports.join(" ");
      let number = known.get(key);
      if (number === undefined) {
        number = members.push(ports) - 1;
        known.set(key, number);
      }
      numberOf[own * switches + destination] = number;
    }
    members.push(allPorts(network, own));
    checkGroupCount(members.length, nameOf(network, own), locate);
    return groupsOf(network, own, virtualPorts, members);
  });
  return { groups, groupOf: (own, destination) => numberOf[own * switches + destination]! };
}

function nameOf({ topology, nodeOf }: FlowNetwork, own: number): string {
  return nodeAt(topology, nodeOf[own]!).name;
}

function switchesOf({ switches }: FlowNetwork): number[] {
  return Array.from({ length: switches }, (_, own) => own);
}

function allPorts(network: FlowNetwork, own: number): number[] {
  return Array.from({ length: network.portsOf(own) }, (_, port) => port);
}

function groupsOf(
  network: FlowNetwork,
  own: number,
  virtualPorts: VirtualPorts,
  members: readonly (readonly number[])[],
): PortGroups | undefined {
  const ports = network.portsOf(own);
  if (ports === 0) return undefined;
  const groups = new PortGroups(ports, virtualPorts.count, members);
  groups.shuffle(new Random(virtualPorts.seed).fork(own));
  return groups;
}
