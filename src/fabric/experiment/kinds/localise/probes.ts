/**
 * Paths of probes. With exact next hops: a set of routes that covers every directed link between switches, then the links of hosts, and,
 * when some probes are lost, routes through the suspects. Otherwise: between random hosts with random ports, as in Pingmesh.
 */

import type { Random } from "../../../../base/index.js";
import { PROTOCOL_UDP } from "../../../../base/packets/index.js";
import {
  elementsOf,
  emptyFlows,
  type FlowColumns,
  type FlowTracer,
  MAX_LINKS,
  type NamedRoute,
  type NetworkElement,
  type RouteFinder,
  type Suspect,
} from "../../../paths/index.js";
import { hostsOf, type Topology, type TopologyNode } from "../../../topology/index.js";

/** The directed links of the next probe; `suspects`: elements that may have failed by the results so far, the likeliest first. */
export type NextWay = (suspects: readonly Suspect[]) => ArrayLike<number>;

/** Number of independent covers: each element is on at least this many routes, with different other elements. */
const COVERS = 8;
/** Maximum number of suspects that are probed one by one. */
const MOST_SUSPECTS = 64;
/** Maximum number of drawn routes until one crosses a given link of a host. */
const MOST_DRAWS = 64;
/** An element whose confidence is below this share of the highest one is no suspect. */
const SUSPECT_SHARE = 1e-3;

/** Routes over covers, and through suspects. Covers are computed on first use, and shared by all failures. */
export class CoverProbes {
  readonly #covers: NamedRoute[][] = [];

  readonly #hosts: readonly TopologyNode[];
  readonly #hostDirections: readonly NetworkElement[];

  constructor(
    readonly finder: RouteFinder,
    readonly random: Random,
  ) {
    this.#hosts = hostsOf(finder.topology);
    this.#hostDirections = elementsOf(finder.topology).filter(({ kind }) => kind === "host_direction");
  }

  cover(number: number): readonly NamedRoute[] {
    return (this.#covers[number] ??= this.finder.cover(this.random.fork(number)));
  }

  /** A new route through an element; undefined where none was found. */
  through(element: NetworkElement, random: Random): NamedRoute | undefined {
    const { kind, number } = element;
    switch (kind) {
      case "switch":
        return this.#over(this.finder.into(number), random);
      case "link":
        return this.#over([2 * number, 2 * number + 1], random);
      case "direction":
        return this.#over([number], random);
      case "host_link":
        return this.#overHost(2 * number + random.int(2), random);
      case "host_direction":
        return this.#overHost(number, random);
    }
  }

  #over(links: readonly number[], random: Random): NamedRoute | undefined {
    return links.length === 0 ? undefined : this.finder.through(random.pick(links), random);
  }

  /** A drawn route over a directed link from or to a host. */
  #overHost(link: number, random: Random): NamedRoute | undefined {
    const { topology, walker } = this.finder;
    const { a, b } = topology.links[link >> 1]!;
    const [from, to] = (link & 1) === 0 ? [a, b] : [b, a];
    const isOut = topology.nodes[from.node]!.role === "host";
    const host = topology.nodes[(isOut ? from : to).node]!;
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      const other = random.pick(this.#hosts);
      if (other.host!.rack === host.host!.rack) continue;
      const [source, destination] = isOut ? [host, other] : [other, host];
      const nic = isOut
        ? host.ports.findIndex((port) => port.link === link >> 1)
        : random.int(other.ports.length);
      const route = walker.walk(source.index, destination.index, nic, (links) => random.int(links.length));
      if (route?.links.includes(link)) return route;
    }
    return undefined;
  }

  /** Routes over the links of all hosts, out and in, in a drawn order. */
  *#overHosts(random: Random): Generator<NamedRoute> {
    for (const { number } of random.shuffle([...this.#hostDirections])) {
      const route = this.#overHost(number, random);
      if (route !== undefined) yield route;
    }
  }

  /**
   * The next route: the covers in turn, and when none of them has lost a probe, the links of hosts; while there are suspects, every
   * second route goes through one.
   */
  routes(random: Random): (suspects: readonly Suspect[]) => NamedRoute {
    let cover = 0;
    let next = 0;
    let turn = 0;
    let overHosts: Iterator<NamedRoute> | undefined;
    return (suspects) => {
      if (suspects.length > 0 && turn++ % 2 === 0) {
        const own = this.through(random.pick(likely(suspects)).element, random);
        if (own !== undefined) return own;
      }
      if (next === this.cover(cover).length && overHosts === undefined) {
        cover = (cover + 1) % COVERS;
        next = 0;
        if (cover === 0) overHosts = this.#overHosts(random);
      }
      const own = overHosts?.next();
      if (own?.done === false) return own.value;
      overHosts = undefined;
      return this.cover(cover)[next++]!;
    };
  }
}

function likely(suspects: readonly Suspect[]): readonly Suspect[] {
  const least = SUSPECT_SHARE * suspects[0]!.confidence;
  let count = 1;
  while (count < Math.min(MOST_SUSPECTS, suspects.length) && suspects[count]!.confidence >= least) count++;
  return suspects.slice(0, count);
}

const LEAST_BATCH = 256;
const MOST_BATCH = 16_384;

/** Paths of probes between random hosts of different racks with random ports. Batches grow: most failures need few probes. */
export function randomWays(
  topology: Topology,
  tracer: FlowTracer,
  random: Random,
  ip: 4 | 6,
): () => ArrayLike<number> {
  const draw = randomFlows(topology, random, ip);
  const out = new Int32Array(MAX_LINKS);
  let size = LEAST_BATCH;
  let links = new Int32Array(0);
  let ends = new Int32Array(0);
  let count = 0;
  let next = 0;
  const trace = () => {
    const traced = tracer.of(draw(size));
    links = new Int32Array(size * 8);
    ends = new Int32Array(size + 1);
    count = next = 0;
    for (let i = 0; i < size; i++) {
      const length = traced.linksOf(i, out);
      if (length <= 0) continue;
      const start = ends[count++]!;
      const end = start + length;
      if (end > links.length) {
        const longer = new Int32Array(2 * links.length + MAX_LINKS);
        longer.set(links);
        links = longer;
      }
      for (let k = 0; k < length; k++) links[start + k] = out[k]!;
      ends[count] = end;
    }
    size = Math.min(2 * size, MOST_BATCH);
  };
  return () => {
    while (next >= count) trace();
    return links.subarray(ends[next]!, ends[++next]!);
  };
}

/** Draws columns of UDP flows between hosts of different racks, by any NIC of the sender. */
function randomFlows(
  topology: Topology,
  random: Random,
  ip: 4 | 6,
): (size: number) => FlowColumns & { readonly nic: Uint8Array } {
  const hosts = hostsOf(topology);
  return (size) => {
    const nic = new Uint8Array(size);
    const flows = { ...emptyFlows(size, ip), nic };
    flows.protocol.fill(PROTOCOL_UDP);
    for (let i = 0; i < size; i++) {
      const source = random.pick(hosts);
      let destination = random.pick(hosts);
      while (destination.host!.rack === source.host!.rack) destination = random.pick(hosts);
      flows.source[i] = source.index;
      flows.destination[i] = destination.index;
      flows.sourcePort[i] = random.int(65_536);
      flows.destinationPort[i] = random.int(65_536);
      nic[i] = random.int(source.ports.length);
    }
    return flows;
  };
}
