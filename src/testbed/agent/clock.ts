/** CLOCK_MONOTONIC in nanoseconds, as agents on this machine tell times. */
export function monotonicNs(): number {
  return Number(process.hrtime.bigint());
}
