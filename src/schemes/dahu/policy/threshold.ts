/** When a destination may be reached by other ports than those of its shortest paths (Dahu, figure 4). */

/** Share of the capacity of the shortest paths' ports from which further ports are allowed (section 6.1). */
export const DEFAULT_THRESHOLD = 0.8;

/**
 * Whether the switch allows all ports for a destination: the aggregate utilisation of the ports of its shortest paths is at least
 * `threshold` times their aggregate capacity. `used` and `capacity` by port, in the same unit. Ports without capacity are down.
 */
export function allowsFurther(
  shortest: Iterable<number>,
  used: ArrayLike<number>,
  capacity: ArrayLike<number>,
  threshold: number,
): boolean {
  let aggregate = 0;
  let whole = 0;
  for (const port of shortest) {
    aggregate += used[port]!;
    whole += capacity[port]!;
  }
  return reachesThreshold(aggregate, whole, threshold);
}

/** The same rule for sums: without any capacity on shortest paths, other ports are the only way. */
export function reachesThreshold(aggregate: number, capacity: number, threshold: number): boolean {
  return aggregate >= threshold * capacity;
}
