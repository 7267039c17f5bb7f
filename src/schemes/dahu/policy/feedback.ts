/**
 * Congestion feedback (Dahu, section 7): a switch that lacks capacity on its shortest paths tells the neighbour that derouted a packet to it
 * to stop, for the packet's destination and for a while. Time is in nanoseconds.
 */

/** How long a neighbour stops (section 7). */
const DEFAULT_HOLD_NS = 5_000_000;

/** Whether a switch answers a packet with feedback. `derouted`: the bit of the packet, set by the previous switch. */
export function feedsBack(derouted: boolean, shortestIsFull: boolean): boolean {
  return derouted && shortestIsFull;
}

/** What a switch has been told: ports by which it sends no derouted packets to a destination. */
export class DerouteHolds {
  /** End of each hold, by `destination * ports + port`. */
  readonly #until = new Map<number, number>();

  constructor(
    private readonly ports: number,
    private readonly holdNs = DEFAULT_HOLD_NS,
  ) {}

  /** Feedback for a destination has come in by this port. */
  hear(destination: number, port: number, nowNs: number): void {
    this.#until.set(destination * this.ports + port, nowNs + this.holdNs);
  }

  isHeld(destination: number, port: number, nowNs: number): boolean {
    const until = this.#until.get(destination * this.ports + port);
    return until !== undefined && nowNs < until;
  }

  /** Forgets what has ended; returns the holds that ended since the last call. */
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
