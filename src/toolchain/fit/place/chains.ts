/**
 * Chains of dependencies with the order of the flow: without long branches a unit leads to what it decides on, and all of that comes before a
 * later unit of its sequence if something there waits for something of it (p4c, mau/table_dependency_graph.cpp,
 * add_logical_deps_from_control_deps).
 */
import { defined } from "../../../base/index.js";
import type { Problem } from "./placement.js";
import { findSequences, orderWithin, type Sequences } from "./sequences.js";

/** By unit: its earliest stage, and the stages that the longest chain after it takes. */
export interface Chains {
  readonly earliest: readonly number[];
  readonly below: readonly number[];
}

/** The chains of a problem; with long branches they are those of the dependencies alone. */
export function chainsOfFlow(
  problem: Pick<Problem, "model" | "graph" | "target">,
  sequences: Sequences = findSequences(problem.model),
): Chains {
  const { graph, target } = problem;
  if (target.flow.long_branches !== 0) return graph;
  const { outgoing } = graph;
  const follow: number[][] = outgoing.map(() => []);
  for (const [later, first] of orderWithin(problem, sequences).entries())
    for (const one of first)
      for (const { id } of defined(sequences.branches[one]))
        for (const unit of defined(sequences.inside[id])) if (unit < later) defined(follow[unit]).push(later);
  const earliest = outgoing.map(() => 0);
  for (const [id, list] of outgoing.entries()) {
    for (const { to, distance } of list)
      earliest[to] = Math.max(defined(earliest[to]), defined(earliest[id]) + distance);
    for (const to of defined(follow[id]))
      earliest[to] = Math.max(defined(earliest[to]), defined(earliest[id]));
  }
  const below = outgoing.map(() => 0);
  for (let id = below.length - 1; id >= 0; id--) {
    for (const { to, distance } of defined(outgoing[id]))
      below[id] = Math.max(defined(below[id]), defined(below[to]) + distance);
    for (const to of defined(follow[id])) below[id] = Math.max(defined(below[id]), defined(below[to]));
  }
  return { earliest, below };
}
