/**
 * Links that fail and return during a run. A failed link carries nothing: its capacity is 0, and flows on it stall. Where its ends lose their
 * carrier, the two switches notice it at once, and the routing of the others after some time.
 */
import type { ActiveBundles } from "./active-bundles.js";
import type { Allocator } from "./max-min.js";
import type { FlowNetwork } from "./network.js";

/** A change of directed links at a time. */
export interface LinkChange {
  readonly atNs: number;
  readonly fails: boolean;
  readonly links: readonly number[];
  /** Both ends lose or regain their carrier. */
  readonly signalled: boolean;
  /** The node index of a switch that runs again, with the state that it began with. */
  readonly restarted?: number;
}

export class LinkFaults {
  /** By directed link: number of faults that act on it; and of those that its ends notice. */
  readonly #failed: Uint16Array;
  readonly #signalled: Uint16Array;
  /** By port: 1 where its switch has noticed that it is down. */
  readonly #isDown: Uint8Array;
  #next = 0;
  /** Times at which the routing of all switches follows. */
  readonly #routesAt: number[] = [];

  /**
   * `changes`: in time order. `capacity`: of the resources in this run, which the allocator was made with; it is changed here.
   * `recomputeNs`: time from a change to new routes under a router that has no time of its own; absent: its routes never change.
   */
  constructor(
    private readonly network: FlowNetwork,
    private readonly changes: readonly LinkChange[],
    private readonly capacity: Float64Array,
    private readonly recomputeNs: number | undefined,
  ) {
    this.#failed = new Uint16Array(network.portOfLink.length);
    this.#signalled = new Uint16Array(network.portOfLink.length);
    this.#isDown = new Uint8Array(network.link.length);
  }

  /** Makes all changes before `untilNs`. `count`: counts what bundles have sent on their paths, before these change. */
  advance(untilNs: number, allocator: Allocator, active: ActiveBundles, count: () => void): void {
    const { changes } = this;
    const { router } = active;
    const delay = router.propagationNs ?? this.recomputeNs;
    const restarted: number[] = [];
    let [changed, noticed] = [false, false];
    for (; this.#next < changes.length && changes[this.#next]!.atNs < untilNs; this.#next++) {
      const change = changes[this.#next]!;
      changed = true;
      this.#count(this.#failed, change);
      if (change.restarted !== undefined) restarted.push(this.network.switchOf[change.restarted]!);
      if (!change.signalled) continue;
      noticed = true;
      this.#count(this.#signalled, change);
      if (delay !== undefined) this.#routesAt.push(change.atNs + delay);
    }
    if (changed) {
      this.#setCapacities();
      allocator.capacityChanged?.();
    }
    for (const own of restarted) router.restarted?.(own);
    if (noticed) {
      const { link } = this.network;
      for (const [port, directed] of link.entries())
        this.#isDown[port] = this.#signalled[directed]! > 0 ? 1 : 0;
      router.portsChanged?.(this.#isDown);
    }
    let late = false;
    while (this.#routesAt.length > 0 && this.#routesAt[0]! < untilNs) {
      this.#routesAt.shift();
      late = true;
    }
    if (late) router.routesChanged?.(this.#isDown);
    if (!noticed && !late && restarted.length === 0) return;
    count();
    active.forgetSent();
    active.routeAgain((port) => this.#isDown[port] === 1);
  }

  #count(counts: Uint16Array, { links, fails }: LinkChange): void {
    for (const link of links) counts[link]! += fails ? 1 : -1;
  }

  #setCapacities(): void {
    const { network, capacity } = this;
    const { topology, upLink, downLink, nic, rackOf } = network;
    const isUp = (link: number) => this.#failed[link] === 0;
    for (let link = 0; link < 2 * topology.links.length; link++)
      capacity[link] = isUp(link) ? network.capacity[link]! : 0;
    // The hosts of a rack send and receive together what their links carry.
    for (const { index } of topology.racks) {
      capacity[network.rackSends(index)] = 0;
      capacity[network.rackReceives(index)] = 0;
    }
    for (const { index, host } of topology.nodes) {
      if (host === undefined) continue;
      const rack = rackOf[index]!;
      if (isUp(upLink[index]!)) capacity[network.rackSends(rack)]! += nic[index]!;
      if (isUp(downLink[index]!)) capacity[network.rackReceives(rack)]! += nic[index]!;
    }
  }
}
