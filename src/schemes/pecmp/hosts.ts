/**
 * What P-ECMP's hosts do on a retransmission timeout.
 *
 * In section 2.1 of the paper the two directions of a flow take independent paths, and either of them may have
 * failed. In section 3.2 the host moves to another selector and is certain to avoid the failure. Both statements cannot
 * hold if the host sends one copy and the receiver moves in the same way: with two ToRs, a healthy direction would
 * move to the failed ToR. `shift` does this, as the text says. `probe` keeps the promise by sending two copies: the host sends
 * its retransmission on the old path and on the shifted path, and the receiver acknowledges on its old path and
 * on a shifted path. If every hop has a choice and the switches of a tier have groups of one size, the shifted path
 * differs from the old path at every hop. So a single failure leaves one path of each pair intact, and the echoes
 * show which path.
 */
import type { Random } from "../../base/index.js";
import { type FlowKey, fixedPath, type PathChooser, type SegmentMarks } from "../../hosts/index.js";
import { flowHash } from "../hash.js";
import type { SchemeHosts } from "../scheme.js";
import { HOPS, readSlice, type SelectorLayout, writeSlice } from "./layout.js";
import type { OffsetSet } from "./selectors.js";

export const FAILOVERS = ["probe", "shift", "none"] as const;
export type Failover = (typeof FAILOVERS)[number];

/** Draws selectors whose path differs from the path of a given selector at every hop. */
export interface Rerouter {
  /** A selector whose path differs from that of `from`; if possible none of `tried`. */
  leave(from: number, tried: readonly number[], random: Random): number;
}

/** By appendix C if all hops share one value; by a uniform draw from the other next hops if every hop has a slice. */
export function makeRerouter(layout: SelectorLayout, offsets: OffsetSet): Rerouter {
  if (!layout.shared) {
    return {
      leave(from, tried, random) {
        const next = leaveEachSlice(layout, from, random);
        // As below: if groups differ in size, the only working path may share a next hop with the old path.
        return tried.includes(next) ? drawEachSlice(layout, from, random) : next;
      },
    };
  }
  const limit = 2 ** (layout.versionBit === "none" ? layout.bits : layout.bits - 1);
  const reachable = (from: number) => {
    // Group sizes that are powers of two divide the range, so an offset may wrap around; other sizes do not allow it.
    if (offsets.rule === "odd") return offsets.offsets.map((offset) => (from + offset) % limit);
    const both = offsets.offsets.flatMap((offset) => [from + offset, from - offset]);
    return both.filter((selector) => selector >= 0 && selector < limit);
  };
  return {
    leave(from, tried, random) {
      const isFresh = (selector: number) => !tried.includes(selector);
      const fresh = reachable(from).filter(isFresh);
      if (fresh.length > 0) return random.pick(fresh);
      // If groups differ in size, no offset from here may work: continue from the selectors tried, then try all again.
      const farther = tried.flatMap(reachable).filter(isFresh);
      if (farther.length > 0) return random.pick(farther);
      const others = tried.filter((selector) => selector !== from);
      const again = others.length > 0 ? others : reachable(from);
      // There is no alternative to a selector that no host of this fabric sends; a packet from outside may carry one.
      return again.length > 0 ? random.pick(again) : from;
    },
  };
}

/** First value of a slice that hosts use. With control of next hops, 0 means the hash, and 1 to n each name a next hop. */
function firstValue(layout: SelectorLayout): number {
  return layout.control === "hops" ? 1 : 0;
}

/**
 * With offsets, values below the size of the smallest group are offset rows in every switch, and their differences are
 * smaller than any group. Without offsets, the rows 1 to that size name a next hop in every switch.
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
 * Hosts of a fabric with this layout. Flows start at selector 0, where the hash decides. With control of next
 * hops they start at random next hops: a host does not know which next hop the hash chooses, so it could not avoid it.
 */
export function pecmpHosts(failover: Failover, layout: SelectorLayout, offsets: OffsetSet): SchemeHosts {
  const rerouter = makeRerouter(layout, offsets);
  return {
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

/** The sender shifts its selector at every timeout; the receiver acknowledges on the selector of the received segment. */
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

/** Value for an unknown selector. */
const UNKNOWN = -1;

/** Sends on the old path and on a new path until an echo shows which of them works. */
class ProbingPath implements PathChooser {
  /** Selectors of the current trial; empty if there is no trial. */
  #trial: number[] = [];
  /** Selectors of the other end received in this trial: a selector received twice means a further attempt. */
  #seen: number[] = [];
  /** Selector of the data received last from the other end. */
  #peer: number;

  constructor(
    readonly rerouter: Rerouter,
    readonly random: Random,
    public selector: number,
    /** First selector of the other end; undefined if it is taken from the first segment. */
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
    // The other copy of a segment that was acknowledged already, or a further attempt: one further path is tried, and
    // no more, because three duplicate acknowledgements would signal a loss.
    this.#seen.push(segment.selector);
    return this.#probe().slice(1);
  }

  #probeAfter(peerSelector: number): readonly number[] {
    this.#seen = [peerSelector];
    return this.#probe();
  }

  /** The old path, and a path that was not tried yet. */
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
