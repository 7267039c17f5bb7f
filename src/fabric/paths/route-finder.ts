/** Routes that selectors name through a given link, and covers: routes that cross every link between switches in both directions. */
import type { Random } from "../../base/index.js";
import { rackAt, type Topology } from "../topology/index.js";
import type { ExactWalker, NamedRoute } from "./exact-walk.js";
import { directedLink } from "./flows.js";

/** The path from a host to a switch: directed links, that of the host first. */
interface Approach {
  readonly source: number;
  readonly nic: number;
  readonly links: readonly number[];
}

const NO_LINKS: ReadonlySet<number> = new Set();

export class RouteFinder {
  /** By directed link: the nodes that it leads from and to. */
  readonly #tails: Int32Array;
  readonly #heads: Int32Array;
  /** By node: directed links from other switches, and the first links of paths from its own hosts. */
  readonly #into: readonly number[][];
  readonly #hosts: readonly Approach[][];
  /** By node and rack: the directed links into the node that packets for the rack can take; computed on demand. */
  readonly #towardsRack: (readonly number[])[] = [];

  constructor(
    readonly topology: Topology,
    readonly walker: ExactWalker,
  ) {
    const { links, nodes, down } = topology;
    this.#tails = new Int32Array(2 * links.length);
    this.#heads = new Int32Array(2 * links.length);
    for (const { index, a, b } of links) {
      this.#tails[2 * index] = this.#heads[2 * index + 1] = a.node;
      this.#heads[2 * index] = this.#tails[2 * index + 1] = b.node;
    }
    this.#into = nodes.map(() => []);
    this.#hosts = nodes.map(() => []);
    for (const link of linksBetweenSwitches(topology)) this.#into[this.#heads[link]!]!.push(link);
    for (const { index, role, ports } of nodes)
      for (const [nic, { link, peer, number }] of ports.entries())
        if (role === "host" && !down?.has(link))
          this.#hosts[peer]!.push({ source: index, nic, links: [directedLink(topology, index, number)] });
  }

  /** Directed links from other switches to a switch. */
  into(node: number): readonly number[] {
    return this.#into[node]!;
  }

  /**
   * A route over a directed link between switches, over links of `preferred` where there is a choice, else drawn. Undefined where
   * no route of a selector crosses the link.
   */
  through(link: number, random: Random, preferred: ReadonlySet<number> = NO_LINKS): NamedRoute | undefined {
    const { racks } = this.topology;
    const first = random.int(racks.length);
    for (let i = 0; i < racks.length; i++) {
      const rack = (first + i) % racks.length;
      const route = this.#towards(rack, link, random, preferred);
      if (route !== undefined) return route;
    }
    return undefined;
  }

  #towards(
    rack: number,
    link: number,
    random: Random,
    preferred: ReadonlySet<number>,
  ): NamedRoute | undefined {
    const tail = this.#tails[link]!;
    if (!this.walker.leads(tail, link, rack)) return undefined;
    const approach = this.#approach(tail, rack, random, preferred, new Set([this.#heads[link]!]));
    if (approach === undefined) return undefined;
    const planned = [...approach.links.slice(1), link];
    let hop = 0;
    return this.walker.walk(
      approach.source,
      random.pick(rackAt(this.topology, rack).hosts),
      approach.nic,
      (links) => {
        if (hop < planned.length) return links.indexOf(planned[hop++]!);
        const wanted = links.flatMap((own, i) => (preferred.has(own) ? [i] : []));
        return wanted.length > 0 ? random.pick(wanted) : random.int(links.length);
      },
    );
  }

  /** How packets for a rack reach a switch from a host of another rack. */
  #approach(
    node: number,
    rack: number,
    random: Random,
    preferred: ReadonlySet<number>,
    passed: Set<number>,
  ): Approach | undefined {
    passed.add(node);
    const hosts = this.#hosts[node]!;
    const before = this.#before(node, rack).filter((link) => !passed.has(this.#tails[link]!));
    const wanted = before.filter((link) => preferred.has(link));
    if (wanted.length === 0 && hosts.length > 0) return random.pick(hosts);
    const others = before.filter((link) => !preferred.has(link));
    for (const link of [...random.shuffle(wanted), ...random.shuffle(others)]) {
      const approach = this.#approach(this.#tails[link]!, rack, random, preferred, passed);
      if (approach !== undefined) return { ...approach, links: [...approach.links, link] };
    }
    return hosts.length > 0 ? random.pick(hosts) : undefined;
  }

  #before(node: number, rack: number): readonly number[] {
    return (this.#towardsRack[node * this.topology.racks.length + rack] ??= this.#into[node]!.filter((link) =>
      this.walker.leads(this.#tails[link]!, link, rack),
    ));
  }

  /**
   * Routes in a drawn order that cross every directed link between switches which any route of a selector crosses. Each is the one among
   * several drawn routes that crosses the most links not crossed by earlier ones.
   */
  cover(random: Random): NamedRoute[] {
    const order = random.shuffle(linksBetweenSwitches(this.topology));
    const left = new Set(order);
    const routes: NamedRoute[] = [];
    let most = 0;
    for (const link of order) {
      if (!left.has(link)) continue;
      let best: NamedRoute | undefined;
      let fresh = 0;
      for (let i = 0; i < DRAWS && (i === 0 || (best !== undefined && fresh < most)); i++) {
        const route = this.through(link, random, left);
        const count = route === undefined ? 0 : freshOf(route, left);
        if (count > fresh) [best, fresh] = [route, count];
      }
      if (best === undefined) continue;
      most = Math.max(most, fresh);
      for (const crossed of best.links) left.delete(crossed);
      routes.push(best);
    }
    return random.shuffle(routes);
  }
}

/** Number of routes that are drawn for each route of a cover. */
const DRAWS = 4;

function freshOf({ links }: NamedRoute, left: ReadonlySet<number>): number {
  return links.reduce((sum, link) => sum + (left.has(link) ? 1 : 0), 0);
}

/** Directed links between switches that are up. */
export function linksBetweenSwitches({ nodes, links, down }: Topology): number[] {
  return links.flatMap(({ index, a, b }) =>
    nodes[a.node]!.role === "host" || nodes[b.node]!.role === "host" || down?.has(index)
      ? []
      : [2 * index, 2 * index + 1],
  );
}
