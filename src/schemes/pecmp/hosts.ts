/**
 * What P-ECMP's hosts do on a retransmission timeout.
 *
 * Section 2.1 of the paper has a flow's two directions on independent paths, either of which may have
 * failed; section 3.2 has the host move to another selector and be sure to avoid the failure. Both cannot
 * hold when the host moves one selector and the receiver mirrors it: of two ToRs, a healthy direction would
 * move onto the failed one. `shift` does that, as the text reads. `probe` keeps the promise: the host sends
 * its retransmission on the old path and on the shifted one, and the receiver acknowledges on its old path and
 * on a shifted one. Where every hop has a choice and the switches of a tier have groups of one size, an offset
 * differs from the old path at every hop, so a single failure leaves one of each pair intact, and the echoes
 * tell which.
 */
import type { Random } from "../../base/index.js";
import { flowHash } from "../hash.js";
import {
  type FlowKey,
  fixedPath,
  type HostPolicy,
  type PathChooser,
  type SegmentMarks,
} from "../host-policy.js";
import { HOPS, readSlice, type SelectorLayout, writeSlice } from "./layout.js";
import type { OffsetSet } from "./selectors.js";

export const FAILOVERS = ["probe", "shift", "none"] as const;
export type Failover = (typeof FAILOVERS)[number];

/** Draws selectors whose path differs from another one's at every hop. */
export interface Rerouter {
  /** A selector apart from `from`, if possible not one of `tried`. */
  leave(from: number, tried: readonly number[], random: Random): number;
}

/** Appendix C for one shared value; an even draw from the other next hops where every hop has its slice. */
export function makeRerouter(layout: SelectorLayout, offsets: OffsetSet): Rerouter {
  if (!layout.shared) {
    return {
      leave(from, tried, random) {
        const next = leaveEachSlice(layout, from, random);
        // As below: where groups differ in size, leaving every next hop at once may not be what helps.
        return tried.includes(next) ? drawEachSlice(layout, from, random) : next;
      },
    };
  }
  const limit = 2 ** (layout.versionBit === "none" ? layout.bits : layout.bits - 1);
  const reachable = (from: number) => {
    // Groups of powers of two divide the range, so an offset may wrap around; others do not allow that.
    if (offsets.rule === "odd") return offsets.offsets.map((offset) => (from + offset) % limit);
    const both = offsets.offsets.flatMap((offset) => [from + offset, from - offset]);
    return both.filter((selector) => selector >= 0 && selector < limit);
  };
  return {
    leave(from, tried, random) {
      const isFresh = (selector: number) => !tried.includes(selector);
      const fresh = reachable(from).filter(isFresh);
      if (fresh.length > 0) return random.pick(fresh);
      // Where groups differ in size no offset from here may do: go on from what was tried, then try all again.
      const farther = tried.flatMap(reachable).filter(isFresh);
      if (farther.length > 0) return random.pick(farther);
      const others = tried.filter((selector) => selector !== from);
      const again = others.length > 0 ? others : reachable(from);
      // A selector that no host of this fabric makes, which a packet from elsewhere may carry, has no way out.
      return again.length > 0 ? random.pick(again) : from;
    },
  };
}

/** First value of a slice that hosts use. Control of next hops: 0 is the hash, 1 to n name a next hop each. */
function firstValue(layout: SelectorLayout): number {
  return layout.control === "hops" ? 1 : 0;
}

/**
 * With offsets, values below the smallest group's size are offset rows in every switch, and differ by less than
 * any group. Without, the rows 1 to that size name a next hop in every switch.
 */
function leaveEachSlice(layout: SelectorLayout, from: number, random: Random): number {
  let selector = from;
  for (const hop of HOPS) {
    const n = layout.fanOuts[hop]?.least;
    if (n === undefined) continue;
    const value = readSlice(layout, hop, selector);
    const first = firstValue(layout);
    // Value 0 of control by next hops, the hash, counts as the last one.
    const place = (value - first + n) % n;
    selector = writeSlice(layout, hop, selector, first + ((place + 1 + random.int(n - 1)) % n));
  }
  return selector;
}

/** Any value in each slice, drawn evenly. */
function drawEachSlice(layout: SelectorLayout, from: number, random: Random): number {
  let selector = from;
  for (const hop of HOPS) {
    const n = layout.fanOuts[hop]?.least;
    if (n !== undefined) selector = writeSlice(layout, hop, selector, firstValue(layout) + random.int(n));
  }
  return selector;
}

/**
 * Hosts of a fabric with this layout. Flows start at selector 0, where the hash decides; under control of next
 * hops at drawn ones, since a host cannot tell which next hop the hash takes, and so not how to leave it.
 */
export function pecmpHosts(failover: Failover, layout: SelectorLayout, offsets: OffsetSet): HostPolicy {
  const rerouter = makeRerouter(layout, offsets);
  return {
    name: failover === "none" ? "none" : "pecmp",
    description: { kind: "pecmp", failover, layout, offsets },
    open(_flow: FlowKey, random: Random): PathChooser {
      const start = layout.control === "hops" ? drawEachSlice(layout, 0, random) : 0;
      if (failover === "none") return fixedPath(start);
      return failover === "shift"
        ? new ShiftingPath(rerouter, random, start)
        : new ProbingPath(rerouter, random, start, layout.control === "hops" ? undefined : 0);
    },
    // Section 4, "Multi-homed server": the selector is added to the bond's hash.
    nic: (flow, selector, nics) => (flowHash(flow) + readSlice(layout, "nic", selector)) % nics,
  };
}

/** The sender moves on at every timeout; the receiver answers on the selector of what it answers. */
class ShiftingPath implements PathChooser {
  #tried: number[];

  constructor(
    readonly rerouter: Rerouter,
    readonly random: Random,
    public selector: number,
  ) {
    this.#tried = [selector];
  }

  onTimeout(): readonly number[] {
    this.selector = this.rerouter.leave(this.selector, this.#tried, this.random);
    this.#tried.push(this.selector);
    return [this.selector];
  }

  onAck(): void {
    this.#tried = [this.selector];
  }

  onData(segment: SegmentMarks): readonly number[] {
    this.selector = segment.selector;
    return [this.selector];
  }
}

/** No selector. */
const UNKNOWN = -1;

/** Sends on the old path and on a new one until an echo tells which of them works. */
class ProbingPath implements PathChooser {
  /** Selectors of the trial that is going on; empty: none is. */
  #trial: number[] = [];
  /** Selectors of the other end seen in this trial: a second sight of one is a further attempt. */
  #seen: number[] = [];
  /** Selector that the other end's data came with last. */
  #peer: number;

  constructor(
    readonly rerouter: Rerouter,
    readonly random: Random,
    public selector: number,
    /** Selector that the other end starts with; undefined: its first segment tells. */
    peer: number | undefined,
  ) {
    this.#peer = peer ?? UNKNOWN;
  }

  onTimeout(): readonly number[] {
    return this.#probe();
  }

  onAck(segment: SegmentMarks): void {
    this.#settle(segment.echo);
  }

  onData(segment: SegmentMarks, duplicate: boolean): readonly number[] {
    const moved = this.#peer !== UNKNOWN && segment.selector !== this.#peer;
    this.#peer = segment.selector;
    if (this.#trial.length === 0) {
      return duplicate || moved ? this.#probeAfter(segment.selector) : [this.selector];
    }
    if (this.#seen.includes(segment.selector)) {
      if (duplicate) return this.#probeAfter(segment.selector);
      // New data on a known path: an acknowledgement of the trial has reached the other end.
      this.#settle(segment.echo);
      return [this.selector];
    }
    // The other copy of what was answered already, or a further attempt: one more path is tried, and only
    // one, since three acknowledgements in a row would mean loss.
    this.#seen.push(segment.selector);
    return this.#probe().slice(1);
  }

  #probeAfter(peerSelector: number): readonly number[] {
    this.#seen = [peerSelector];
    return this.#probe();
  }

  /** The old path, and one that was not tried yet. */
  #probe(): readonly number[] {
    if (this.#trial.length === 0) this.#trial = [this.selector];
    const next = this.rerouter.leave(this.selector, this.#trial, this.random);
    this.#trial.push(next);
    return [this.selector, next];
  }

  #settle(echo: number): void {
    if (!this.#trial.includes(echo)) return;
    this.selector = echo;
    this.#trial = [];
    this.#seen = [];
  }
}
