/**
 * Cycles that a packet spends in the stages. The delay of a stage depends on what it needs of the stage before: the match
 * result (longest), the action result, or nothing (shortest). Jose et al., section 3.3; Tofino's match, action and
 * concurrent stages are the same idea.
 */
import { defined } from "../../../base/index.js";
import { type Placement, type Problem, stageCount, stageRanges } from "./placement.js";

/** Cycles of all stages; undefined when the target does not state its delays. Fixed parts are not counted. */
export function latencyCycles(problem: Problem, placement: Placement): number | undefined {
  const { match_cycles: match, action_cycles: action, successor_cycles: successor } = problem.target.latency;
  if (match === null || action === null || successor === null) return undefined;
  const stages = stageCount(placement.parts);
  if (stages === 0) return 0;
  const { first, last } = stageRanges(placement, problem.model.units.length);
  const delay = new Array<number>(stages).fill(successor);
  for (const edge of problem.graph.edges) {
    const to = defined(first[edge.to]);
    if (edge.distance === 0 || to < 1 || last[edge.from] !== to - 1) continue;
    delay[to] = Math.max(defined(delay[to]), edge.kind === "match" ? match : action);
  }
  return delay.slice(1).reduce((sum, cycles) => sum + cycles, match);
}
