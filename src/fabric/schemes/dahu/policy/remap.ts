/**
 * Maps virtual ports by a balanced allocation (Dahu, section 4.3.2, step 3). The switch counts only by group and member,
 * so every virtual port of a member counts as an equal part of its traffic. Each is moved to the first member that still
 * lacks that amount (first fit).
 */
import type { PortTraffic } from "./allocation.js";
import type { PortGroups, Remap } from "./port-groups.js";

/** Relative slack of comparisons of sums of floating-point traffic. */
const SLACK = 1e-9;

export class FirstFit {
  #surplus = new Float64Array(0);
  #lack = new Float64Array(0);
  /** Traffic of each virtual port of a member, where it is not counted. */
  #share = new Float64Array(0);
  /** 1: a virtual port of the member may be one that goes. */
  #gives = new Uint8Array(0);

  /**
   * Remaps virtual ports so that the traffic of each group comes as close to `target` as whole virtual ports allow without
   * exceeding it. Virtual ports are taken in ascending order; `moved` is called for each.
   */
  remap(
    groups: PortGroups,
    traffic: PortTraffic,
    target: Float64Array,
    moved: (remap: Remap) => void = () => {},
  ): void {
    for (let group = 0; group < groups.groups; group++)
      this.#remapGroup(groups, group, traffic, target, moved);
  }

  #remapGroup(
    groups: PortGroups,
    group: number,
    { byGroup: measured, byVirtualPort }: PortTraffic,
    target: Float64Array,
    moved: (remap: Remap) => void,
  ): void {
    const { ports, virtualPorts, map, members, counts } = groups;
    const base = group * ports;
    if (this.#surplus.length !== ports) {
      this.#surplus = new Float64Array(ports);
      this.#lack = new Float64Array(ports);
      this.#share = new Float64Array(ports);
      this.#gives = new Uint8Array(ports);
    }
    const [surplus, lack, share, giving] = [this.#surplus, this.#lack, this.#share, this.#gives];
    /** Members that have to give away at least one of their virtual ports. */
    let givers = 0;
    for (let port = 0; port < ports; port++) {
      const difference = measured[base + port]! - target[base + port]!;
      surplus[port] = Math.max(0, difference);
      lack[port] = members[base + port] === 1 ? Math.max(0, -difference) : 0;
      share[port] = measured[base + port]! / Math.max(1, counts[base + port]!);
      giving[port] =
        difference > 0 && (byVirtualPort !== undefined || gives(surplus[port]!, share[port]!)) ? 1 : 0;
      givers += giving[port]!;
    }
    const first = group * virtualPorts;
    for (let virtualPort = 0; virtualPort < virtualPorts && givers > 0; virtualPort++) {
      const from = map[first + virtualPort]!;
      if (giving[from] === 0) continue;
      const size = byVirtualPort === undefined ? share[from]! : byVirtualPort[first + virtualPort]!;
      if (!gives(surplus[from]!, size)) continue;
      const to = firstWith(lack, size * (1 - SLACK));
      if (to >= 0) {
        surplus[from]! -= size;
        lack[to]! -= size;
        groups.remap(group, virtualPort, to);
        moved({ group, virtualPort, from, to });
      }
      // If no member still needs this much traffic, the other virtual ports of this member carry the same amount.
      if (byVirtualPort === undefined && (to < 0 || !gives(surplus[from]!, size))) {
        giving[from] = 0;
        givers--;
      }
    }
  }
}

/** Whether a surplus is enough for a virtual port of this size. */
function gives(surplus: number, size: number): boolean {
  return size > 0 && surplus >= size * (1 - SLACK);
}

function firstWith(room: Float64Array, size: number): number {
  for (let port = 0; port < room.length; port++) if (room[port]! >= size) return port;
  return -1;
}
