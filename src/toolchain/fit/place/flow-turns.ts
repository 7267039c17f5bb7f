/**
 * Turns of the control flow on a target without long branches: a table names the next one alone, so that what a unit decides on is done before
 * what follows the unit begins (p4c, mau/table_placement.cpp; sequences.ts). Of two units of one sequence, each with all units of its branches,
 * one is done in the stage in which the other begins, or before. Not so with units that share a memory with one elsewhere, which come with that; with
 * branches that several units lead to; and with tables that are split, whose parts others may stand between.
 */
import { defined } from "../../../base/index.js";
import { maySplit, type Problem } from "./placement.js";
import { findSequences, orderWithin } from "./sequences.js";

/** Two units of a sequence, each with the units of its branches. */
export interface Turn {
  readonly first: readonly number[];
  readonly second: readonly number[];
  /** What is in `second` waits for something in `first`; else each may come first. */
  readonly isOrdered: boolean;
}

/** The turns of all sequences; none where the target has long branches. Units that need nothing, and tables that may be split, are in none. */
export function turnsOf(problem: Problem): Turn[] {
  const { companions, demands, graph, model, target } = problem;
  if (target.flow.long_branches !== 0) return [];
  const sequences = findSequences(model);
  const before = orderWithin(problem, sequences);
  const isWhole = (id: number) => defined(demands[id]).logicalTables > 0 && !maySplit(problem, id);
  const membersOf = (unit: number): number[] => {
    const branches = defined(sequences.branches[unit]);
    const inside = branches.flatMap(({ id }) => [...defined(sequences.inside[id])]);
    return [...new Set([unit, ...inside])].sort((a, b) => a - b);
  };
  const joins = (ids: readonly number[]) =>
    ids.some((id) => defined(sequences.of[id]).some(({ parents }) => parents.length > 1));
  const turns: Turn[] = [];
  for (const { units } of sequences.list) {
    const spans = units
      .map((unit) => ({ unit, members: membersOf(unit).filter(isWhole) }))
      .filter(({ members }) => members.length > 0);
    for (const [i, one] of spans.entries())
      for (const other of spans.slice(i + 1)) {
        const first = one.members;
        const second = other.members;
        // Two units alone are in any order that their dependencies allow.
        if (first.length + second.length === 2 || first.some((id) => second.includes(id))) continue;
        if (!isClosed(first, companions) || !isClosed(second, companions)) continue;
        if (joins(first) || joins(second)) continue;
        const waits = second.some((id) =>
          defined(graph.incoming[id]).some(({ from }) => first.includes(from)),
        );
        turns.push({ first, second, isOrdered: waits || defined(before[other.unit]).has(one.unit) });
      }
  }
  return turns;
}

/** All that share a memory with one of these units are among them. */
function isClosed(ids: readonly number[], companions: Problem["companions"]): boolean {
  return ids.every((id) => defined(companions[id]).every((other) => ids.includes(other)));
}

/** The turns that stages of units do not keep. */
export function brokenTurns(
  turns: readonly Turn[],
  { first: begin, last: end }: { readonly first: readonly number[]; readonly last: readonly number[] },
): Turn[] {
  const endOf = (ids: readonly number[]) => Math.max(...ids.map((id) => defined(end[id])));
  const beginOf = (ids: readonly number[]) =>
    Math.min(...ids.map((id) => defined(begin[id])).filter((stage) => stage >= 0));
  return turns.filter(
    ({ first, second, isOrdered }) =>
      endOf(first) > beginOf(second) && (isOrdered || endOf(second) > beginOf(first)),
  );
}
