/** Changes that concern the units of a reason, each tried on the whole program. */
import { defined } from "../../../base/index.js";
import { replacing, trialsOf } from "../explain.js";
import type { FitResult } from "../fit.js";
import { labelOf } from "../model/model.js";
import { largestSize } from "../place/largest-size.js";
import { type Problem, stageCount } from "../place/placement.js";
import { placeByStages } from "../place/tofino.js";
import { subproblem } from "./subproblem.js";

export interface Remedy {
  /** What is changed. */
  readonly text: string;
  /** Verdict and stages after it. */
  readonly outcome: string;
  readonly fits: boolean;
  readonly stages: number;
}

/** Work of all trials, the square of the number of units each: large programs get fewer. */
const MAX_WORK = 250_000;
/** Units that are left out, or made smaller, in turn. */
const MAX_UNITS = 8;
/** Changes of the explanation that are tried. */
const MAX_TRIALS = 12;
const SHOWN_REMEDIES = 6;
/** Sizes are found to one part in this many of the table's size. */
const PRECISION = 32;

/** Tries what concerns these units; what makes the program fit comes first, what helps in nothing is left out. */
export function remediesFor(result: FitResult, units: ReadonlySet<number>): Remedy[] {
  const { problem } = result;
  if (units.size === 0) return [];
  const blocks = (id: number) => {
    const { srams, tcams } = defined(problem.plans[id]).layout(defined(problem.model.units[id]).size);
    return srams / problem.target.sram.blocks + tcams / problem.target.tcam.blocks;
  };
  const inOrder = [...units].sort((a, b) => blocks(b) - blocks(a) || a - b).slice(0, MAX_UNITS);
  const most = Math.max(3, Math.floor(MAX_WORK / problem.model.units.length ** 2));
  const remedies: Remedy[] = [
    ...trialsOf(problem)
      .filter((trial) => trial.kind !== "size" && trial.units.some((id) => units.has(id)))
      .slice(0, Math.min(MAX_TRIALS, Math.floor(most / 3)))
      .map(({ message, changed }) => ({ text: message, ...outcomeOf(changed) })),
    // Halving takes about six placements a table.
    ...inOrder.slice(0, Math.ceil(most / 18)).flatMap((id) => smaller(problem, id)),
    ...inOrder.slice(0, Math.floor(most / 3)).map((id) => {
      const rest = problem.model.units.filter((unit) => unit.id !== id).map((unit) => unit.id);
      const text = `without ${labelOf(defined(problem.model.units[id]))}`;
      return { text, ...outcomeOf(subproblem(problem, new Set(rest))) };
    }),
  ];
  return remedies
    .filter(({ fits, stages }) => fits || stages < result.stages)
    .sort((a, b) => Number(b.fits) - Number(a.fits) || a.stages - b.stages)
    .slice(0, SHOWN_REMEDIES);
}

function outcomeOf(problem: Problem): Omit<Remedy, "text"> {
  const { parts, unplaced } = placeByStages(problem);
  const stages = stageCount(parts);
  const fits = unplaced.length === 0 && stages <= problem.target.stages;
  const left = unplaced.length === 0 ? "" : `, ${unplaced.length} not placed`;
  return { stages, fits, outcome: fits ? `fits in ${stages} stages` : `${stages} stages${left}` };
}

/** The largest size of a table, by halving the interval, with which all is placed; nothing where no size helps. */
function smaller(problem: Problem, id: number): Remedy[] {
  const unit = defined(problem.model.units[id]);
  if (unit.kind !== "match" || unit.size <= 1) return [];
  const withSize = (size: number) => outcomeOf(replacing(problem, id, { ...unit, size }));
  let best = withSize(1);
  if (!best.fits) return [];
  const fits = (size: number) => {
    const here = withSize(size);
    if (here.fits) best = here;
    return here.fits;
  };
  const size = largestSize(1, unit.size, fits, PRECISION, unit.size);
  return [{ text: `${unit.label} with ${size} entries instead of ${unit.size}`, ...best }];
}
