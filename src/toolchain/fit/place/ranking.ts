/**
 * Which of several units that can be placed in a stage comes first: the compiler's comparison (p4c,
 * backends/tofino/bf-p4c/mau/table_placement.cpp, is_better, and dynamic_dep_metrics.cpp).
 */
import { defined } from "../../../base/index.js";
import { isNamed } from "../model/pragmas.js";
import { chainsOfFlow } from "./chains.js";
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

/** What one sorting asks for again and again: nothing is placed meanwhile. */
class Turn {
  /** By unit, once it was asked for. */
  readonly fits: (boolean | undefined)[] = [];
  readonly counts: (number | undefined)[] = [];
  readonly #isSplit: (boolean | undefined)[] = [];
  /** By sequence. */
  readonly longest: (number | undefined)[] = [];

  constructor(readonly progress: Progress) {}

  isSplit(id: number): boolean {
    this.#isSplit[id] ??= this.progress.isSplit(id);
    return this.#isSplit[id];
  }
}

export class Ranking {
  /** By unit: stages of the longest chain after it. */
  readonly #below: readonly number[];
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
  /** By unit: units that wait for it or for what it decides on. */
  readonly #totals: readonly number[];
  /** By unit: the sequences around those that it stands in. */
  readonly #outside: readonly (readonly number[])[];
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
    this.#below = chainsOfFlow(problem, sequences).below;
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
    this.#totals = this.#decided.map((all) =>
      all.reduce((sum, unit) => sum + defined(this.#waiting[unit]), 0),
    );
    this.#outside = sequences.of.map((own) => [
      ...new Set(own.flatMap(({ id }) => [...defined(sequences.around[id])])),
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
    const turn = new Turn(progress);
    return [...units].sort((a, b) => -this.#compare(a, b, turn));
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

  /** Above 0 where the first is better, below where the second is. */
  #compare(first: number, second: number, turn: Turn): number {
    const below = this.#below;
    let a = turn.progress.gatewayOf(first) ?? first;
    let b = turn.progress.gatewayOf(second) ?? second;
    if (a === b) [a, b] = [first, second];
    const asked = this.#asked(first, second, turn.progress.stage);
    if (asked !== 0) return asked;
    const more = this.#score(a, b, first, turn) - this.#score(b, a, second, turn);
    if (more !== 0) return more;
    const [frontierA, frontierB] = [defined(this.#frontier[a]), defined(this.#frontier[b])];
    if ((frontierA === 0) !== (frontierB === 0)) return frontierA === 0 ? 1 : -1;
    return (
      defined(below[a]) - defined(below[b]) ||
      Number(this.#fitsHere(a, turn)) - Number(this.#fitsHere(b, turn)) ||
      Number(turn.isSplit(second)) - Number(turn.isSplit(first)) ||
      (frontierA === 0 ? 0 : this.#countHere(a, turn) - this.#countHere(b, turn)) ||
      defined(this.#values[a]) - defined(this.#values[b]) ||
      this.#total(a) - this.#total(b) ||
      this.#total(a) / defined(this.#decided[a]).length - this.#total(b) / defined(this.#decided[b]).length ||
      Number(this.#closes(a, first)) - Number(this.#closes(b, second)) ||
      defined(this.#waiting[second]) - defined(this.#waiting[first]) ||
      first - second
    );
  }

  /** Stages that still have to follow, with what waits for the unit's sequence. */
  #score(id: number, other: number, placed: number, turn: Turn): number {
    return Math.max(this.#pressure(id, other, turn), (this.#split[placed] ?? 0) - 1);
  }

  /** What pragmas ask for, above 0 where the first comes first: a stage, a table that waits, a number. */
  #asked(first: number, second: number, stage: number): number {
    const [a, b] = [defined(this.problem.model.units[first]), defined(this.problem.model.units[second])];
    const [one, other] = [a.pragmas, b.pragmas];
    // Of two that ask for a stage, the smaller one; stages that are passed ask for nothing.
    return (
      Number(one.stages.includes(stage)) - Number(other.stages.includes(stage)) ||
      Number(isNamed(one.before, b.table)) - Number(isNamed(other.before, a.table)) ||
      one.priority - other.priority
    );
  }

  /** The unit and all that it decides on may join the stage. */
  #fitsHere(id: number, { fits, progress }: Turn): boolean {
    fits[id] ??=
      defined(this.#frontier[id]) === 0 &&
      defined(this.#decided[id]).every((unit) => !this.#isAfter(unit, progress.here));
    return fits[id];
  }

  /** Of the unit and what it decides on, how many may join the stage. */
  #countHere(id: number, { counts, progress }: Turn): number {
    const all = defined(this.#decided[id]);
    counts[id] ??= all.filter(
      (unit) => !this.#isAfter(unit, all) && !this.#isAfter(unit, progress.here),
    ).length;
    return counts[id];
  }

  #isAfter(unit: number, others: Iterable<number>): boolean {
    for (const other of others) if (other !== unit && defined(this.#later[other]).has(unit)) return true;
    return false;
  }

  /** Nothing that the unit decides on stays open when `placed` has its place. */
  #closes(id: number, placed: number): boolean {
    return defined(this.#decided[id]).length - 1 <= (id === placed ? 0 : 1);
  }

  #total(id: number): number {
    return defined(this.#totals[id]);
  }

  /** The sequences of a unit, and those around them. */
  #sequencesOf(id: number): ReadonlySet<number> {
    const { around, of } = this.sequences;
    this.#known[id] ??= new Set(defined(of[id]).flatMap((one) => [one.id, ...defined(around[one.id])]));
    return this.#known[id];
  }

  /** The longest chain of the unit, or of what waits for its sequence and not for the other's. */
  #pressure(id: number, other: number, turn: Turn): number {
    const shared = this.#sequencesOf(other);
    let most = defined(this.#below[id]);
    for (const outer of defined(this.#outside[id]))
      if (!shared.has(outer))
        most = Math.max(most, this.#longestIn(outer, turn) + defined(this.#frontier[id]));
    return most;
  }

  /** The longest chain of an open unit of a sequence; less than any where none is open. */
  #longestIn(sequence: number, { longest, progress }: Turn): number {
    longest[sequence] ??= defined(this.sequences.list[sequence]).units.reduce(
      (most, unit) => (progress.isOpen(unit) ? Math.max(most, defined(this.#below[unit])) : most),
      Number.NEGATIVE_INFINITY,
    );
    return longest[sequence];
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
