/** When flows start. */
import type { Random } from "../base/index.js";
import type { SizeDistribution } from "./cdf.js";

/**
 * Mean time between flow starts of one host, in nanoseconds, at which flows of the given sizes offer the load `load`
 * (0 to 1) to a link of `rate` bits per second. Headers are not counted.
 */
export function meanInterval(load: number, rate: number, sizes: SizeDistribution): number {
  return (sizes.mean * 8 * 1e9) / (load * rate);
}

/** Poisson arrivals: start times in whole nanoseconds, after `from` and before `until`. */
export function* poissonStarts(
  interval: number,
  from: number,
  until: number,
  random: Random,
): Generator<number> {
  let time = from;
  for (;;) {
    time += random.exponential(interval);
    if (time >= until) return;
    yield Math.floor(time);
  }
}
