/** A share of the flows of each host stays in its rack; the others go to hosts in other racks. */
import type { Random } from "../../../base/index.js";
import type { Place } from "../flow.js";
import type { Pattern } from "./pattern.js";

/**
 * @param share of the flows that stay in their racks; above 0 every rack has two hosts or more, below 1 there are two racks
 */
export function rackLocalPattern(places: readonly Place[], share: number): Pattern {
  const racks = new Map<number, number[]>();
  const rankOf = places.map((place, index) => {
    const members = racks.get(place.rack) ?? [];
    racks.set(place.rack, members);
    return members.push(index) - 1;
  });
  return {
    senders: places,
    receivers: places,
    interRackShare: 1 - share,
    draw: (random) => {
      const source = random.int(places.length);
      const members = racks.get(places[source]!.rack)!;
      const destination =
        random.float() < share
          ? inside(members, rankOf[source]!, random)
          : outside(members, places.length, random);
      return [places[source]!.host, places[destination]!.host];
    },
  };
}

/** One of the members but the one at `rank`. */
function inside(members: readonly number[], rank: number, random: Random): number {
  const drawn = random.int(members.length - 1);
  return members[drawn < rank ? drawn : drawn + 1]!;
}

/** One of `count` places that are not in the ascending list of members. */
function outside(members: readonly number[], count: number, random: Random): number {
  const drawn = random.int(count - members.length);
  // The number of members before the drawn place: those with at most `drawn` non-members before them.
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (members[middle]! - middle <= drawn) low = middle + 1;
    else high = middle;
  }
  return drawn + low;
}
