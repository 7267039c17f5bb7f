/** The destinations of each host, by source: for traffic whose sources are given, such as flows without an end. */
import type { Random } from "../../../base/index.js";
import type { Topology } from "../../topology/index.js";
import { hostPlaces, type Place } from "../flow.js";
import { drawDerangement } from "./partners.js";

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
