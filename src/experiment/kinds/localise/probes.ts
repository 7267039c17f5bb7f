/**
 * Where probes go. With exact next hops: over a set of routes that covers every directed link between switches, and then, when
 * some are lost, over routes through the suspects. Without: between random hosts with random ports, as Pingmesh's.
 */
import type { Random } from "../../../base/index.js";
import {
  type ExactWalker,
  emptyFlows,
  type FlowTracer,
  MAX_LINKS,
  type NamedRoute,
  type NetworkElement,
} from "../../../paths/index.js";
import { hostsOf, type Topology } from "../../../topology/index.js";

/** The way of a probe. */
interface Way {
  readonly links: readonly number[];
  readonly switches: readonly number[];
}

/** The next probe; `suspects`: what may have failed, as far as probes have told, the likeliest first. */
export type NextWay = (suspects: readonly NetworkElement[]) => Way;

/** Independent covers: an element is crossed by so many routes at least, with different others. */
const COVERS = 8;
/** Tries to find a route to a link that is not covered. */
const TRIES = 50;

/** Routes that cover every directed link between switches, and by element the routes that cross it. */
export class RoutePool {
  readonly covers: readonly (readonly NamedRoute[])[];
  readonly #through = new Map<string, NamedRoute[]>();

  constructor(topology: Topology, walker: ExactWalker, random: Random) {
    this.covers = Array.from({ length: COVERS }, (_, i) => coverOf(topology, walker, random.fork(i)));
    const add = (key: string, route: NamedRoute) => {
      const list = this.#through.get(key);
      if (list === undefined) this.#through.set(key, [route]);
      else list.push(route);
    };
    for (const route of this.covers.flat()) {
      for (const node of route.switches) add(`switch ${node}`, route);
      for (const link of route.links) {
        add(`direction ${link}`, route);
        add(`link ${link >> 1}`, route);
      }
    }
  }

  through({ kind, number }: NetworkElement): readonly NamedRoute[] {
    return this.#through.get(`${kind} ${number}`) ?? [];
  }

  /** Each cover one after the other; every second probe goes through a suspect while there are some. */
  probes(random: Random): NextWay {
    const order = this.covers.flat();
    let next = 0;
    let turn = 0;
    return (suspects) => {
      if (suspects.length > 0 && turn++ % 2 === 0) {
        const own = this.through(random.pick(suspects));
        if (own.length > 0) return random.pick(own);
      }
      return order[next++ % order.length]!;
    };
  }
}

function coverOf(topology: Topology, walker: ExactWalker, random: Random): NamedRoute[] {
  const { nodes, racks } = topology;
  const wanted = new Set<number>();
  for (const { index, a, b } of topology.links)
    if (nodes[a.node]!.role !== "host" && nodes[b.node]!.role !== "host" && !topology.down?.has(index)) {
      wanted.add(2 * index);
      wanted.add(2 * index + 1);
    }
  const routes: NamedRoute[] = [];
  // A link that no shortest path uses cannot be covered: the search ends after so many routes without a new link.
  for (let idle = 0; wanted.size > 0 && idle < TRIES * racks.length; ) {
    const from = racks[random.int(racks.length)]!;
    let to = racks[random.int(racks.length)]!;
    while (to === from) to = racks[random.int(racks.length)]!;
    const source = random.pick(from.hosts);
    const nic = random.int(nodes[source]!.ports.length);
    const route = walker.walk(source, random.pick(to.hosts), nic, (links) => {
      const fresh = links.flatMap((link, i) => (wanted.has(link) ? [i] : []));
      return fresh.length > 0 ? random.pick(fresh) : random.int(links.length);
    });
    if (route === undefined || !route.links.some((link) => wanted.has(link))) {
      idle++;
      continue;
    }
    idle = 0;
    for (const link of route.links) wanted.delete(link);
    routes.push(route);
  }
  for (let i = routes.length - 1; i > 0; i--) {
    const other = random.int(i + 1);
    [routes[i], routes[other]] = [routes[other]!, routes[i]!];
  }
  return routes;
}

const BATCH = 4096;

/** Probes between random hosts of different racks with random ports. */
export function randomProbes(topology: Topology, tracer: FlowTracer, random: Random, ip: 4 | 6): NextWay {
  const hosts = hostsOf(topology);
  const out = new Int32Array(MAX_LINKS);
  let ways: Way[] = [];
  let next = 0;
  const draw = () => {
    const nic = new Uint8Array(BATCH);
    const flows = { ...emptyFlows(BATCH, ip), nic };
    for (let i = 0; i < BATCH; i++) {
      const source = random.pick(hosts);
      let destination = random.pick(hosts);
      while (destination.host!.rack === source.host!.rack) destination = random.pick(hosts);
      flows.source[i] = source.index;
      flows.destination[i] = destination.index;
      flows.sourcePort[i] = random.int(65_536);
      flows.destinationPort[i] = random.int(65_536);
      flows.protocol[i] = 17;
      nic[i] = random.int(source.ports.length);
    }
    const traced = tracer.of(flows);
    ways = [];
    next = 0;
    for (let i = 0; i < BATCH; i++) {
      const count = traced.linksOf(i, out);
      if (count > 0) ways.push(wayOf(topology, out.subarray(0, count)));
    }
  };
  return () => {
    while (next >= ways.length) draw();
    return ways[next++]!;
  };
}

function wayOf({ links }: Topology, crossed: Int32Array): Way {
  const heads = Array.from(crossed, (link) => {
    const { a, b } = links[link >> 1]!;
    return (link & 1) === 0 ? b.node : a.node;
  });
  return { links: Array.from(crossed), switches: heads.slice(0, -1) };
}
