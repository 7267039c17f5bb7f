/**
 * Offsets that are certain in a fabric whose groups differ in size, as missing links make them: for every value of the hashes the
 * shifted path shares nothing with the old path but what every path between the racks has to cross.
 *
 * The switches of a tier hash alike, so at two switches with n and m next hops the same value u chooses, modulo n at one and modulo m,
 * shifted, at the other: all pairs of next hops for u below the least common multiple of n and m are followed together, switch by
 * switch. Choices by different functions count as independent. So an offset that passes is certain; one that fails may still
 * be certain where functions depend on each other.
 */

import { rackRoutes } from "../../paths/index.js";
import { DisjointPaths, type Topology } from "../../topology/index.js";
import type { CompiledSwitch } from "./compile.js";

export interface CertainOffsets {
  /** Of the candidates: those that are certain for every pair of racks that has one among them. */
  readonly offsets: readonly number[];
  /** Ordered pairs of different racks, and how many of them each certain offset serves. */
  readonly pairs: number;
  readonly served: number;
}

/** One choice of a switch towards a rack. */
interface Choice {
  /** Ports by column. */
  readonly ports: readonly number[];
  /** What makes two switches choose by the same value. */
  readonly hash: string;
}

/** Pairs of switches that are followed for an offset and a rack at most; beyond, the offset counts as uncertain. */
const MOST_STATES = 20_000;

/**
 * @param hashOf names the hash function and seed of a switch in a direction
 * @param nics whether hosts with several NICs add the offset to their bond's hash
 */
export function certainOffsets(
  topology: Topology,
  switches: readonly CompiledSwitch[],
  candidates: readonly number[],
  hashOf: (node: number, direction: "up" | "down") => string,
): CertainOffsets {
  const { racks } = topology;
  const search = new OffsetSearch(topology, switches, hashOf);
  const pairs: boolean[][] = [];
  for (const { index: from } of racks)
    for (const { index: to } of racks)
      if (from !== to) pairs.push(candidates.map((offset) => search.isCertain(from, to, offset)));
  const servable = pairs.filter((own) => own.includes(true));
  const offsets = candidates.filter((_, i) => servable.every((own) => own[i]));
  return { offsets: servable.length === 0 ? [] : offsets, pairs: pairs.length, served: servable.length };
}

class OffsetSearch {
  readonly #of = new Map<number, { own: CompiledSwitch; hops: Int32Array }>();
  readonly #paths: DisjointPaths;
  /** By offset and rack: pairs of switches from which the two paths stay apart. */
  readonly #known = new Map<string, Map<string, boolean>>();

  constructor(
    readonly topology: Topology,
    switches: readonly CompiledSwitch[],
    readonly hashOf: (node: number, direction: "up" | "down") => string,
  ) {
    for (const own of switches) this.#of.set(own.node, { own, hops: rackRoutes(topology, own.routing) });
    this.#paths = new DisjointPaths(topology);
  }

  isCertain(from: number, to: number, offset: number): boolean {
    const { racks } = this.topology;
    const starts = racks[from]!.switches;
    const cuts = this.#cuts(from, to);
    const key = `${offset} ${to} ${[...cuts].sort().join(" ")}`;
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, (known = new Map()));
    return starts.every((start, i) =>
      this.#apart(start, starts[(i + offset) % starts.length]!, to, offset, cuts, known),
    );
  }

  /** Whether the paths from two switches meet nowhere but in `cuts`, for all values of the hashes. */
  #apart(
    one: number,
    other: number,
    rack: number,
    offset: number,
    cuts: ReadonlySet<number>,
    known: Map<string, boolean>,
  ): boolean {
    if (one === other && !cuts.has(one)) return false;
    const goals = this.topology.racks[rack]!.switches;
    const [atGoal, otherAtGoal] = [goals.includes(one), goals.includes(other)];
    if (atGoal && otherAtGoal) return true;
    const key = `${one} ${other}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size >= MOST_STATES) return false;
    known.set(key, true);
    const apart = this.#step(one, other, rack, offset, cuts, known);
    known.set(key, apart);
    return apart;
  }

  #step(
    one: number,
    other: number,
    rack: number,
    offset: number,
    cuts: ReadonlySet<number>,
    known: Map<string, boolean>,
  ): boolean {
    const left = this.#left(one, rack);
    const otherLeft = this.#left(other, rack);
    // The path that is farther from the rack goes first: a switch is at one distance from the rack on every path.
    if (left > otherLeft)
      return this.#choice(one, rack).ports.every((port) =>
        this.#apart(this.#peer(one, port), other, rack, offset, cuts, known),
      );
    if (otherLeft > left)
      return this.#choice(other, rack).ports.every((port) =>
        this.#apart(one, this.#peer(other, port), rack, offset, cuts, known),
      );
    const [a, b] = [this.#choice(one, rack), this.#choice(other, rack)];
    const [n, m] = [a.ports.length, b.ports.length];
    const next = (i: number, j: number) => {
      const [port, otherPort] = [a.ports[i]!, b.ports[j]!];
      const link = this.#link(one, port);
      if (link === this.#link(other, otherPort) && !cuts.has(~link)) return false;
      return this.#apart(this.#peer(one, port), this.#peer(other, otherPort), rack, offset, cuts, known);
    };
    if (a.hash !== b.hash && n > 1 && m > 1) {
      for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) if (!next(i, j)) return false;
      return true;
    }
    const period = (n * m) / divisor(n, m);
    for (let u = 0; u < period; u++) if (!next(u % n, (((u - offset) % m) + m) % m)) return false;
    return true;
  }

  /** Links from a switch to the rack. */
  #left(node: number, rack: number): number {
    let links = 0;
    for (let at = node; !this.topology.racks[rack]!.switches.includes(at); links++) {
      const [port] = this.#choice(at, rack).ports;
      if (port === undefined) return Number.POSITIVE_INFINITY;
      at = this.#peer(at, port);
    }
    return links;
  }

  #choice(node: number, rack: number): Choice {
    const { own, hops } = this.#of.get(node)!;
    const index = hops[rack]!;
    const set = index >= 0 ? own.routing.hopSets[index]! : undefined;
    const matrix = index >= 0 ? own.ofHops[index] : undefined;
    if (matrix === undefined) return { ports: set?.ports.slice(0, 1) ?? [], hash: "" };
    const ports = Array.from(matrix.matrix.base, (cell) => matrix.ports[cell]!);
    return { ports, hash: this.hashOf(node, matrix.direction) };
  }

  #peer(node: number, port: number): number {
    return this.topology.nodes[node]!.ports[port - 1]!.peer;
  }

  #link(node: number, port: number): number {
    return this.topology.nodes[node]!.ports[port - 1]!.link;
  }

  /** What every path between two racks has to cross: switches as their indexes, links as the complement of theirs. */
  #cuts(from: number, to: number): ReadonlySet<number> {
    const { racks, nodes } = this.topology;
    const [one, other] = this.#paths
      .between(racks[from]!.switches, racks[to]!.switches, 2)
      .map((path) => [
        ...path.nodes,
        ...path.ports.map((port, i) => ~nodes[path.nodes[i]!]!.ports[port - 1]!.link),
      ]);
    return new Set(other === undefined ? (one ?? []) : one!.filter((element) => other.includes(element)));
  }
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
