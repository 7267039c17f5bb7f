/** Lower bounds of the number of stages: no placement, however clever, has fewer. */

import type { Problem } from "./placement.js";
import { stageRangesNeeded } from "./sums.js";

export interface Bound {
  readonly name: string;
  readonly stages: number;
  /** What the bound says, with its numbers. */
  readonly detail: string;
}

/** Largest first. The longest chain of dependencies, and for each resource the sum over what a stage has. */
export function lowerBounds(problem: Problem): Bound[] {
  const { graph } = problem;
  const bounds: Bound[] = [
    {
      name: "critical path",
      stages: graph.criticalPath,
      detail: `${graph.criticalPath} tables in a row need each other's results`,
    },
    ...stageRangesNeeded(problem),
  ];
  return bounds.sort((a, b) => b.stages - a.stages || (a.name < b.name ? -1 : 1));
}
