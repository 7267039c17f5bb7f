/**
 * Routes that a selector determines hop by hop: every choice on the path has rows with one port each, and the selector picks one of
 * them. So a probe takes the route that its sender wants, for any hash functions.
 */
import { nodeAt, type Topology } from "../topology/index.js";
import { portsOfChoice } from "./flat-model.js";
import { directedLink, MAX_LINKS } from "./flows.js";
import { LOCAL, type PathModel, type PortChoice, type SwitchModel } from "./model.js";

export interface NamedRoute {
  /** Node indexes of hosts. */
  readonly source: number;
  readonly destination: number;
  /** NIC of the source, from 0. */
  readonly nic: number;
  readonly selector: number;
  /** Directed links: 2 l is link l from its end `a` to its end `b`, 2 l + 1 the way back. */
  readonly links: readonly number[];
  /** Node indexes of the switches. */
  readonly switches: readonly number[];
}

/** Picks one of the possible next links by its index; -1: none of them, and there is no route. */
type PickLink = (links: readonly number[]) => number;

/** The options that selectors have at a choice: for each option one port, its directed link and the value of its row. */
interface Options {
  readonly ports: readonly number[];
  readonly links: readonly number[];
  /** Bits of the selector that select the option, at their positions; 0 where there is no choice. */
  readonly values: readonly number[];
  /** Bits of the selector that the choice reads; 0 where there is no choice. */
  readonly mask: number;
  /** Ports by value of the row, where a row has one port: several rows may have the same. */
  readonly portOf: ReadonlyMap<number, number>;
  readonly known: ReadonlySet<number>;
}

/** A hop that was chosen. */
interface Hop {
  readonly port: number;
  readonly link: number;
  /** The selector with this hop's value, and the bits of it that hops so far have used. */
  readonly selector: number;
  readonly used: number;
}

const NONE: Options = {
  ...{ ports: [], links: [], values: [], mask: 0 },
  ...{ portOf: new Map<number, number>(), known: new Set<number>() },
};

export class ExactWalker {
  readonly #switches: readonly (SwitchModel | undefined)[];
  /** By node and choice; computed on demand. */
  readonly #options: (Options | undefined)[][];

  constructor(
    readonly topology: Topology,
    model: PathModel,
  ) {
    const switches: (SwitchModel | undefined)[] = topology.nodes.map(() => undefined);
    for (const own of model.switches) switches[own.node] = own;
    this.#switches = switches;
    this.#options = topology.nodes.map(() => []);
  }

  /** Whether selectors determine the next hop wherever there are several. */
  get isExact(): boolean {
    return this.#switches.every((own) => own === undefined || own.choices.every(namesEachPort));
  }

  /** Whether a selector can send packets for a rack over this directed link of the switch. */
  leads(node: number, link: number, rack: number): boolean {
    const next = this.#switches[node]?.next[rack];
    return next !== undefined && next >= 0 && this.#optionsOf(node, next).known.has(link);
  }

  /** The route that `pick` chooses, from a NIC whose link is up; undefined where two hops would need different values of the same bits. */
  walk(source: number, destination: number, nic: number, pick: PickLink): NamedRoute | undefined {
    const links: number[] = [];
    const switches: number[] = [];
    let hop: Hop = this.#first(source, nic);
    let node = source;
    for (;;) {
      const { peer } = nodeAt(this.topology, node).ports[hop.port - 1]!;
      links.push(hop.link);
      if (peer === destination) return { source, destination, nic, selector: hop.selector, links, switches };
      const options = links.length === MAX_LINKS ? NONE : this.#onwards(peer, destination);
      const free = this.#without(peer, options, hop);
      const picked = free.links.length === 0 ? -1 : pick(free.links);
      if (picked < 0) return undefined;
      hop = taken(free, picked, hop);
      switches.push(peer);
      node = peer;
    }
  }

  /** All routes between two hosts, over all NICs of the first one whose links are up. */
  all(source: number, destination: number): NamedRoute[] {
    const { nodes } = this.topology;
    const routes: NamedRoute[] = [];
    const step = (
      nic: number,
      hop: Hop,
      node: number,
      before: readonly number[],
      passed: readonly number[],
    ) => {
      const { peer } = nodes[node]!.ports[hop.port - 1]!;
      const links = [...before, hop.link];
      if (peer === destination) {
        routes.push({ source, destination, nic, selector: hop.selector, links, switches: passed });
        return;
      }
      const options = links.length === MAX_LINKS ? NONE : this.#onwards(peer, destination);
      const free = this.#without(peer, options, hop);
      const switches = [...passed, peer];
      for (const i of free.links.keys()) step(nic, taken(free, i, hop), peer, links, switches);
    };
    for (const [nic, { link }] of nodes[source]!.ports.entries())
      if (!this.#isDown(link)) step(nic, this.#first(source, nic), source, [], []);
    return routes;
  }

  #first(source: number, nic: number): Hop {
    return { port: nic + 1, link: directedLink(this.topology, source, nic + 1), selector: 0, used: 0 };
  }

  /** The options of a switch for packets to a host. */
  #onwards(node: number, host: number): Options {
    const own = this.#switches[node];
    if (own === undefined) return NONE;
    const next = own.next[nodeAt(this.topology, host).host!.rack]!;
    if (next === LOCAL) return this.#toHost(node, host);
    return next < 0 ? NONE : this.#optionsOf(node, next);
  }

  #toHost(node: number, host: number): Options {
    const { ports } = nodeAt(this.topology, node);
    const port = ports.find(({ peer, link }) => peer === host && !this.#isDown(link));
    return port === undefined ? NONE : this.#alone(node, port.number);
  }

  #isDown(link: number): boolean {
    return this.topology.down?.has(link) ?? false;
  }

  /** The only port, which needs no selector. */
  #alone(node: number, port: number): Options {
    const link = directedLink(this.topology, node, port);
    return { ...NONE, ports: [port], links: [link], values: [0], known: new Set([link]) };
  }

  #optionsOf(node: number, choice: number): Options {
    const own = this.#options[node]!;
    return (own[choice] ??= this.#optionsNamedBy(node, this.#switches[node]!.choices[choice]!));
  }

  #optionsNamedBy(node: number, { rows, slice }: PortChoice): Options {
    const [first] = rows;
    if (rows.length === 1 && first!.length === 1) return this.#alone(node, first![0]!);
    if (slice === undefined) return NONE;
    const portOf = new Map<number, number>();
    for (const [row, ports] of rows.slice(0, 2 ** slice.width).entries())
      if (ports.length === 1) portOf.set(row * 2 ** slice.low, ports[0]!);
    return this.#named(node, portOf, 2 ** slice.low * (2 ** slice.width - 1));
  }

  /** One option for each port, with the lowest value that names it. */
  #named(node: number, portOf: ReadonlyMap<number, number>, mask: number): Options {
    const lowest = new Map<number, number>();
    for (const [value, port] of portOf) if (!lowest.has(port)) lowest.set(port, value);
    const ports = [...lowest.keys()];
    const links = ports.map((port) => directedLink(this.topology, node, port));
    return { ports, links, values: [...lowest.values()], mask, portOf, known: new Set(links) };
  }

  /** The options that do not contradict the bits that earlier hops have used. */
  #without(node: number, options: Options, { selector, used }: Hop): Options {
    const { mask, portOf } = options;
    if ((used & mask) === 0) return options;
    const fitting = [...portOf].filter(([value]) => ((value ^ selector) & mask & used) === 0);
    return this.#named(node, new Map(fitting), mask);
  }
}

function taken({ ports, links, values, mask }: Options, i: number, { selector, used }: Hop): Hop {
  return {
    port: ports[i]!,
    link: links[i]!,
    selector: (selector | values[i]!) >>> 0,
    used: used | mask,
  };
}

function namesEachPort(choice: PortChoice): boolean {
  const ports = portsOfChoice(choice);
  if (ports.length === 1) return true;
  const { rows, slice } = choice;
  if (slice === undefined) return false;
  const named = rows.slice(0, 2 ** slice.width).filter((row) => row.length === 1);
  return ports.every((port) => named.some((row) => row[0] === port));
}
