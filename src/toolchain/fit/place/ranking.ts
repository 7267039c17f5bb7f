/**
 * Which of several units that can be placed in a stage comes first: the compiler's comparison (p4c,
 * backends/tofino/bf-p4c/mau/table_placement.cpp, is_better, and dynamic_dep_metrics.cpp).
 */
import { defined } from "../../../base/index.js";
import { isNamed } from "../model/pragmas.js";
import type { Part, Problem } from "./placement.js";
import type { Sequences } from "./sequences.js";

/** What is placed so far. */
export interface Progress {
  /** The condition that would be placed with the unit. */
  readonly gatewayOf: (id: number) => number | undefined;
  readonly isOpen: (id: number) => boolean;
  /** The stage that is being filled. */
  readonly stage: number;
  /** Units in the stage that is being filled. */
  readonly here: ReadonlySet<number>;
  /** The stage has room for a part of the unit alone. */
  readonly isSplit: (id: number) => boolean;
}

export class Ranking {
  /** By unit: stages of the longest chain among the units that it decides on. */
  readonly #frontier: readonly number[];
  /** By unit: how many units need a value of it, directly or not. */
  readonly #waiting: readonly number[];
  /** By unit: units that need a later stage, because of a value or because they follow one that does. */
  readonly #later: readonly ReadonlySet<number>[];
  /** By unit: stages of the longest chain of values alone. */
  readonly #values: readonly number[];
  /** By unit: itself and what it decides on. */
  readonly #decided: readonly (readonly number[])[];
  /** By unit: stages of the longest chain after it, where tables take as many as the placement before gave them. */
  readonly #split: readonly number[];
  /** By unit, once it was asked for: its sequences and those around them. */
  readonly #known: (ReadonlySet<number> | undefined)[] = [];

  constructor(
    private readonly problem: Problem,
    private readonly sequences: Sequences,
    previous?: readonly Part[],
  ) {
    const { units } = problem.model;
    this.#split = previous === undefined ? [] : chainsOfParts(problem, previous);
    this.#frontier = units.map(({ id }) => this.#chainWithin(id));
    const after: Set<number>[] = units.map(() => new Set());
    for (let id = units.length - 1; id >= 0; id--)
      for (const { to, distance } of defined(problem.graph.outgoing[id])) {
        if (distance === 0) continue;
        defined(after[id]).add(to);
        for (const later of defined(after[to])) defined(after[id]).add(later);
      }
    this.#waiting = after.map(({ size }) => size);
    this.#later = this.#laterThan(after);
    const values = units.map(() => 0);
    for (let id = units.length - 1; id >= 0; id--)
      for (const { to, distance } of defined(problem.graph.outgoing[id]))
        if (distance > 0) values[id] = Math.max(defined(values[id]), defined(values[to]) + 1);
    this.#values = values;
    this.#decided = units.map(({ id }) => [
      ...new Set([
        id,
        ...defined(sequences.branches[id]).flatMap((branch) => [...defined(sequences.inside[branch.id])]),
      ]),
    ]);
  }

  /** What follows, in any order of the flow, a unit that needs a value. */
  #laterThan(after: readonly ReadonlySet<number>[]): ReadonlySet<number>[] {
    const { outgoing } = this.problem.graph;
    const follow: Set<number>[] = after.map(() => new Set());
    for (let id = after.length - 1; id >= 0; id--)
      for (const { to } of defined(outgoing[id])) {
        defined(follow[id]).add(to);
        for (const next of defined(follow[to])) defined(follow[id]).add(next);
      }
    return after.map((direct) => {
      const all = new Set(direct);
      for (const id of direct) for (const next of defined(follow[id])) all.add(next);
      return all;
    });
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
    const { graph } = this.problem;
    let a = progress.gatewayOf(first) ?? first;
    let b = progress.gatewayOf(second) ?? second;
    if (a === b) [a, b] = [first, second];
    const asked = this.#asked(first, second, progress);
    if (asked !== 0) return asked > 0;
    const tail = (id: number) => defined(graph.below[id]);
    const frontier = (id: number) => defined(this.#frontier[id]);
    const score = (id: number, other: number, placed: number) =>
      Math.max(this.#pressure(id, other, progress), (this.#split[placed] ?? 0) - 1);
    const more = score(a, b, first) - score(b, a, second);
    if (more !== 0) return more > 0;
    if ((frontier(a) === 0) !== (frontier(b) === 0)) return frontier(a) === 0;
    if (tail(a) !== tail(b)) return tail(a) > tail(b);
    const rest = [
      Number(this.#fitsHere(a, progress)) - Number(this.#fitsHere(b, progress)),
      Number(progress.isSplit(second)) - Number(progress.isSplit(first)),
      frontier(a) === 0 ? 0 : this.#countHere(a, progress) - this.#countHere(b, progress),
      defined(this.#values[a]) - defined(this.#values[b]),
      this.#total(a) - this.#total(b),
      this.#total(a) / defined(this.#decided[a]).length - this.#total(b) / defined(this.#decided[b]).length,
      Number(this.#closes(a, first)) - Number(this.#closes(b, second)),
      defined(this.#waiting[second]) - defined(this.#waiting[first]),
    ];
    const difference = rest.find((one) => one !== 0);
    return difference === undefined ? first > second : difference > 0;
  }

  /** What pragmas ask for, above 0 where the first comes first: a stage, a table that waits, a number. */
  #asked(first: number, second: number, { stage }: Progress): number {
    const [a, b] = [defined(this.problem.model.units[first]), defined(this.problem.model.units[second])];
    // Of two that ask for a stage, the smaller one; stages that are passed ask for nothing.
    const asks = ({ pragmas }: typeof a) => Number(pragmas.stages.includes(stage));
    if (asks(a) !== asks(b)) return asks(a) - asks(b);
    const isBefore = (one: typeof a, other: typeof a) => isNamed(one.pragmas.before, other.table);
    return Number(isBefore(a, b)) - Number(isBefore(b, a)) || a.pragmas.priority - b.pragmas.priority;
  }

  /** The unit and all that it decides on may join the stage. */
  #fitsHere(id: number, { here }: Progress): boolean {
    if (defined(this.#frontier[id]) > 0) return false;
    return defined(this.#decided[id]).every((unit) => !this.#isAfter(unit, here));
  }

  /** Of the unit and what it decides on, how many may join the stage. */
  #countHere(id: number, { here }: Progress): number {
    const all = defined(this.#decided[id]);
    return all.filter((unit) => !this.#isAfter(unit, all) && !this.#isAfter(unit, here)).length;
  }

  #isAfter(unit: number, others: Iterable<number>): boolean {
    for (const other of others) if (other !== unit && defined(this.#later[other]).has(unit)) return true;
    return false;
  }

  /** Nothing that the unit decides on stays open when `placed` has its place. */
  #closes(id: number, placed: number): boolean {
    return defined(this.#decided[id]).length - 1 <= (id === placed ? 0 : 1);
  }

  /** Units that wait for the unit or for what it decides on. */
  #total(id: number): number {
    return defined(this.#decided[id]).reduce((sum, unit) => sum + defined(this.#waiting[unit]), 0);
  }

  /** The sequences of a unit, and those around them. */
  #sequencesOf(id: number): ReadonlySet<number> {
    const { around, of } = this.sequences;
    this.#known[id] ??= new Set(defined(of[id]).flatMap((one) => [one.id, ...defined(around[one.id])]));
    return this.#known[id];
  }

  /** The longest chain of the unit, or of what waits for its sequence and not for the other's. */
  #pressure(id: number, other: number, { isOpen }: Progress): number {
    const { around, list, of } = this.sequences;
    const shared = this.#sequencesOf(other);
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

/**
 * By unit: the stages of the longest chain after it, in which each table takes as many stages as it has parts (p4c,
 * mau/table_dependency_graph.cpp, fill_dep_stages_from_topo with a summary).
 */
function chainsOfParts({ model, graph }: Problem, parts: readonly Part[]): number[] {
  const stages = model.units.map(() => new Set<number>());
  for (const { unit, stage } of parts) defined(stages[unit.id]).add(stage);
  const below = model.units.map(() => 0);
  for (let id = below.length - 1; id >= 0; id--)
    for (const { to, distance } of defined(graph.outgoing[id])) {
      const taken = distance === 0 ? 0 : Math.max(1, defined(stages[to]).size);
      below[id] = Math.max(defined(below[id]), defined(below[to]) + taken);
    }
  return below;
}
