/**
 * Finds offsets that are certain in a fabric whose groups differ in size, as with missing links: for every value of the hashes the
 * shifted path shares no switch and no link with the old path, except the only ToR of a rack.
 *
 * The switches of a tier hash in the same way, so at two switches with n and m next hops one value u determines both choices: slot u modulo n,
 * and slot u minus the offset modulo m. All pairs of next hops for u below the least common multiple are followed together, switch by switch.
 * Choices by different functions count as independent. So an offset that passes is certain; one that fails might still be
 * certain if functions depend on each other.
 */
import { rackRoutes } from "../../paths/index.js";
import { type HopSet, nodeAt, type Role, rackAt, type Topology } from "../../topology/index.js";
import type { CompiledSwitch } from "./compile.js";

export interface CertainOffsets {
  /** Those candidates that are certain for every pair of racks that has a certain one; empty if there are none. */
  readonly offsets: readonly number[];
  /** Ordered pairs of different racks. */
  readonly pairs: number;
  /** Those for which {@link offsets} are certain. */
  readonly served: readonly (readonly [from: number, to: number])[];
}

/** One choice of a switch towards a rack. */
interface Choice {
  readonly ports: readonly number[];
  /** Two switches choose by the same value if these are equal. */
  readonly hash: string;
}

/** Maximum number of pairs of switches that are followed, for all offsets and racks together. */
const MOST_STATES = 1_000_000;

/** Undefined where the fabric is too large to follow all pairs of paths. All switches of a role must hash in the same way in a direction. */
export function certainOffsets(
  topology: Topology,
  switches: readonly CompiledSwitch[],
  candidates: readonly number[],
): CertainOffsets | undefined {
  const search = new OffsetSearch(topology, switches);
  const { racks } = topology;
  let kept = candidates;
  let pairs = 0;
  const served: [number, number][] = [];
  for (const { index: to } of racks)
    for (const { index: from } of racks) {
      if (from === to) continue;
      pairs++;
      const own = candidates.filter((offset) => search.isCertain(from, to, offset));
      if (search.isExhausted) return undefined;
      if (own.length === 0) continue;
      served.push([from, to]);
      kept = kept.filter((offset) => own.includes(offset));
    }
  return kept.length === 0 ? { offsets: [], pairs, served: [] } : { offsets: kept, pairs, served };
}

class OffsetSearch {
  readonly #of = new Map<number, { own: CompiledSwitch; hops: Int32Array }>();
  /** By offset and rack: pairs of switches, and whether the two paths from there stay apart. */
  readonly #known = new Map<string, Map<number, boolean>>();
  readonly #choices = new Map<number, Choice>();
  #states = 0;

  constructor(
    readonly topology: Topology,
    switches: readonly CompiledSwitch[],
  ) {
    for (const own of switches) this.#of.set(own.node, { own, hops: rackRoutes(topology, own.routing) });
  }

  get isExhausted(): boolean {
    return this.#states > MOST_STATES;
  }

  isCertain(from: number, to: number, offset: number): boolean {
    const starts = rackAt(this.topology, from).switches;
    const key = `${offset} ${to}`;
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, (known = new Map()));
    // A bond adds the offset to its hash, so the first NICs of the two paths differ by the offset.
    return starts.every((start, i) => {
      const other = starts[(i + offset) % starts.length]!;
      if (start === other) return starts.length === 1 && this.#steps(start, start, to, offset, known);
      return this.#apart(start, other, to, offset, known);
    });
  }

  /** Whether the paths from two switches never meet, for all values of the hashes. */
  #apart(one: number, other: number, rack: number, offset: number, known: Map<number, boolean>): boolean {
    const goals = rackAt(this.topology, rack).switches;
    if (one === other) return goals.length === 1 && goals[0] === one;
    if (goals.includes(one) && goals.includes(other)) return true;
    const key = one * this.topology.nodes.length + other;
    let apart = known.get(key);
    if (apart === undefined) {
      if (++this.#states > MOST_STATES) return false;
      apart = this.#steps(one, other, rack, offset, known);
      known.set(key, apart);
    }
    return apart;
  }

  #steps(one: number, other: number, rack: number, offset: number, known: Map<number, boolean>): boolean {
    const [a, b] = [this.#choice(one, rack), this.#choice(other, rack)];
    const [left, otherLeft] = [this.#left(one, rack), this.#left(other, rack)];
    // A switch has the same distance from the rack on every path, so the path that is farther from it advances first.
    if (left > otherLeft)
      return a.ports.every((port) => this.#apart(this.#peer(one, port), other, rack, offset, known));
    if (otherLeft > left)
      return b.ports.every((port) => this.#apart(one, this.#peer(other, port), rack, offset, known));
    const [n, m] = [a.ports.length, b.ports.length];
    if (n === 0 || m === 0) return false;
    const next = (i: number, j: number) => {
      const [port, otherPort] = [a.ports[i]!, b.ports[j]!];
      if (one === other && port === otherPort) return false;
      return this.#apart(this.#peer(one, port), this.#peer(other, otherPort), rack, offset, known);
    };
    if (a.hash !== b.hash && n > 1 && m > 1)
      return a.ports.every((_, i) => b.ports.every((_, j) => next(i, j)));
    const period = (n * m) / divisor(n, m);
    for (let u = 0; u < period; u++) if (!next(u % n, (u + m - (offset % m)) % m)) return false;
    return true;
  }

  /** Number of links from a switch to the rack; Infinity where there is no path. */
  #left(node: number, rack: number): number {
    let links = 0;
    for (let at = node; !rackAt(this.topology, rack).switches.includes(at); links++) {
      const [port] = this.#choice(at, rack).ports;
      if (port === undefined) return Number.POSITIVE_INFINITY;
      at = this.#peer(at, port);
    }
    return links;
  }

  #choice(node: number, rack: number): Choice {
    const key = node * this.topology.racks.length + rack;
    let choice = this.#choices.get(key);
    if (choice === undefined) {
      const { own, hops } = this.#of.get(node)!;
      const index = hops[rack]!;
      const matrix = index >= 0 ? own.ofHops[index] : undefined;
      choice =
        matrix === undefined
          ? { ports: index >= 0 ? own.routing.hopSets[index]!.ports.slice(0, 1) : [], hash: "" }
          : {
              ports: Array.from(matrix.matrix.base, (cell) => matrix.ports[cell]!),
              hash: `${nodeAt(this.topology, node).role} ${matrix.direction}`,
            };
      this.#choices.set(key, choice);
    }
    return choice;
  }

  #peer(node: number, port: number): number {
    return nodeAt(this.topology, node).ports[port - 1]!.peer;
  }
}

/** Whether all switches of a role choose from equally many next hops in a direction: there the offsets of appendix C are certain. */
export function isEven(topology: Topology, switches: readonly CompiledSwitch[]): boolean {
  const sizes = new Map<Role, Map<HopSet["direction"], number>>();
  /** By role: the list of the last switch. Equivalent switches share one list. */
  const seen = new Map<Role, readonly HopSet[]>();
  for (const { node, routing } of switches) {
    const { role } = nodeAt(topology, node);
    if (seen.get(role) === routing.hopSets) continue;
    seen.set(role, routing.hopSets);
    let own = sizes.get(role);
    if (own === undefined) sizes.set(role, (own = new Map()));
    for (const { direction, ports } of routing.hopSets) {
      if (direction === "local" || ports.length === 0) continue;
      const known = own.get(direction);
      if (known === undefined) own.set(direction, ports.length);
      else if (known !== ports.length) return false;
    }
  }
  return true;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
