/** CLOCK_MONOTONIC in nanoseconds: the clock of all agents of a machine, and of `process.hrtime`. */

/** `performance.now()` reads the same clock without a BigInt, but counts from another start. */
const start = measureStart();

function measureStart(): number {
  let start = Number.NEGATIVE_INFINITY;
  // The two clocks are read one after the other: the smallest difference is the most exact one.
  for (let i = 0; i < 8; i++)
    start = Math.max(start, Number(process.hrtime.bigint()) - performance.now() * 1e6);
  return start;
}

/** The present time in nanoseconds of CLOCK_MONOTONIC; exact to some 100 ns. */
export function monotonicNs(): number {
  return Math.round(start + performance.now() * 1e6);
}
