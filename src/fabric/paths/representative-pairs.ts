/**
 * Pairs of racks that represent all pairs of a topology. Nodes are distinguished by colour refinement: first by their roles, then
 * repeatedly by the colours of their neighbours. Racks with the same colour count as equivalent, and so do two destinations with the same
 * colour after the source got a colour of its own. Links that are down are ignored.
 */
import { type Topology, tierOf } from "../topology/index.js";

/** Each kind of source with each kind of destination, once. All pairs where no two racks are equivalent. */
export function representativePairs(topology: Topology): (readonly [from: number, to: number])[] {
  const { racks } = topology;
  const alike = coloursOfRacks(topology, undefined);
  return firsts(alike).flatMap((from) => {
    const seen = coloursOfRacks(topology, racks[from]!.switches);
    return firsts(seen)
      .filter((to) => to !== from)
      .map((to) => [from, to] as const);
  });
}

/** Index of the first entry of each value. */
function firsts(list: ArrayLike<number>): number[] {
  const seen = new Set<number>();
  return Array.from({ length: list.length }, (_, i) => i).filter((i) => {
    if (seen.has(list[i]!)) return false;
    seen.add(list[i]!);
    return true;
  });
}

function coloursOfRacks(topology: Topology, marked: readonly number[] | undefined): Int32Array {
  const { nodes, racks, down } = topology;
  const switches = nodes.filter(({ role }) => role !== "host");
  const hosts = new Map(
    racks.flatMap(({ switches: own, hosts: all }) => own.map((node) => [node, all.length])),
  );
  let colours = numbered(
    switches.map(
      (node) =>
        `${tierOf(node)} ${node.role} ${hosts.get(node.index) ?? 0} ${marked?.indexOf(node.index) ?? -1}`,
    ),
  );
  const place = new Int32Array(nodes.length).fill(-1);
  for (const [i, { index }] of switches.entries()) place[index] = i;
  const peers = switches.map(({ ports }) =>
    ports.filter(({ peer, link }) => place[peer]! >= 0 && !down?.has(link)).map(({ peer }) => place[peer]!),
  );
  for (;;) {
    const next = numbered(
      peers.map((own, i) => {
        const around = Int32Array.from(own, (peer) => colours.list[peer]!).sort();
        return `${colours.list[i]} ${around.join(" ")}`;
      }),
    );
    if (next.count === colours.count) break;
    colours = next;
  }
  return Int32Array.from(
    numbered(racks.map(({ switches: own }) => own.map((node) => colours.list[place[node]!]!).join(" "))).list,
  );
}

function numbered(keys: readonly string[]): { list: number[]; count: number } {
  const numbers = new Map<string, number>();
  const list = keys.map((key) => {
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
    }
    return number;
  });
  return { list, count: numbers.size };
}
