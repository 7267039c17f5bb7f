/**
 * Rates by TCP's congestion avoidance (Chiu and Jain, Computer Networks and ISDN Systems 17, 1989), in round trips:
 * slow start doubles a rate, congestion avoidance adds a segment, a loss halves it. Without packets: timeouts, retransmissions and queues
 * are not modelled, as in the simulator of Dahu (section 6.1).
 */
import type { Bundles } from "./bundles.js";
import { mixed } from "./hash.js";
import type { Allocator } from "./max-min.js";

export interface AimdSettings {
  /** Round trip of all flows, in nanoseconds. */
  readonly roundTripNs: number;
  readonly segmentBytes: number;
  /** Seed of the draws that select the flows with losses. */
  readonly seed: number;
}

/**
 * If the demand on a resource exceeds its capacity, flows on it lose in proportion to their rates: so many are halved that its load
 * returns to its capacity, and the rates of all are scaled down to it.
 */
export class Aimd implements Allocator {
  /** By resource: the demand in this round. */
  readonly #load: Float64Array;
  /** By bundle: rate of a flow of weight 1 in this round, bytes of it in the step, and whether it is in slow start. */
  #asks = new Float64Array(0);
  #slow = new Uint8Array(0);
  #round = 0;

  constructor(
    private readonly capacity: Float64Array,
    private readonly settings: AimdSettings,
  ) {
    this.#load = new Float64Array(capacity.length);
  }

  allocate(bundles: Bundles, stepNs: number): void {
    const { roundTripNs, segmentBytes } = this.settings;
    const { rate, limit, weight, size } = bundles;
    if (this.#asks.length < rate.length) this.#grow(rate.length);
    for (let bundle = 0; bundle < size; bundle++) {
      if (weight[bundle] === 0) continue;
      if (rate[bundle] === 0) {
        this.#asks[bundle] = segmentBytes / roundTripNs;
        this.#slow[bundle] = 1;
      }
      rate[bundle] = 0;
    }
    const rounds = Math.max(1, Math.round(stepNs / roundTripNs));
    for (let round = 0; round < rounds; round++) {
      for (let bundle = 0; bundle < size; bundle++)
        if (weight[bundle]! > 0) this.#asks[bundle] = Math.min(this.#asks[bundle]!, limit[bundle]!);
      this.#addLoads(bundles);
      this.#next(bundles, rounds);
    }
  }

  #addLoads({ size, path, length, stride, weight }: Bundles): void {
    const load = this.#load;
    load.fill(0);
    for (let bundle = 0; bundle < size; bundle++) {
      if (weight[bundle] === 0) continue;
      const asked = weight[bundle]! * this.#asks[bundle]!;
      const from = bundle * stride;
      for (let at = from; at < from + length[bundle]!; at++) load[path[at]!]! += asked;
    }
  }

  /** Computes the rate of each flow in this round, and its demand in the next. */
  #next({ size, path, length, stride, weight, rate }: Bundles, rounds: number): void {
    const { roundTripNs, segmentBytes, seed } = this.settings;
    const increase = segmentBytes / roundTripNs;
    const salt = mixed(seed + ++this.#round);
    for (let bundle = 0; bundle < size; bundle++) {
      if (weight[bundle] === 0) continue;
      const from = bundle * stride;
      let over = 1;
      for (let at = from; at < from + length[bundle]!; at++) {
        const resource = path[at]!;
        const own = this.#load[resource]! / this.capacity[resource]!;
        if (own > over) over = own;
      }
      const asked = this.#asks[bundle]!;
      rate[bundle]! += asked / over / rounds;
      // Halving this share of the flows removes the excess.
      const share = 2 * (1 - 1 / over);
      if (share > 0 && (mixed(salt ^ Math.imul(bundle + 1, 0x9e3779b1)) >>> 0) / 4294967296 < share) {
        this.#asks[bundle] = Math.max(asked / 2, increase);
        this.#slow[bundle] = 0;
      } else this.#asks[bundle] = this.#slow[bundle] === 1 ? 2 * asked : asked + increase;
    }
  }

  #grow(room: number): void {
    const asks = new Float64Array(room);
    const slow = new Uint8Array(room);
    asks.set(this.#asks);
    slow.set(this.#slow);
    [this.#asks, this.#slow] = [asks, slow];
  }
}
