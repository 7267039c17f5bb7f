/**
 * The rule of figure 4 in the flow simulator: by the counters of the last epoch alone, or, with hysteresis, by a state of each switch and
 * destination. States exist for destinations that have been asked for, since a network of 2,744 switches has 7.5 million pairs.
 */
import type { FlowNetwork } from "../../../sim/flow/index.js";
import { type FurtherRule, firstState, furtherState, hasHysteresis } from "../policy/threshold.js";
import type { Routes } from "./routes.js";

export class FurtherStates {
  /** By port, two numbers each: bytes per nanosecond in the last epoch, and the capacity. */
  readonly #load: Float64Array;
  /** By destination: states by switch. */
  readonly #states: (Uint8Array | undefined)[] | undefined;
  /** Destinations with states, in the order in which they were asked for. */
  readonly #known: number[] = [];
  #epochs = 0;

  constructor(
    private readonly network: FlowNetwork,
    private readonly routes: Routes,
    private readonly rule: FurtherRule,
  ) {
    const { link, capacity, switches } = network;
    this.#load = new Float64Array(2 * link.length);
    for (let port = 0; port < link.length; port++) this.#load[2 * port + 1] = capacity[link[port]!]!;
    this.#states = hasHysteresis(rule) ? new Array(switches).fill(undefined) : undefined;
  }

  /** Whether a switch may use further ports to a destination. `shortest`: ports of shortest paths to it. */
  allows(own: number, destination: number, shortest: Int32Array): boolean {
    if (this.#states === undefined) return this.#next(0, own, shortest) > 0;
    return (this.#states[destination] ?? this.#begin(destination))[own]! > 0;
  }

  /** An epoch has ended; `used`: by port, bytes per nanosecond. */
  endEpoch(used: Float64Array): void {
    const load = this.#load;
    for (let port = 0; port < used.length; port++) load[2 * port] = used[port]!;
    this.#epochs++;
    for (const destination of this.#known) this.#advance(this.#states![destination]!, destination);
  }

  #begin(destination: number): Uint8Array {
    const states = new Uint8Array(this.network.switches).fill(firstState(this.rule));
    if (this.#epochs > 0) this.#advance(states, destination);
    this.#states![destination] = states;
    this.#known.push(destination);
    return states;
  }

  #advance(states: Uint8Array, destination: number): void {
    const shortest = this.routes.shortest.to(destination);
    for (let own = 0; own < states.length; own++) states[own] = this.#next(states[own]!, own, shortest);
  }

  #next(state: number, own: number, shortest: Int32Array): number {
    const { words } = this.routes;
    const load = this.#load;
    const first = this.network.firstPort[own]!;
    let used = 0;
    let capacity = 0;
    for (let word = 0; word < words; word++)
      for (let bits = shortest[own * words + word]!; bits !== 0; bits &= bits - 1) {
        const port = first + 32 * word + 31 - Math.clz32(bits & -bits);
        used += load[2 * port]!;
        capacity += load[2 * port + 1]!;
      }
    return furtherState(state, used, capacity, this.rule);
  }
}
