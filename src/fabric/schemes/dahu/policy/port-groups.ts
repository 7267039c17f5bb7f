/**
 * The port groups of one switch (Dahu, section 3.1): each group maps virtual ports to member ports. A flow hashes to a virtual port;
 * a remapped virtual port moves its own flows and no others. Ports are numbered from 0 here, as bits of a bitmap.
 */

import type { Random } from "../../../../base/index.js";

/** Largest number of virtual ports of a group: the counts of {@link PortGroups} have 16 bits. */
export const MAX_VIRTUAL_PORTS = 65_535;

/** Maximum number of port groups of a switch (section 5). */
export const MAX_GROUPS = 64;

/** A virtual port that was remapped: what a controller writes to the switch. */
export interface Remap {
  readonly group: number;
  readonly virtualPort: number;
  readonly from: number;
  readonly to: number;
}

/** The map of a switch. Arrays over (group, port) have the index `group * ports + port`. */
export class PortGroups {
  readonly groups: number;
  readonly ports: number;
  readonly virtualPorts: number;
  /** Port by `group * virtualPorts + virtualPort`. */
  readonly map: Uint16Array;
  /** Number of virtual ports that map to (group, port). */
  readonly counts: Uint16Array;
  /** 1: the port is a member of the group and is up. */
  readonly members: Uint8Array;
  /** Ports of each group by the plan, whether they are up or not. */
  readonly #planned: Uint8Array;
  /** The map before the first remapping. */
  readonly #initial: Uint16Array;

  /**
   * Virtual port v of a group maps to its member number v modulo the number of members. `members`: ports of each group, ascending, at
   * least one.
   */
  constructor(ports: number, virtualPorts: number, members: readonly (readonly number[])[]) {
    if (virtualPorts < 1 || virtualPorts > MAX_VIRTUAL_PORTS)
      throw new RangeError(`${virtualPorts} virtual ports: expected 1 to ${MAX_VIRTUAL_PORTS}`);
    this.groups = members.length;
    this.ports = ports;
    this.virtualPorts = virtualPorts;
    this.map = new Uint16Array(this.groups * virtualPorts);
    this.counts = new Uint16Array(this.groups * ports);
    this.members = new Uint8Array(this.groups * ports);
    for (const [group, list] of members.entries()) {
      if (list.length === 0) throw new RangeError(`port group ${group} has no member`);
      for (const port of list) {
        if (!(port >= 0 && port < ports))
          throw new RangeError(`port ${port} of group ${group}: there are ${ports}`);
        this.members[group * ports + port] = 1;
      }
      for (let virtualPort = 0; virtualPort < virtualPorts; virtualPort++) {
        const port = list[virtualPort % list.length]!;
        this.map[group * virtualPorts + virtualPort] = port;
        this.counts[group * ports + port]!++;
      }
    }
    this.#planned = this.members.slice();
    this.#initial = this.map.slice();
  }

  /**
   * Shuffles the map of each group; each member keeps its number of virtual ports. The hashes of a packet are `start + k step` with an odd
   * step: with members in turn, the next hash of an even group would always lead to a member of the other parity, and a switch that excludes
   * the ingress port would prefer half of the others.
   */
  shuffle(random: Random): void {
    const { map, virtualPorts } = this;
    for (let group = 0; group < this.groups; group++) {
      const first = group * virtualPorts;
      for (let i = virtualPorts - 1; i > 0; i--) {
        const j = first + random.int(i + 1);
        const port = map[first + i]!;
        map[first + i] = map[j]!;
        map[j] = port;
      }
    }
    this.#initial.set(map);
  }

  /** The map and the members that the switch began with. */
  reset(): void {
    this.map.set(this.#initial);
    this.members.set(this.#planned);
    this.counts.fill(0);
    for (const [at, port] of this.map.entries())
      this.counts[Math.floor(at / this.virtualPorts) * this.ports + port]!++;
  }

  /** Whether a port belongs to a group by the plan, up or not. `at`: `group * ports + port`. */
  isPlanned(at: number): boolean {
    return this.#planned[at] === 1;
  }

  portOf(group: number, virtualPort: number): number {
    return this.map[group * this.virtualPorts + virtualPort]!;
  }

  /** Remaps one virtual port; `to` is a member. */
  remap(group: number, virtualPort: number, to: number): void {
    const at = group * this.virtualPorts + virtualPort;
    this.counts[group * this.ports + this.map[at]!]!--;
    this.counts[group * this.ports + to]!++;
    this.map[at] = to;
  }

  /**
   * A port is down (section 4.6): it is a member of no group, and its virtual ports go to the other members of their groups in turn,
   * beginning with the member after it. A group without another member keeps its map: it has no alternative.
   */
  portDown(port: number): Remap[] {
    const { ports, virtualPorts } = this;
    const moved: Remap[] = [];
    for (let group = 0; group < this.groups; group++) {
      if (this.members[group * ports + port] === 0) continue;
      this.members[group * ports + port] = 0;
      let to = port;
      for (let virtualPort = 0; virtualPort < virtualPorts; virtualPort++) {
        if (this.portOf(group, virtualPort) !== port) continue;
        to = this.#memberAfter(group, to);
        if (to < 0) break;
        this.remap(group, virtualPort, to);
        moved.push({ group, virtualPort, from: port, to });
      }
    }
    return moved;
  }

  /** A port is up again: a member of its groups, to which the next balancing maps virtual ports (section 4.6). */
  portUp(port: number): void {
    for (let at = port; at < this.members.length; at += this.ports) this.members[at] = this.#planned[at]!;
  }

  /** The next member after a port, cyclically; -1 where the group has none. */
  #memberAfter(group: number, port: number): number {
    for (let step = 1; step <= this.ports; step++) {
      const next = (port + step) % this.ports;
      if (this.members[group * this.ports + next] === 1) return next;
    }
    return -1;
  }
}
