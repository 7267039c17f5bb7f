/**
 * The control flow as the Tofino compiler sees it: sequences of units, and for each unit the sequences of its branches. A branch
 * ends where all branches of the unit meet. (p4c, backends/tofino/bf-p4c/mau/table_placement.cpp: TableSeq, GroupPlace.)
 */
import { defined } from "../../../base/index.js";
import type { FitModel } from "../model/model.js";
import type { Problem } from "./placement.js";

export interface Sequence {
  readonly id: number;
  readonly units: readonly number[];
  /** Units one of whose branches this is; none for the sequence of a gress. */
  readonly parents: number[];
}

export interface Sequences {
  readonly list: readonly Sequence[];
  /** By unit: sequences of its branches, each once. */
  readonly branches: readonly (readonly Sequence[])[];
  /** By unit: the sequences that it stands in; several where branches of different units lead to it. */
  readonly of: readonly (readonly Sequence[])[];
  /** By sequence: the units in it and in all branches within it. */
  readonly inside: readonly ReadonlySet<number>[];
  /** By sequence: the sequences around it. */
  readonly around: readonly ReadonlySet<number>[];
}

/** Finds the sequences of all gresses. */
export function findSequences({ units, flow }: FitModel): Sequences {
  const list: Sequence[] = [];
  const known = new Map<string, Sequence>();
  const branches: Sequence[][] = units.map(() => []);
  const of: Sequence[][] = units.map(() => []);
  const work: Sequence[] = [];
  const sequence = (start: number, end: number | undefined, parent: number | undefined): void => {
    const key = `${start} ${end ?? ""}`;
    let found = known.get(key);
    if (found === undefined) {
      const members: number[] = [];
      for (let at: number | undefined = start; at !== undefined && at !== end; at = flow.joins(at))
        members.push(at);
      found = { id: list.length, units: members, parents: [] };
      known.set(key, found);
      list.push(found);
      work.push(found);
      for (const unit of members) defined(of[unit]).push(found);
    }
    if (parent === undefined || found.parents.includes(parent)) return;
    found.parents.push(parent);
    defined(branches[parent]).push(found);
  };
  const led = new Set(units.flatMap(({ id }) => flow.successors(id)));
  for (const { id } of units) if (!led.has(id)) sequence(id, undefined, undefined);
  const done = new Set<number>();
  for (let one = work.shift(); one !== undefined; one = work.shift())
    for (const unit of one.units) {
      if (done.has(unit)) continue;
      done.add(unit);
      const end = flow.joins(unit);
      for (const next of flow.successors(unit)) if (next !== end) sequence(next, end, unit);
    }
  return { list, branches, of, ...nesting(list, branches) };
}

function nesting(
  list: readonly Sequence[],
  branches: readonly (readonly Sequence[])[],
): Pick<Sequences, "inside" | "around"> {
  const inside: Set<number>[] = list.map(({ units }) => new Set(units));
  const around: Set<number>[] = list.map(() => new Set());
  for (const outer of list) {
    const seen = new Set<number>([outer.id]);
    const all = defined(inside[outer.id]);
    // The set grows while it is read.
    for (const unit of all)
      for (const inner of defined(branches[unit])) {
        if (seen.has(inner.id)) continue;
        seen.add(inner.id);
        defined(around[inner.id]).add(outer.id);
        for (const member of inner.units) all.add(member);
      }
  }
  return { inside, around };
}

/**
 * By unit: the condition that can be its gateway. The unit stands in a branch of the condition alone, and depends on nothing before it
 * in that branch, nor on what that decides on (table_placement.cpp, gateway_merge_choices).
 * @param before as `orderWithin` gives it
 */
export function gatewaysOf(
  { model, graph }: Pick<Problem, "model" | "graph">,
  { of }: Sequences,
  before: readonly ReadonlySet<number>[],
): (number | undefined)[] {
  return model.units.map((unit) => {
    const [only, another] = defined(of[unit.id]);
    const [parent, other] = only?.parents ?? [];
    if (unit.kind === "condition" || only === undefined || another !== undefined) return undefined;
    if (parent === undefined || other !== undefined || model.units[parent]?.kind !== "condition")
      return undefined;
    const earlier = new Set(only.units.slice(0, only.units.indexOf(unit.id)));
    const waits =
      defined(graph.incoming[unit.id]).some(({ from }) => earlier.has(from)) ||
      [...defined(before[unit.id])].some((first) => earlier.has(first));
    return waits ? undefined : parent;
  });
}

/**
 * By unit: units of the same sequence that come before it, because something in their branches comes before something in its own
 * (p4c, mau/table_injected_deps.cpp). Without this order a branch could wait for a unit that waits for the branch.
 */
export function orderWithin(
  { model, graph }: Pick<Problem, "model" | "graph">,
  { of }: Sequences,
): ReadonlySet<number>[] {
  // By unit: for each sequence around it, the unit of that sequence that it is, or that it stands in a branch of.
  const standsIn: Map<number, number>[] = [];
  for (const { id } of model.units) {
    const own = new Map<number, number>();
    standsIn.push(own);
    for (const sequence of defined(of[id])) {
      own.set(sequence.id, id);
      for (const parent of sequence.parents)
        for (const [outer, member] of standsIn[parent] ?? []) if (!own.has(outer)) own.set(outer, member);
    }
  }
  const before: Set<number>[] = model.units.map(() => new Set());
  for (const { from, to } of graph.edges)
    for (const [sequence, first] of defined(standsIn[from])) {
      const second = defined(standsIn[to]).get(sequence);
      if (second !== undefined && first < second) defined(before[second]).add(first);
    }
  return before;
}
