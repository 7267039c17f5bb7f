/**
 * Which values of the outer header lead along which path: what Clove's traceroute probes find out between each two hypervisors. Here the planner
 * follows each value through the hash functions of the switches, without packets, once: a change of the routes while a run lasts is not noticed.
 */
import { emptyFlows, FlowTracer, MAX_LINKS, type PathModel } from "../../paths/index.js";
import { hostsOf, type Topology } from "../../topology/index.js";
import { outerNic } from "./hosts.js";

interface Wanted {
  /** Values 0 to `probes` - 1 are tried. */
  readonly probes: number;
  /** The most paths of a pair of hosts. */
  readonly paths: number;
}

/** By position of the source and of the destination among the hosts: the selectors of their paths, empty for a host and itself. */
export function discoverPaths(
  topology: Topology,
  model: PathModel,
  version: 4 | 6,
  wanted: Wanted,
): number[][][] {
  const hosts = hostsOf(topology);
  const tracer = new FlowTracer(topology, model);
  const family = version === 4 ? "ipv4" : "ipv6";
  const out = new Int32Array(MAX_LINKS);
  const flows = emptyFlows(wanted.probes, version);
  const selector = Uint32Array.from({ length: wanted.probes }, (_, value) => value);
  const nic = new Uint8Array(wanted.probes);
  return hosts.map((from) => {
    flows.source.fill(from.index);
    return hosts.map((to) => {
      if (to === from) return [];
      flows.destination.fill(to.index);
      const ends = { src: from.host![family], dst: to.host![family] };
      for (let value = 0; value < nic.length; value++) nic[value] = outerNic(ends, value, from.ports.length);
      const traced = tracer.of({ ...flows, selector, nic });
      const found: Found[] = [];
      for (let value = 0; value < wanted.probes; value++) {
        const count = traced.linksOf(value, out);
        if (count > 0 && !found.some(({ links }) => isPath(links, out, count)))
          found.push({ selector: value, links: out.slice(0, count) });
      }
      return leastShared(found, wanted.paths).map((one) => one.selector);
    });
  });
}

/** The fewest paths that hosts of different racks have to each other; undefined where all hosts are in one rack. */
export function fewestPaths(topology: Topology, discovered: readonly number[][][]): number | undefined {
  const racks = hostsOf(topology).map(({ host }) => host!.rack);
  let fewest: number | undefined;
  for (const [i, row] of discovered.entries())
    for (const [j, { length }] of row.entries())
      if (racks[i] !== racks[j] && (fewest === undefined || length < fewest)) fewest = length;
  return fewest;
}

interface Found {
  readonly selector: number;
  /** Directed links. */
  readonly links: Int32Array;
}

/** Whether the first `count` of `out` are these links. */
function isPath(links: Int32Array, out: Int32Array, count: number): boolean {
  if (links.length !== count) return false;
  for (let i = 0; i < count; i++) if (links[i] !== out[i]) return false;
  return true;
}

/** Path after path, the one that shares the fewest links with those before it (CoNEXT 2017, section 3.1); the first found of several. */
function leastShared(found: readonly Found[], most: number): Found[] {
  const chosen: Found[] = [];
  const left = [...found];
  const uses = new Map<number, number>();
  while (chosen.length < most && left.length > 0) {
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const [i, { links }] of left.entries()) {
      const shared = links.reduce((sum, link) => sum + (uses.get(link) ?? 0), 0);
      if (shared < least) {
        least = shared;
        best = i;
      }
    }
    const [taken] = left.splice(best, 1);
    chosen.push(taken!);
    for (const link of taken!.links) uses.set(link, (uses.get(link) ?? 0) + 1);
  }
  return chosen;
}
