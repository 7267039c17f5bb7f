/** Lets the flows of a workload arrive in the simulation, one after the other: there is no list of all flows. */
import type { Simulation } from "../../../sim/packet/index.js";
import type { FlowArrival, Workload } from "../../../traffic/index.js";

export class Arrivals {
  readonly #simulation: Simulation;
  readonly #workload: Workload;
  readonly #begin: (flow: FlowArrival) => void;
  readonly #start: number;
  #drawn = false;
  #scheduled = 0;
  /** Nanoseconds from the start: when the last flow so far arrived. */
  lastNs = 0;
  count = 0;

  /** The traffic starts now. */
  constructor(simulation: Simulation, workload: Workload, begin: (flow: FlowArrival) => void) {
    this.#simulation = simulation;
    this.#workload = workload;
    this.#begin = begin;
    this.#start = simulation.now;
    this.#drawNext();
  }

  /** Whether no flow is to come, unless the completion of one starts another. */
  get ended(): boolean {
    return this.#drawn && this.#scheduled === 0;
  }

  /** A flow is complete: those that start because of it will arrive. */
  completed(flow: FlowArrival): void {
    const { now } = this.#simulation;
    for (const next of this.#workload.completed?.(flow, now - this.#start) ?? []) this.#schedule(next, false);
  }

  #drawNext(): void {
    const flow = this.#workload.next();
    if (flow === undefined) this.#drawn = true;
    else this.#schedule(flow, true);
  }

  #schedule(flow: FlowArrival, isNext: boolean): void {
    this.#scheduled++;
    this.#simulation.at(this.#start + flow.startNs, () => {
      this.#scheduled--;
      this.count++;
      this.lastNs = flow.startNs;
      // Before the flow begins, so that `ended` is right when it does.
      if (isNext) this.#drawNext();
      this.#begin(flow);
    });
  }
}
