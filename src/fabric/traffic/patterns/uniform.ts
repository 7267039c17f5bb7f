/** All pairs of a group pattern alike: any two hosts, hosts in different racks, hosts in different pods. */
import type { Random } from "../../../base/index.js";
import { PairDrawer, type PairPattern, type Place } from "../flow.js";
import type { Pattern } from "./pattern.js";

/** Undefined where no pair of hosts matches. */
export function uniformPattern(places: readonly Place[], pairs: PairPattern): Pattern | undefined {
  const drawer = new PairDrawer(places, pairs);
  if (drawer.pairs === 0) return undefined;
  // A host whose group has all hosts finds no partner, but then there is no pair at all.
  const spread = { senders: places, receivers: places };
  if (pairs === "any")
    return {
      ...spread,
      interRackShare: uniformInterRackShare(places),
      draw: (random) => drawAny(places, random),
    };
  return {
    ...spread,
    interRackShare: 1,
    draw: (random) => {
      const [source, destination] = drawer.draw(random)!;
      return [source.host, destination.host];
    },
  };
}

function drawAny(places: readonly Place[], random: Random): readonly [number, number] {
  const source = random.int(places.length);
  const other = random.int(places.length - 1);
  return [places[source]!.host, places[other < source ? other : other + 1]!.host];
}

/** The share of all ordered pairs of hosts that are in different racks; 0 for less than two hosts. */
export function uniformInterRackShare(places: readonly Place[]): number {
  const all = new PairDrawer(places, "any").pairs;
  return all === 0 ? 0 : new PairDrawer(places, "inter_rack").pairs / all;
}
