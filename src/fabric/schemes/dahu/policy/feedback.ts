/**
 * Congestion feedback (Dahu, section 7): a switch whose shortest paths lack capacity asks the neighbour that derouted a packet to it
 * to stop, for the packet's destination and for some time. Times are in nanoseconds.
 */

/** Time for which a neighbour stops (section 7). */
const DEFAULT_HOLD_NS = 5_000_000;

/** Whether a switch answers a packet with feedback. `derouted`: the bit of the packet, set by the previous switch. */
export function feedsBack(derouted: boolean, shortestIsFull: boolean): boolean {
  return derouted && shortestIsFull;
}

/** The holds of a switch: ports by which it sends no derouted packets to a destination. */
export class DerouteHolds {
  /** End of each hold, by `destination * ports + port`. */
  readonly #until = new Map<number, number>();

  constructor(
    private readonly ports: number,
    private readonly holdNs = DEFAULT_HOLD_NS,
  ) {}

  /** Feedback for a destination has arrived by this port. */
  hold(destination: number, port: number, nowNs: number): void {
    this.#until.set(destination * this.ports + port, nowNs + this.holdNs);
  }

  isHeld(destination: number, port: number, nowNs: number): boolean {
    const until = this.#until.get(destination * this.ports + port);
    return until !== undefined && nowNs < until;
  }

  /** Removes holds that have ended; returns those that ended since the last call. */
  expire(nowNs: number): { destination: number; port: number }[] {
    const ended: { destination: number; port: number }[] = [];
    for (const [key, until] of this.#until) {
      if (nowNs < until) continue;
      this.#until.delete(key);
      ended.push({ destination: Math.floor(key / this.ports), port: key % this.ports });
    }
    return ended;
  }
}
