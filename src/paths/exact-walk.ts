/**
 * Routes that a selector names hop by hop: every choice on the way has rows with one port each, and the selector picks one of
 * them. So a probe takes the route that its sender wants, whatever the hash functions are.
 */
import type { Topology } from "../topology/index.js";
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

/** Picks one of the links that lead on; their directed numbers. */
export type PickLink = (links: readonly number[]) => number;

interface Option {
  readonly port: number;
  readonly link: number;
  /** The selector with this hop's value, and the bits of it that hops have used. */
  readonly selector: number;
  readonly used: number;
}

export class ExactWalker {
  readonly #switches: ReadonlyMap<number, SwitchModel>;

  constructor(
    readonly topology: Topology,
    model: PathModel,
  ) {
    this.#switches = new Map(model.switches.map((own) => [own.node, own]));
  }

  /** Whether selectors name the next hop wherever there are several. */
  get isExact(): boolean {
    return [...this.#switches.values()].every(({ choices }) => choices.every(namesEachPort));
  }

  /** A route by the picks of `pick`; undefined where two hops would need different values of the same bits. */
  walk(source: number, destination: number, nic: number, pick: PickLink): NamedRoute | undefined {
    let route: NamedRoute | undefined;
    this.#visit(
      source,
      destination,
      nic,
      (options) => [options[pick(options.map(({ link }) => link))]!],
      (found) => {
        route = found;
      },
    );
    return route;
  }

  /** All routes between two hosts by all NICs of the first one. */
  all(source: number, destination: number): NamedRoute[] {
    const routes: NamedRoute[] = [];
    for (const nic of this.topology.nodes[source]!.ports.keys())
      this.#visit(
        source,
        destination,
        nic,
        (options) => options,
        (route) => routes.push(route),
      );
    return routes;
  }

  #visit(
    source: number,
    destination: number,
    nic: number,
    choose: (options: readonly Option[]) => readonly Option[],
    found: (route: NamedRoute) => void,
  ): void {
    const { nodes } = this.topology;
    const rack = nodes[destination]!.host!.rack;
    const step = (at: Option, node: number, links: readonly number[], switches: readonly number[]): void => {
      const { peer } = nodes[node]!.ports[at.port - 1]!;
      const crossed = [...links, at.link];
      if (peer === destination) {
        found({ source, destination, nic, selector: at.selector, links: crossed, switches });
        return;
      }
      const own = this.#switches.get(peer);
      if (own === undefined || crossed.length === MAX_LINKS) return;
      const next = own.next[rack]!;
      const options =
        next === LOCAL
          ? this.#toHost(peer, destination, at)
          : next < 0
            ? []
            : this.#options(peer, own.choices[next]!, at);
      if (options.length === 0) return;
      for (const option of choose(options)) step(option, peer, crossed, [...switches, peer]);
    };
    const port = nic + 1;
    step({ port, link: directedLink(this.topology, source, port), selector: 0, used: 0 }, source, [], []);
  }

  #toHost(node: number, host: number, { selector, used }: Option): Option[] {
    const port = this.topology.nodes[node]!.ports.find(({ peer }) => peer === host)?.number;
    return port === undefined
      ? []
      : [{ port, link: directedLink(this.topology, node, port), selector, used }];
  }

  #options(node: number, choice: PortChoice, before: Option): Option[] {
    const { rows, slice } = choice;
    const option = (port: number, selector: number, used: number): Option => ({
      port,
      link: directedLink(this.topology, node, port),
      selector,
      used,
    });
    const [first] = rows;
    if (rows.length === 1 && first!.length === 1) return [option(first![0]!, before.selector, before.used)];
    if (slice === undefined) return [];
    const mask = 2 ** slice.low * (2 ** slice.width - 1);
    const found = new Map<number, Option>();
    for (const [row, ports] of rows.entries()) {
      if (ports.length !== 1 || row >= 2 ** slice.width || found.has(ports[0]!)) continue;
      const value = row * 2 ** slice.low;
      const isFree = (before.used & mask) === 0;
      if (!isFree && (before.selector & mask) >>> 0 !== value) continue;
      const selector = isFree ? before.selector + value : before.selector;
      found.set(ports[0]!, option(ports[0]!, selector, (before.used | mask) >>> 0));
    }
    return [...found.values()];
  }
}

function namesEachPort({ rows, slice }: PortChoice): boolean {
  const ports = new Set(Array.from(rows[0]!));
  if (ports.size === 1) return true;
  if (slice === undefined) return false;
  const named = new Set(
    rows.slice(0, 2 ** slice.width).flatMap((row) => (row.length === 1 ? [row[0]!] : [])),
  );
  return [...ports].every((port) => named.has(port));
}
