/** What a host hands to its policy. The policy sees no engine: the simulator and the agent on a real host hand in the same. */
import { type Json, Random } from "../base/index.js";

/** Time at a host, in whole nanoseconds: virtual time, or the machine's monotonic clock. */
export interface HostClock {
  now(): number;
  /** Calls `fn` once, at `time` or as soon as possible after it. Returns how to cancel it. */
  at(time: number, fn: () => void): () => void;
}

export interface HostContext {
  /** Name of the host in the topology. */
  readonly name: string;
  /** Number of its NICs. */
  readonly nics: number;
  readonly clock: HostClock;
  /** A stream of its own for each host, from the seed of the run. */
  readonly random: Random;
  /** Sends a message to the controllers of the scheme that listen. It takes the control channel, with its delay. */
  tell(message: Json): void;
}

/** A host whose clock stands still, and whose messages nobody hears: for plans that are checked before anything runs. */
export function restingHost(name = "host", nics = 1): HostContext {
  return {
    name,
    nics,
    clock: { now: () => 0, at: () => () => {} },
    random: new Random(0),
    tell: () => {},
  };
}
