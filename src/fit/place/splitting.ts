/** Which tables may be split over stages: those that take much of one. Small ones stay whole. */
import type { Problem } from "./placement.js";

/** A table of less than this share of a stage's blocks is not worth splitting. */
const WORTH_SPLITTING = 0.25;

export function maySplit(problem: Problem, id: number): boolean {
  const plan = problem.plans[id]!;
  if (problem.model.units[id]!.algorithmic !== undefined) return false;
  if (plan.match === "none" || problem.demands[id]!.shared.length > 0) return false;
  const layout = plan.layout(problem.model.units[id]!.size);
  const { target } = problem;
  if (layout.tcamWidth > 0 && layout.tcams === layout.tcamWidth) return false;
  return (
    layout.srams >= WORTH_SPLITTING * target.sram.blocks ||
    layout.tcams >= WORTH_SPLITTING * target.tcam.blocks
  );
}
