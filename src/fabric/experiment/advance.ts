/** Work in virtual time, written once for runs with and without controllers. */
import type { Simulation } from "../sim/packet/index.js";

/** Yields a time in nanoseconds: virtual time advances to it, or to the event that stops the simulation earlier. */
export type Steps<T> = Generator<number, T, void>;

/** Does the work where no promise of a control plane has to settle; with controllers `runControlled` advances time. */
export function advance<T>(simulation: Simulation, steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    simulation.run(step.value);
  }
}
