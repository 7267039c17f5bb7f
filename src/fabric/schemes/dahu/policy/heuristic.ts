/**
 * The load balancing heuristic (Dahu, section 4.5, figure 6): the port with the highest utilisation offloads to the port with the lowest one with
 * which it shares a group, and so on for the R ports with the highest utilisation. A port that has offloaded receives no traffic in the same turn: otherwise
 * it would get back a part of its traffic, the amount to move would be less than the traffic of one virtual port, and no virtual port would move. It
 * keeps the utilisation that it had; no port that offloads later has more, and traffic goes down only.
 */
import { type Balancer, equalPorts, type PortTraffic } from "./allocation.js";
import type { PortGroups } from "./port-groups.js";

/** Number of ports that offload in each epoch (section 6.1). */
export const DEFAULT_ROUNDS = 16;

export class HeuristicBalancer implements Balancer {
  #aggregate = new Float64Array(0);
  #done = new Uint8Array(0);
  #capacity: ArrayLike<number> = [];

  constructor(private readonly rounds = DEFAULT_ROUNDS) {}

  balance(groups: PortGroups, { byGroup, byPort, capacity }: PortTraffic, target: Float64Array): void {
    target.set(byGroup);
    if (this.#aggregate.length !== byPort.length) {
      this.#aggregate = new Float64Array(byPort.length);
      this.#done = new Uint8Array(byPort.length);
    }
    this.#aggregate.set(byPort);
    this.#capacity = capacity ?? equalPorts(byPort.length);
    this.#done.fill(0);
    for (let round = 0; round < this.rounds; round++) {
      const high = this.#highest();
      if (high < 0) return;
      this.#done[high] = 1;
      this.#offload(groups, high, target);
    }
  }

  /** The port with the highest utilisation among those that have not offloaded yet; -1 where none has traffic. */
  #highest(): number {
    const aggregate = this.#aggregate;
    const capacity = this.#capacity;
    let highest = -1;
    let most = 0;
    for (let port = 0; port < aggregate.length; port++) {
      const utilisation = aggregate[port]! / capacity[port]!;
      if (this.#done[port] === 1 || utilisation <= most) continue;
      most = utilisation;
      highest = port;
    }
    return highest;
  }

  /** Moves traffic from a port to the lowest port of its groups, until both have one utilisation, limited by their traffic. */
  #offload({ groups, ports, members }: PortGroups, high: number, target: Float64Array): void {
    const aggregate = this.#aggregate;
    const capacity = this.#capacity;
    let low = -1;
    let least = aggregate[high]! / capacity[high]!;
    for (let group = 0; group < groups; group++) {
      const base = group * ports;
      if (target[base + high]! <= 0) continue;
      for (let port = 0; port < ports; port++) {
        if (members[base + port] === 0) continue;
        const utilisation = aggregate[port]! / capacity[port]!;
        if (utilisation >= least) continue;
        least = utilisation;
        low = port;
      }
    }
    if (low < 0) return;
    // Half of the difference where both have the same rate.
    let left =
      (aggregate[high]! * capacity[low]! - aggregate[low]! * capacity[high]!) /
      (capacity[high]! + capacity[low]!);
    for (let group = 0; group < groups && left > 0; group++) {
      const base = group * ports;
      if (members[base + low] === 0) continue;
      const moved = Math.min(left, target[base + high]!);
      target[base + high]! -= moved;
      target[base + low]! += moved;
      aggregate[low]! += moved;
      left -= moved;
    }
  }
}
