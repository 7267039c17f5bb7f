/** Patterns in which each host sends to one host only: a stride, or a permutation that is drawn. */
import type { Random } from "../../../base/index.js";
import type { Place } from "../flow.js";
import type { Pattern } from "./pattern.js";
import { uniformInterRackShare } from "./uniform.js";

/** Host i sends to host i + stride, counted round; `stride` is no multiple of the number of hosts. */
export function stridePattern(places: readonly Place[], stride: number): Pattern {
  const partners = places.map((_, index) => (index + stride) % places.length);
  const between = places.filter(({ rack }, index) => rack !== places[partners[index]!]!.rack).length;
  return partnersPattern(places, partners, between / places.length);
}

/**
 * Each of at least two hosts sends to one other host and receives from one; all such permutations (derangements) are equally
 * likely. The share between racks is the expected one over all permutations, so that a load is the same under every seed.
 */
export function permutationPattern(places: readonly Place[], random: Random): Pattern {
  return partnersPattern(places, drawDerangement(places.length, random), uniformInterRackShare(places));
}

/** Shuffles until no element stays in its place: e times on average, for any count. */
export function drawDerangement(count: number, random: Random): number[] {
  for (;;) {
    const order = random.shuffle(Array.from({ length: count }, (_, i) => i));
    if (order.every((to, from) => to !== from)) return order;
  }
}

function partnersPattern(
  places: readonly Place[],
  partners: readonly number[],
  interRackShare: number,
): Pattern {
  return {
    senders: places,
    receivers: places,
    interRackShare,
    draw: (random) => {
      const source = random.int(places.length);
      return [places[source]!.host, places[partners[source]!]!.host];
    },
  };
}
