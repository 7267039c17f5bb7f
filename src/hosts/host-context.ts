/** What a host hands to its policy. The policy sees no engine: the simulator and the agent on a real host hand in the same. */
import { Random } from "../base/index.js";

/** A value that is the same after it was written as JSON and read again. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

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

/** The path of the first value in `value` that JSON cannot carry, with what it is; undefined where there is none. */
export function notJson(
  value: unknown,
  path = "",
): { readonly path: string; readonly what: string } | undefined {
  const found = (what: string) => ({ path, what });
  switch (typeof value) {
    case "boolean":
    case "string":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : found(String(value));
    case "object": {
      if (value === null) return undefined;
      if (Array.isArray(value)) return inMembers(Object.entries(value), path);
      const made: unknown = Object.getPrototypeOf(value);
      if (made !== null && made !== Object.prototype)
        return found(
          `an object of class ${(value.constructor as { name?: string } | undefined)?.name ?? "?"}`,
        );
      return inMembers(Object.entries(value), path);
    }
    default:
      return found(value === undefined ? "undefined" : `a ${typeof value}`);
  }
}

function inMembers(members: readonly (readonly [string, unknown])[], path: string) {
  for (const [name, member] of members) {
    const found = notJson(member, path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
