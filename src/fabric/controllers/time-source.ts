/** The time of a control plane, in whole nanoseconds. */

/** The clock that a run hands in. */
export interface Clock {
  /** Nanoseconds since the control plane began. */
  now(): number;
  /** Calls `wake` once, at `time` or as soon as possible after it; returns a function that cancels the call. */
  at(time: number, wake: () => void): () => void;
}
