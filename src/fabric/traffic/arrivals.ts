/**
 * When flows start: times between arrivals. Each part of a workload has one arrival process for the whole network, not one
 * for each host; for Poisson arrivals the two are the same.
 */
import type { Random } from "../../base/index.js";

/**
 * `poisson`: exponential gaps. `lognormal`: gaps whose logarithm is normal with the standard deviation `sigma`, which makes
 * arrivals burstier than Poisson from about 1 on (Zhao et al., "Scalable tail latency estimation for data center networks", NSDI 2023,
 * use 1 and 2); the mean gap is the same. `constant`: equal gaps.
 */
export type ArrivalSpec = "poisson" | "constant" | { readonly lognormal: { readonly sigma: number } };

/** Draws the time to the next arrival, in nanoseconds. */
export type GapDrawer = (random: Random) => number;

/** @param mean of the gaps, in nanoseconds */
export function gapDrawer(arrivals: ArrivalSpec, mean: number): GapDrawer {
  if (arrivals === "poisson") return (random) => random.exponential(mean);
  if (arrivals === "constant") return () => mean;
  const { sigma } = arrivals.lognormal;
  // The mean of exp(N(mu, sigma^2)) is exp(mu + sigma^2 / 2).
  const mu = Math.log(mean) - (sigma * sigma) / 2;
  return (random) => Math.exp(mu + sigma * standardNormal(random));
}

/** Box and Muller (Annals of Mathematical Statistics 29, 1958); two uniform draws for each number. */
function standardNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.float()));
  return radius * Math.cos(2 * Math.PI * random.float());
}
