/**
 * Cycles that a packet spends in the stages: a stage that needs the match result of the one before waits for all of
 * it, one that needs its action less, one that needs nothing hardly (Jose et al., section 3.3; Tofino's match, action
 * and concurrent stages are the same idea).
 */
import { type Placement, type Problem, stageCount, stageRanges } from "./placement.js";

/** Undefined where the target's delays are not known. Egress padding and fixed parts are not counted. */
export function latencyCycles(problem: Problem, placement: Placement): number | undefined {
  const { match_cycles: match, action_cycles: action, successor_cycles: successor } = problem.target.latency;
  if (match === null || action === null || successor === null) return undefined;
  const stages = stageCount(placement);
  if (stages === 0) return 0;
  const { first, last } = stageRanges(placement, problem.model.units.length);
  const delay = new Array<number>(stages).fill(successor);
  for (const edge of problem.graph.edges) {
    const to = first[edge.to]!;
    if (edge.distance === 0 || to < 1 || last[edge.from] !== to - 1) continue;
    delay[to] = Math.max(delay[to]!, edge.kind === "match" ? match : action);
  }
  return delay.slice(1).reduce((sum, cycles) => sum + cycles, match);
}
