/** The context of a host policy. A policy does not see the engine: the simulator and the agent on a real host provide the same context. */
import { type Json, Random } from "../../base/index.js";

/** Time at a host, in whole nanoseconds: virtual time, or the machine's monotonic clock. */
export interface HostClock {
  now(): number;
  /** Calls `fn` once, at `time` or as soon as possible after it. Returns a function that cancels the call. */
  at(time: number, fn: () => void): () => void;
}

export interface HostContext {
  /** Name of the host in the topology. */
  readonly name: string;
  /** Number of its NICs. */
  readonly nics: number;
  readonly clock: HostClock;
  /** A random stream for each host, from the seed of the run. */
  readonly random: Random;
  /** Sends a message to the controllers of the scheme that subscribe. It takes the delay of the control channel. */
  tell(message: Json): void;
}

/** A host whose clock does not advance, and whose messages are discarded: to check plans before anything runs. */
export function restingHost(name = "host", nics = 1): HostContext {
  return {
    name,
    nics,
    clock: { now: () => 0, at: () => () => {} },
    random: new Random(0),
    tell: () => {},
  };
}
