/** All pairs of a group pattern alike: any two hosts, hosts in different racks, hosts in different pods. */
import type { Random } from "../../base/index.js";
import { PairDrawer, type PairPattern, type Place } from "../flow.js";
import type { Pattern } from "./pattern.js";

/** Undefined where no pair of hosts matches. */
export function uniformPattern(places: readonly Place[], pairs: PairPattern): Pattern | undefined {
  const drawer = new PairDrawer(places, pairs);
  if (drawer.pairs === 0) return undefined;
  return {
    // Hosts of one group alone find no partner, but then there is no pair at all.
    senders: places,
    receivers: places,
    interRackShare: pairs === "any" ? uniformInterRackShare(places) : 1,
    draw: (random: Random) => {
      const [source, destination] = drawer.draw(random)!;
      return [source.host, destination.host];
    },
  };
}

/** The share of all ordered pairs of hosts that are in different racks; 0 for less than two hosts. */
export function uniformInterRackShare(places: readonly Place[]): number {
  const all = new PairDrawer(places, "any").pairs;
  return all === 0 ? 0 : new PairDrawer(places, "inter_rack").pairs / all;
}
