/** Where on the paths of a flow a failure can strike, and how many equal places there are. */
import { hostsOf, type Topology } from "../topology/index.js";
import { destinationsOf, type PairPattern, type Place } from "../traffic/index.js";
import type { Failure } from "./experiment.js";

/** A switch or a link, by its index in the topology. */
export type Site =
  | { readonly kind: "node"; readonly index: number }
  | { readonly kind: "link"; readonly index: number };

/** `leaf0-1`, or `tor0-0 - leaf0-1`. */
export function siteName(topology: Topology, site: Site): string {
  const name = (node: number) => topology.nodes[node]!.name;
  if (site.kind === "node") return name(site.index);
  const { a, b } = topology.links[site.index]!;
  return `${name(a.node)} - ${name(b.node)}`;
}

/** Hosts with their racks and pods, for traffic patterns. */
export function hostPlaces(topology: Topology): Place[] {
  return hostsOf(topology).map((node) => {
    const rack = topology.racks[node.host!.rack]!;
    return { host: node.index, rack: rack.index, pod: rack.pod };
  });
}

/** The sites of a failure on a path of node indexes, in the order in which a packet meets them. */
export function sitesOnPath(topology: Topology, path: readonly number[], failure: Failure): Site[] {
  if (failure !== "link")
    return path
      .filter((node) => topology.nodes[node]!.role === failure)
      .map((index) => ({ kind: "node", index }));
  const sites: Site[] = [];
  for (let i = 1; i < path.length; i++) {
    const [a, b] = [topology.nodes[path[i - 1]!]!, topology.nodes[path[i]!]!];
    const [lower, upper] = a.role === "tor" ? [a, b] : [b, a];
    if (lower.role !== "tor" || upper.role !== "leaf") continue;
    const port = lower.ports.find((candidate) => candidate.peer === upper.index)!;
    sites.push({ kind: "link", index: port.link });
  }
  return sites;
}

/** Failures that have a site between some two hosts of the pattern; undefined when there are no such hosts. */
export function placesOf(topology: Topology, pattern: PairPattern): Set<Failure> | undefined {
  const pairs = rackPairs(topology, pattern);
  if (pairs.length === 0) return undefined;
  const found = new Set<Failure>();
  for (const [source, destination] of pairs)
    for (const failure of fanOuts(topology, source, destination).keys()) found.add(failure);
  return found;
}

/**
 * N of the closed forms: how many equal-cost sites of a failure each direction chooses from. Undefined where
 * it is not the same for all pairs of hosts of the pattern.
 */
export function equalSites(topology: Topology, pattern: PairPattern, failure: Failure): number | undefined {
  const counts = new Set<number>();
  for (const [source, destination] of rackPairs(topology, pattern))
    for (const n of fanOuts(topology, source, destination).get(failure) ?? []) counts.add(n);
  return counts.size === 1 ? [...counts][0] : undefined;
}

/** One pair of hosts for each pair of racks that the pattern has traffic between. */
function rackPairs(topology: Topology, pattern: PairPattern): [number, number][] {
  const places = hostPlaces(topology);
  const pairs = new Map<string, [number, number]>();
  for (const source of places)
    for (const destination of destinationsOf(places, source, pattern))
      pairs.set(`${source.rack} ${destination.rack}`, [source.host, destination.host]);
  return [...pairs.values()];
}

/** For each failure, the number of sites at each step of the shortest paths between two hosts. */
function fanOuts(topology: Topology, source: number, destination: number): Map<Failure, number[]> {
  const fromSource = distances(topology, source);
  const toDestination = distances(topology, destination);
  const length = fromSource[destination]!;
  const result = new Map<Failure, number[]>();
  if (length === Number.POSITIVE_INFINITY) return result;
  const add = (failure: Failure, sites: number) => {
    if (sites > 0) result.set(failure, [...(result.get(failure) ?? []), sites]);
  };
  const onPath = (node: number, step: number) =>
    fromSource[node] === step && toDestination[node] === length - step;
  for (let step = 1; step < length; step++) {
    const layer = topology.nodes.filter((node) => onPath(node.index, step));
    for (const role of ["tor", "leaf", "spine"] as const)
      add(role, layer.filter((node) => node.role === role).length);
    const links = layer.flatMap((node) =>
      node.ports.filter((port) => {
        const peer = topology.nodes[port.peer]!;
        const roles = new Set([node.role, peer.role]);
        return onPath(peer.index, step + 1) && roles.has("tor") && roles.has("leaf");
      }),
    );
    add("link", links.length);
  }
  return result;
}

/** Hops from a host to every node; hosts do not forward. */
function distances(topology: Topology, start: number): number[] {
  const hops = topology.nodes.map(() => Number.POSITIVE_INFINITY);
  hops[start] = 0;
  const queue = [start];
  for (let i = 0; i < queue.length; i++) {
    const node = topology.nodes[queue[i]!]!;
    if (node.role === "host" && node.index !== start) continue;
    for (const { peer } of node.ports) {
      if (hops[peer] !== Number.POSITIVE_INFINITY) continue;
      hops[peer] = hops[node.index]! + 1;
      queue.push(peer);
    }
  }
  return hops;
}
