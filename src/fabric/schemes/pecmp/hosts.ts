/**
 * P-ECMP's hosts: their behaviour at a retransmission timeout, under congestion (PLB's rules with P-ECMP's offsets), for subflows
 * (`subflows.ts`), and for each packet (`spraying.ts`).
 *
 * In section 2.1 of the paper the two directions of a flow take independent paths, and either of them may have
 * failed. In section 3.2 the host moves to another selector and is certain to avoid the failure. This is impossible with one copy of each
 * packet: an end that leaves a healthy path may move to the failed one. The three interpretations:
 *
 * - `probe` is certain with two copies: the host sends its retransmission on the old path and on a shifted path, and
 *   the receiver acknowledges on its old path and on a shifted path. If every hop has a choice and the switches of a tier
 *   have groups of one size, the shifted path differs from the old path at every hop. So a single failure leaves one path of
 *   each pair intact, and the echoes show which path.
 * - `shift` follows the text of section 3.2, with one copy: the sender shifts its selector, the receiver uses the same one.
 * - `prr` follows PRR, as section 5.2 says, with one copy: the sender shifts its selector at a timeout, the receiver shifts
 *   its own when it receives only data that it already has.
 */

import { given, Random } from "../../../base/index.js";
import type { FlowKey } from "../../../base/packets/index.js";
import {
  type ConnectionEnd,
  type HostContext,
  type HostPolicy,
  type LeavingPath,
  MovingPath,
  type PathChooser,
  ProbingPath,
  type Rerouter,
  WaitingPath,
} from "../../hosts/index.js";
import { flowHash } from "../hash.js";
import { BALANCING_NEEDS, type Balancing, BalancingPath } from "../plb/balancing-path.js";
import type { FAILOVERS } from "./failovers.js";
import { HOPS, readSlice, type SelectorLayout, writeSlice } from "./layout.js";
import type { OffsetSet } from "./selectors.js";
import { type Spray, SprayedPath, Sprayer } from "./spraying.js";
import { type SubflowRule, shifted, subflowOffset } from "./subflows.js";
import { type Via, viaSelector } from "./via.js";

type Failover = (typeof FAILOVERS)[number];

/** What a reader of results must know about each way to fail over. */
export const FAILOVER_NOTES: Readonly<Record<Failover, string>> = {
  probe:
    "P-ECMP (failover: probe) sends every retransmission after a timeout, and its acknowledgement, on two paths, and an echo " +
    "option in every segment; this is a mechanism of p4loom, not of the paper.",
  shift:
    "P-ECMP (failover: shift) sends one copy of every packet; the receiver acknowledges on the selector of the data.",
  prr: "P-ECMP (failover: prr) sends one copy of every packet; the receiver leaves its path when it receives duplicates.",
  none: "P-ECMP (failover: none) never leaves a path.",
};

/** Draws by appendix C if all hops share one value; uniformly from the other next hops if every hop has a slice. */
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
  const reachable = (from: number) => reachableFrom(layout, offsets, from);
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
      // There is no alternative to a selector that no host of this fabric uses; a packet from outside may carry one.
      return again.length > 0 ? random.pick(again) : from;
    },
  };
}

/** Selectors at a distance of one offset, where all hops share one value. */
function reachableFrom(layout: SelectorLayout, { rule, offsets }: OffsetSet, from: number): number[] {
  const limit = 2 ** (layout.versionBit === "none" ? layout.bits : layout.bits - 1);
  // Group sizes that are powers of two divide the range, so an offset may wrap around; with other sizes it must not.
  if (rule === "odd") return offsets.map((offset) => (from + offset) % limit);
  const both = offsets.flatMap((offset) => [from + offset, from - offset]);
  return both.filter((selector) => selector >= 0 && selector < limit);
}

/** Probability that the second move of a flow, to a selector that it has not tried, leads to its first place among `n`. */
export function returnChance(layout: SelectorLayout, offsets: OffsetSet, n: number): number {
  const chances = reachableFrom(layout, offsets, 0).map((first) => {
    const fresh = (from: number) =>
      reachableFrom(layout, offsets, from).filter((to) => to !== 0 && to !== first);
    // As `makeRerouter` draws: from here if there is a fresh selector, else from those tried, else back.
    const near = fresh(first);
    const next = near.length > 0 ? near : [...fresh(0), ...fresh(first)];
    return next.length === 0 ? 1 : next.filter((to) => to % n === 0).length / next.length;
  });
  return chances.reduce((sum, chance) => sum + chance, 0) / chances.length;
}

/** First value of a slice that hosts use. With control of next hops, 0 means the hash, and each of 1 to n names a next hop. */
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

/** The rules and selectors of P-ECMP's hosts. */
export interface PecmpHosts {
  readonly failover: Failover;
  readonly layout: SelectorLayout;
  readonly offsets: OffsetSet;
  readonly subflows: SubflowRule;
  /** Flows also leave congested paths, with the same offsets. */
  readonly balance?: Balancing | undefined;
  /** Each packet has a selector of its own; then there is no failover. */
  readonly spray?: Spray | undefined;
  /** NICs in service, 0-based, where these are not all. */
  readonly nics?: readonly number[] | undefined;
  /** Destinations to which flows of this host begin on a route of their own. */
  readonly via?: readonly Via[] | undefined;
}

/** A policy whose flows can continue from a given selector. */
export interface PecmpPolicy extends HostPolicy {
  open(flow: FlowKey, random: Random, end: ConnectionEnd, from?: number): PathChooser;
}

/**
 * Hosts of a fabric with this layout. Flows start at selector 0, where the hash decides. With control of next
 * hops they start at random next hops: a host does not know which next hop the hash chooses, so it could not avoid it. The subflows of
 * a connection start at offsets from there.
 */
export function pecmpHosts(hosts: PecmpHosts, { clock, random: own }: HostContext): PecmpPolicy {
  const { failover, layout, offsets, subflows, balance, spray, nics: inService, via = [] } = hosts;
  const rerouter = makeRerouter(layout, offsets);
  const drawn = layout.control === "hops";
  const shared = spray === undefined || layout.shared ? undefined : new Sprayer(layout, spray, own);
  const openPath = (start: number, random: Random, peer: number | undefined): LeavingPath => {
    switch (failover) {
      case "probe":
        return new ProbingPath(rerouter, random, start, peer);
      case "shift":
        return new MovingPath(rerouter, random, start, "mirror", peer);
      case "prr":
        return new MovingPath(rerouter, random, start, "duplicates", peer);
      case "none":
        return new WaitingPath(rerouter, random, start);
    }
  };
  return {
    open(flow, random, end, given): PathChooser {
      const from = given ?? viaSelector(layout, via, flow);
      if (spray !== undefined) return new SprayedPath(shared ?? new Sprayer(layout, spray, random));
      // The subflows of a connection with one five-tuple must have the same start.
      const begin =
        end.subflows === 1 || subflows === "none" ? random : new Random(flowHash(flow)).fork(end.role);
      const first = drawn ? drawEachSlice(layout, 0, begin) : 0;
      const start = from ?? shifted(layout, first, subflowOffset(subflows, end));
      const other = end.role === "client" ? "server" : "client";
      const unknown = drawn || from !== undefined;
      const peer = unknown ? undefined : shifted(layout, 0, subflowOffset(subflows, { ...end, role: other }));
      const path = openPath(start, random, peer);
      return balance === undefined ? path : new BalancingPath(path, balance, clock, random);
    },
    // Section 4, "Multi-homed server": the selector is added to the bond's hash.
    nic(flow, selector, nics) {
      const value = flowHash(flow) + readSlice(layout, "nic", selector);
      return inService === undefined ? value % nics : inService[value % inService.length]!;
    },
    ...(balance === undefined ? {} : { ecn: true, needs: BALANCING_NEEDS }),
    ...given({ needs: spray === undefined ? undefined : ["packets"] }),
  };
}
