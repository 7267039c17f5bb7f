/** Changes that concern the units of a reason, each tried on the whole program. */
import { defined } from "../../../base/index.js";
import { replacing, trialsOf } from "../explain.js";
import type { FitResult } from "../fit.js";
import { labelOf } from "../model/model.js";
import { largestSize } from "../place/largest-size.js";
import { type Problem, stageCount } from "../place/placement.js";
import { placeWithin } from "../place/tofino.js";
import { Work } from "../place/work.js";
import { subproblem } from "./subproblem.js";

export interface Remedy {
  /** What is changed. */
  readonly text: string;
  /** Verdict and stages after it. */
  readonly outcome: string;
  readonly fits: boolean;
  readonly stages: number;
}

/** Units that are left out, or made smaller, in turn. */
const MAX_UNITS = 8;
/** Changes of the explanation that are tried. */
const MAX_TRIALS = 12;
const SHOWN_REMEDIES = 6;
/** Sizes are found to one part in this many of the table's size. */
const PRECISION = 32;

/**
 * Tries what concerns these units; what makes the program fit comes first, what helps in nothing is left out.
 * @param work of all trials: each of the three kinds has a third of what is left when its turn comes, so that none has all of it
 */
export function remediesFor(result: FitResult, units: ReadonlySet<number>, work: Work): Remedy[] {
  const { problem } = result;
  if (units.size === 0) return [];
  const blocks = (id: number) => {
    const { srams, tcams } = defined(problem.plans[id]).layout(defined(problem.model.units[id]).size);
    return srams / problem.target.sram.blocks + tcams / problem.target.tcam.blocks;
  };
  const inOrder = [...units].sort((a, b) => blocks(b) - blocks(a) || a - b).slice(0, MAX_UNITS);
  const changes = trialsOf(problem)
    .filter((trial) => trial.kind !== "size" && trial.units.some((id) => units.has(id)))
    .slice(0, MAX_TRIALS);
  const kinds: readonly ((own: Work) => Remedy[])[] = [
    (own) => changes.flatMap(({ message, changed }) => tried(message, changed, own)),
    (own) => inOrder.flatMap((id) => smaller(problem, id, own)),
    (own) =>
      inOrder.flatMap((id) => {
        const rest = problem.model.units.filter((unit) => unit.id !== id).map((unit) => unit.id);
        const text = `without ${labelOf(defined(problem.model.units[id]))}`;
        return tried(text, subproblem(problem, new Set(rest)), own);
      }),
  ];
  const remedies = kinds.flatMap((kind, i) => {
    const own = new Work((work.limit - work.spent) / (kinds.length - i));
    const found = kind(own);
    work.spend(own.spent);
    return found;
  });
  return remedies
    .filter(({ fits, stages }) => fits || stages < result.stages)
    .sort((a, b) => Number(b.fits) - Number(a.fits) || a.stages - b.stages)
    .slice(0, SHOWN_REMEDIES);
}

/** The change with its outcome; nothing where the work does not suffice. */
function tried(text: string, problem: Problem, work: Work): Remedy[] {
  const outcome = work.isSpent ? undefined : outcomeOf(problem, work);
  return outcome === undefined ? [] : [{ text, ...outcome }];
}

function outcomeOf(problem: Problem, work: Work): Omit<Remedy, "text"> | undefined {
  const placement = placeWithin(problem, work);
  if (placement === undefined) return undefined;
  const { parts, unplaced } = placement;
  const stages = stageCount(parts);
  const fits = unplaced.length === 0 && stages <= problem.target.stages;
  const left = unplaced.length === 0 ? "" : `, ${unplaced.length} not placed`;
  return { stages, fits, outcome: fits ? `fits in ${stages} stages` : `${stages} stages${left}` };
}

/** The largest size of a table, by halving the interval, with which all is placed; nothing where no size helps that the work suffices to find. */
function smaller(problem: Problem, id: number, work: Work): Remedy[] {
  const unit = defined(problem.model.units[id]);
  if (unit.kind !== "match" || unit.size <= 1 || work.isSpent) return [];
  const withSize = (size: number) => outcomeOf(replacing(problem, id, { ...unit, size }), work);
  let best = withSize(1);
  if (best?.fits !== true) return [];
  const fits = (size: number) => {
    const here = work.isSpent ? undefined : withSize(size);
    if (here?.fits === true) best = here;
    return here?.fits === true;
  };
  const size = largestSize(1, unit.size, fits, PRECISION, unit.size);
  return [{ text: `${unit.label} with ${size} entries instead of ${unit.size}`, ...best }];
}
