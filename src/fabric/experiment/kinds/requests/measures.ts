/** Measures of bad service: intervals of slow IOs, and intervals without any progress. Nanoseconds. */
import type { Io } from "./application.js";

/**
 * The longest interval in which slow IOs wait: the longest union of overlapping times from start to end of the IOs that take more than
 * `jitter`, over all clients. 0 without a slow IO. An IO that has not completed waits until `end`.
 */
export function longestJitter(ios: readonly Io[], jitter: number, end: number): number {
  const slow = ios
    .map((io) => [io.start, io.end ?? end] as const)
    .filter(([from, to]) => to - from > jitter)
    .sort(([a], [b]) => a - b);
  let longest = 0;
  let [begin, reached] = [0, Number.NEGATIVE_INFINITY];
  for (const [from, to] of slow) {
    if (from > reached) begin = from;
    reached = Math.max(reached, to);
    longest = Math.max(longest, reached - begin);
  }
  return longest;
}

/**
 * The longest interval of a client in which IOs wait and none completes: from the arrival of an IO at an idle client, or from the last
 * completion, to the next completion or `end`.
 */
export function longestHang(ios: readonly Io[], end: number): number {
  let longest = 0;
  for (const client of new Set(ios.map((io) => io.client))) {
    const events = ios
      .filter((io) => io.client === client)
      .flatMap((io) => [
        { at: io.start, change: 1 },
        ...(io.end === undefined ? [] : [{ at: io.end, change: -1 }]),
      ])
      // At one instant a completion comes first.
      .sort((a, b) => a.at - b.at || a.change - b.change);
    let waiting = 0;
    let since = 0;
    for (const { at, change } of events) {
      if (waiting === 0) since = at;
      else if (change < 0) {
        longest = Math.max(longest, at - since);
        since = at;
      }
      waiting += change;
    }
    if (waiting > 0) longest = Math.max(longest, end - since);
  }
  return longest;
}
