/** Probes from agent to agent, marked with given selectors, and the place of a failure that explains their losses. */
import type { ProbeCount } from "../../host-agent/index.js";
import { addressText } from "./config.js";

export interface ProbeOptions {
  /** Address of the other host, which needs an agent too; 32 or 128 bits. */
  readonly to: bigint;
  readonly ipVersion: 4 | 6;
  /** UDP ports: addresses and ports determine the hash, and so the paths. No program needs to listen on them. */
  readonly port: number;
  readonly clientPort: number;
  /** Selectors of the probes, and selectors of the other host's answers. */
  readonly forward: readonly number[];
  readonly reverse: readonly number[];
  /** Probes for each forward selector; default 3. Each is answered once on each reverse selector. */
  readonly count?: number;
  /** Nanoseconds from probe to probe, default 1 ms, and from the last one to the end, default 500 ms. */
  readonly intervalNs?: number;
  readonly timeoutNs?: number;
}

export interface ProbeOutcome {
  /** Probes that got any reply. */
  readonly forward: readonly ProbeCount[];
  /** Replies to the probes that got any. `sent` is 0 for all when no probe got a reply: then nothing is known. */
  readonly reverse: readonly ProbeCount[];
  readonly minRttNs: number | undefined;
}

export function probeRequest({ to, ipVersion, forward, reverse, ...options }: ProbeOptions) {
  const selectors = { forward: [...forward], reverse: [...reverse] };
  return { op: "probe" as const, ...options, ...selectors, to: addressText(to, ipVersion) };
}

/** The result of the probes over one path; `path` names the switches or links that it crosses, or both. */
export interface PathObservation extends Pick<ProbeCount, "sent" | "received"> {
  readonly path: readonly string[];
}

export interface Localisation {
  /**
   * The smallest sets of parts that explain all dead paths, each sorted by name: a set of one suspect where one
   * failure is a possible cause. Empty when no path is dead, or when all parts of a dead path are cleared.
   */
  readonly suspects: readonly (readonly string[])[];
  /** Parts on a path that lost no probe. */
  readonly cleared: readonly string[];
  /** Dead paths all of whose parts are cleared: the probes contradict each other, or a failure affects only some packets. */
  readonly unexplained: readonly number[];
  /** Numbers of the observations that lost some probes but not all. */
  readonly lossy: readonly number[];
}

/** Maximum number of simultaneous failures in the search. */
const MOST_FAILURES = 3;

/**
 * Locates silent failures by intersecting paths (P-ECMP, section 2.2, "Network failure localization"). A path on
 * which no probe was lost clears the parts that it crosses; a path on which all were lost crosses a failed part; a path that
 * lost some of them does neither. Observations without probes are left out.
 */
export function localise(observations: readonly PathObservation[]): Localisation {
  const numbered = observations.map((observation, number) => ({ ...observation, number }));
  const probed = numbered.filter(({ sent }) => sent > 0);
  const cleared = new Set(probed.filter((o) => o.received >= o.sent).flatMap((o) => o.path));
  const dead = probed.filter(({ received }) => received === 0);
  const doubtful = dead.map(({ path, number }) => ({
    number,
    parts: [...new Set(path)].filter((part) => !cleared.has(part)),
  }));
  const toExplain = doubtful.filter(({ parts }) => parts.length > 0).map(({ parts }) => new Set(parts));
  return {
    suspects: smallestCovers(toExplain),
    cleared: [...cleared].sort(),
    unexplained: doubtful.filter(({ parts }) => parts.length === 0).map(({ number }) => number),
    lossy: probed.filter(({ sent, received }) => received > 0 && received < sent).map((o) => o.number),
  };
}

/** All sets of minimum size that have an element in common with each of `sets`. */
function smallestCovers(sets: readonly ReadonlySet<string>[]): string[][] {
  if (sets.length === 0) return [];
  for (let size = 1; size <= MOST_FAILURES; size++) {
    const found = new Map<string, string[]>();
    for (const cover of covers(sets, size)) {
      const sorted = [...cover].sort();
      found.set(JSON.stringify(sorted), sorted);
    }
    if (found.size > 0)
      return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, set]) => set);
  }
  return [];
}

function* covers(sets: readonly ReadonlySet<string>[], size: number): Generator<string[]> {
  const [first] = sets;
  if (first === undefined) {
    yield [];
    return;
  }
  if (size === 0) return;
  for (const part of first) {
    const rest = sets.filter((set) => !set.has(part));
    for (const others of covers(rest, size - 1)) yield [part, ...others];
  }
}
