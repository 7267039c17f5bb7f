/**
 * Which of several units that can be placed in a stage comes first: the compiler's comparison (p4c,
 * backends/tofino/bf-p4c/mau/table_placement.cpp, is_better, and dynamic_dep_metrics.cpp).
 */
import { defined } from "../../../base/index.js";
import type { Problem } from "./placement.js";
import type { Sequences } from "./sequences.js";

/** What is placed so far. */
export interface Progress {
  /** The condition that would be placed with the unit. */
  readonly gatewayOf: (id: number) => number | undefined;
  readonly isOpen: (id: number) => boolean;
}

export class Ranking {
  /** By unit: stages of the longest chain among the units that it decides on. */
  readonly #frontier: readonly number[];
  /** By unit: how many units need a value of it, directly or not. */
  readonly #waiting: readonly number[];

  constructor(
    private readonly problem: Problem,
    private readonly sequences: Sequences,
  ) {
    const { units } = problem.model;
    this.#frontier = units.map(({ id }) => this.#chainWithin(id));
    const after: Set<number>[] = units.map(() => new Set());
    for (let id = units.length - 1; id >= 0; id--)
      for (const { to, distance } of defined(problem.graph.outgoing[id])) {
        if (distance === 0) continue;
        defined(after[id]).add(to);
        for (const later of defined(after[to])) defined(after[id]).add(later);
      }
    this.#waiting = after.map(({ size }) => size);
  }

  /** The units, the best first. */
  sorted(units: readonly number[], progress: Progress): number[] {
    return [...units].sort((a, b) =>
      this.#isBetter(b, a, progress) ? 1 : this.#isBetter(a, b, progress) ? -1 : 0,
    );
  }

  /** Stages of the longest chain that begins with the unit, among the units of its branches. */
  #chainWithin(id: number): number {
    const inner = new Set([id]);
    for (const { id: branch, parents } of defined(this.sequences.branches[id]))
      if (parents.length === 1) for (const unit of defined(this.sequences.inside[branch])) inner.add(unit);
    if (inner.size === 1) return 0;
    const below = new Map<number, number>();
    for (const unit of [...inner].sort((a, b) => b - a)) {
      let most = 0;
      for (const { to, distance } of defined(this.problem.graph.outgoing[unit]))
        if (inner.has(to)) most = Math.max(most, (below.get(to) ?? 0) + distance);
      below.set(unit, most);
    }
    return below.get(id) ?? 0;
  }

  #isBetter(first: number, second: number, progress: Progress): boolean {
    const { graph, target } = this.problem;
    let a = progress.gatewayOf(first) ?? first;
    let b = progress.gatewayOf(second) ?? second;
    if (a === b) [a, b] = [first, second];
    const tail = (id: number) => defined(graph.below[id]);
    const frontier = (id: number) => defined(this.#frontier[id]);
    const waits = target.flow.long_branches === 0;
    const score = waits ? this.#pressure(a, b, progress) - this.#pressure(b, a, progress) : tail(a) - tail(b);
    if (score !== 0) return score > 0;
    if ((frontier(a) === 0) !== (frontier(b) === 0)) return frontier(a) === 0;
    if (tail(a) !== tail(b)) return tail(a) > tail(b);
    const counts = [this.#total(a) - this.#total(b), defined(this.#waiting[a]) - defined(this.#waiting[b])];
    for (const [i, difference] of counts.entries())
      if (difference !== 0) return i === 0 ? difference > 0 : difference < 0;
    return first > second;
  }

  /** Units that wait for the unit or for what it decides on. */
  #total(id: number): number {
    let sum = defined(this.#waiting[id]);
    for (const { id: branch } of defined(this.sequences.branches[id]))
      for (const unit of defined(this.sequences.inside[branch])) sum += defined(this.#waiting[unit]);
    return sum;
  }

  /** The longest chain of the unit, or of what waits for its sequence and not for the other's. */
  #pressure(id: number, other: number, { isOpen }: Progress): number {
    const { around, list, of } = this.sequences;
    const shared = new Set(defined(of[other]).flatMap((one) => [one.id, ...defined(around[one.id])]));
    let most = defined(this.problem.graph.below[id]);
    for (const { id: own } of defined(of[id]))
      for (const outer of defined(around[own])) {
        if (shared.has(outer)) continue;
        for (const unit of defined(list[outer]).units)
          if (isOpen(unit))
            most = Math.max(most, defined(this.problem.graph.below[unit]) + defined(this.#frontier[id]));
      }
    return most;
  }
}
