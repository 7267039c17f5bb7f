/** Patterns in which each host sends to one host only: a stride, or a permutation that is drawn. */
import type { Random } from "../../../base/index.js";
import type { Topology } from "../../topology/index.js";
import { hostPlaces, PairDrawer, type PairPattern, type Place } from "../flow.js";
import type { Pattern } from "./pattern.js";

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
function drawDerangement(count: number, random: Random): number[] {
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

// The destinations of each host, by source: for traffic whose sources are given, such as flows without an end.

/**
 * `all_to_all`, `inter_rack`: any other host, or one of another rack, at each draw. `permutation`: one host each, which receives from no
 * other. `random`: one host each, drawn at random. `stride`: the host at this distance. `cliques`: drawn racks in groups of
 * this size; hosts send to hosts of the other racks of their group.
 */
export type PartnerSpec =
  | { readonly kind: "all_to_all" | "inter_rack" | "permutation" | "random" }
  | { readonly kind: "stride"; readonly stride: number }
  | { readonly kind: "cliques"; readonly count: number; readonly racks: number };

export interface Partners {
  /** Hosts that send, as indexes of nodes, in the order of the nodes. */
  readonly senders: readonly number[];
  /** A destination of a sender, which is another host. */
  draw(sender: number, random: Random): number;
}

/** The spec must fit the topology: at least two hosts; two racks for pairs between racks; enough racks for the cliques. */
export function partnersOf(spec: PartnerSpec, topology: Topology, random: Random): Partners {
  const places = hostPlaces(topology);
  const senders = places.map(({ host }) => host);
  if (spec.kind === "cliques") return cliques(spec, topology, random);
  if (spec.kind === "all_to_all" || spec.kind === "inter_rack") {
    const barred = new Map(places.map((place) => [place.host, spec.kind === "inter_rack" ? place.rack : -1]));
    return {
      senders,
      draw(sender, own) {
        for (;;) {
          const { host, rack } = own.pick(places);
          if (host !== sender && rack !== barred.get(sender)) return host;
        }
      },
    };
  }
  const partner = new Map<number, number>();
  const order = fixedPartners(spec, places, random);
  for (const [i, host] of senders.entries()) partner.set(host, senders[order[i]!]!);
  return { senders, draw: (sender) => partner.get(sender)! };
}

/** Index of the partner by index of the host. */
function fixedPartners(
  spec: Exclude<PartnerSpec, { kind: "cliques" | "all_to_all" | "inter_rack" }>,
  places: readonly Place[],
  random: Random,
): number[] {
  const count = places.length;
  if (spec.kind === "permutation") return drawDerangement(count, random);
  if (spec.kind === "stride") return places.map((_, i) => (i + spec.stride) % count);
  return places.map((_, i) => {
    const other = random.int(count - 1);
    return other < i ? other : other + 1;
  });
}

function cliques(
  { count, racks }: { count: number; racks: number },
  topology: Topology,
  random: Random,
): Partners {
  const drawn = random.shuffle(topology.racks.map(({ index }) => index)).slice(0, count * racks);
  const senders = drawn.flatMap((rack) => topology.racks[rack]!.hosts).sort((a, b) => a - b);
  // Flat arrays: a draw for each of millions of flows then reads few memory locations.
  const placeOf = new Int32Array(topology.nodes.length);
  for (const [place, rack] of drawn.entries())
    for (const host of topology.racks[rack]!.hosts) placeOf[host] = place;
  const hosts = drawn.map((rack) => topology.racks[rack]!.hosts);
  return {
    senders,
    draw(sender, own) {
      const place = placeOf[sender]!;
      const first = place - (place % racks);
      const other = first + own.int(racks - 1);
      return own.pick(hosts[other < place ? other : other + 1]!);
    },
  };
}

// A share of the flows of each host stays in its rack; the others go to hosts in other racks.

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

// All pairs of a group pattern alike: any two hosts, hosts in different racks, hosts in different pods.

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
