/**
 * Selectors of the subflows of one connection (P-ECMP, section 3.2, "Multipath protocols"): subflow k of K sends with offset k, so
 * that no two of the first N take the same next hop where a switch chooses from N.
 *
 * The paper does not say what the acknowledgements carry. `mirrored`: the same offset k. Then, with N = 2, half of the connections have
 * one direction of every subflow over a failed switch, for any K. `halved`: floor(k / 2). With K = 4 the pairs (k mod N,
 * floor(k / 2) mod N) leave, for each pair of positions, one in each direction, a subflow that avoids both: for N = 2 they are all four
 * pairs, for N = 3 a failure hits at most three subflows, for N >= 4 one forward and two backward. `none`: offset 0, so that only ports
 * distinguish subflows.
 */
import type { ConnectionEnd } from "../../hosts/index.js";
import { HOPS, readSlice, type SelectorLayout, writeSlice } from "./layout.js";

export const SUBFLOW_RULES = ["halved", "mirrored", "none"] as const;
export type SubflowRule = (typeof SUBFLOW_RULES)[number];

/** Offset of what one end of a subflow sends. */
export function subflowOffset(rule: SubflowRule, { role, subflow }: ConnectionEnd): number {
  if (rule === "none") return 0;
  return rule === "halved" && role === "server" ? Math.floor(subflow / 2) : subflow;
}

/**
 * The selector `offset` rows after `from` at every hop. Where all hops share one value it wraps at the layout's range; where each
 * has a slice, at the smallest group of its kind.
 */
export function shifted(layout: SelectorLayout, from: number, offset: number): number {
  if (layout.shared) {
    const limit = 2 ** (layout.versionBit === "none" ? layout.bits : layout.bits - 1);
    return (from + offset) % limit;
  }
  // Value 0 of control of next hops is the hash: the result of a shift from it would be unknown.
  const first = layout.control === "hops" ? 1 : 0;
  let selector = from;
  for (const hop of HOPS) {
    const n = layout.fanOuts[hop]?.least;
    if (n === undefined) continue;
    const place = (readSlice(layout, hop, selector) - first + n) % n;
    selector = writeSlice(layout, hop, selector, first + ((place + offset) % n));
  }
  return selector;
}
