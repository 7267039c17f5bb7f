/**
 * Placement as an integer program, after Jose et al. (NSDI'15, section 4): for each table and stage a variable that
 * says whether a part of the table is there, and for large tables the number of its entries there. The program leaves
 * out what linear constraints state badly (crossbar bytes that tables share, hash groups, gateways), so that a solution
 * is placed with all constraints and verified before it counts. Where a stage does not hold its units, the program gets the
 * row that they are not together, and is solved again; it still gives lower bounds where counts prove all such rows.
 */

import { given } from "../../../base/index.js";
import { lowerBounds } from "./bounds.js";
import { FeasibilityProgram } from "./feasibility-program.js";
import { brokenTurns, type Turn, turnsOf } from "./flow-turns.js";
import type { Placement, Problem } from "./placement.js";
import { stageCount, stageRanges } from "./placement.js";
import { type Crowd, Realizer } from "./realize.js";
import { verifyPlacement } from "./verify.js";

export interface ExactOptions {
  /** Seconds that the solver may take. */
  readonly timeLimit: number;
  /** A time in seconds; without it a search with many solutions that no stage holds may take longer. */
  readonly clock?: Clock;
}

type Clock = () => number;

export interface ExactResult {
  readonly placement: Placement;
  readonly stages: number;
  /** No placement has fewer stages. */
  readonly bound: number;
  /** `(stages - bound) / stages`; 0: proven optimal. */
  readonly gap: number;
  readonly status: ExactStatus;
}

type ExactStatus = "the heuristic meets the bound" | "time limit" | "optimal" | "feasible";

/** Below this number of seconds no further question is asked. */
const MIN_SECONDS = 0.1;
/** Minimum number of seconds for one question. */
const MIN_QUESTION_SECONDS = 0.5;

/**
 * Improves the heuristic's placement. The result has at most as many stages as `start`, and at least `bound`. Asks two
 * questions a number of stages, from below: with the containers that fields have, then with any. A "no" to the second raises the bound.
 */
export async function placeExactly(
  problem: Problem,
  start: Placement,
  options: ExactOptions,
): Promise<ExactResult> {
  const from = stageCount(start.parts);
  let best = start;
  let bound = lowerBounds(problem)[0]?.stages ?? 0;
  const lowest = bound;
  const finish = (status: ExactStatus): ExactResult => {
    const stages = stageCount(best.parts);
    const proven = Math.min(bound, stages);
    const gap = stages === 0 ? 0 : (stages - proven) / stages;
    return { placement: best, stages, bound: proven, gap, status };
  };
  if (from <= bound || start.unplaced.length > 0) return finish("the heuristic meets the bound");
  const { timeLimit, clock } = options;
  let left = timeLimit;
  for (let stages = lowest; stages < from && stageCount(best.parts) > stages; stages++) {
    if (left <= MIN_SECONDS) return finish("time limit");
    // An equal share of the time that is left: later, looser questions tend to be easier.
    const share = Math.max(MIN_QUESTION_SECONDS, left / (from - stages));
    left -= share;
    const seconds = share / 2;
    const limits = { seconds, ...given({ clock }) };
    const own = await solveInTurns(problem, stages, limits);
    const found = typeof own === "object" ? own : await solveFor(problem, stages, limits);
    if (found === "infeasible" && bound === stages) bound = stages + 1;
    if (typeof found === "object") best = found;
  }
  return finish(bound >= stageCount(best.parts) ? "optimal" : "feasible");
}

/** Bounds of one question to the solver. */
export interface SolverLimits {
  /** Of the branch and bound: the bound that gives the same answer on every machine. */
  readonly nodes?: number;
  readonly seconds: number;
  readonly clock?: Clock;
}

/** Variables of the largest program that the solver is asked about alone. */
const MAX_VARIABLES = 20_000;
/** Solutions of one question that are tried. */
const MOST_SOLUTIONS = 100;
/** How much more than the least an entry of a split table takes, where parts of the solution before did not fit. */
const SHARES: readonly number[] = [1, 1.05, 1.15];

type Solved = Placement | "infeasible" | undefined;

/**
 * A placement within so many stages, "infeasible" where there is none, and undefined where neither is found. Conflicts of containers count only
 * where no packing of the fields avoids them: there may be a placement with other containers.
 */
export function solveFor(problem: Problem, stages: number, limits: SolverLimits): Promise<Solved> {
  return solveInTurns({ ...problem, conflicts: problem.inseparable }, stages, limits);
}

/** The same with all conflicts. A placement keeps the turns of the control flow; none exists where there is none without them. */
async function solveInTurns(problem: Problem, stages: number, limits: SolverLimits): Promise<Solved> {
  const turns = turnsOf(problem);
  const half = turns.length === 0 ? limits : { ...limits, seconds: limits.seconds / 2 };
  const loose = await solve(problem, stages, half);
  if (typeof loose === "object" ? keepsTurns(problem, loose) : loose === "infeasible" || turns.length === 0)
    return loose;
  const found = await solve(problem, stages, half, turns);
  return typeof found === "object" && keepsTurns(problem, found) ? found : undefined;
}

/**
 * The same with these turns alone. The solver's solutions are placed with all constraints; units that a stage does not hold together are apart in the
 * next one.
 */
async function solve(
  problem: Problem,
  stages: number,
  { nodes, seconds, clock }: SolverLimits,
  turns: readonly Turn[] = [],
): Promise<Solved> {
  if (problem.model.units.length * stages > MAX_VARIABLES) return undefined;
  const realizer = new Realizer(problem);
  const crowds: Crowd[] = [];
  let left = seconds;
  const end = clock === undefined ? undefined : clock() + seconds;
  const isOver = () => end !== undefined && clock !== undefined && clock() >= end;
  for (const share of SHARES) {
    const program = new FeasibilityProgram(problem, stages, { turns, share });
    for (const { units } of crowds) program.keepApart(units);
    while (crowds.length < MOST_SOLUTIONS && !isOver()) {
      // Half of the time for this solution, the rest for the next ones.
      left /= 2;
      const own = Math.max(MIN_QUESTION_SECONDS, left);
      const solution = run(await loadSolver(), program.text(), own, nodes);
      if (solution?.Status === "Infeasible")
        return share === 1 && crowds.every(({ isProven }) => isProven) ? "infeasible" : undefined;
      if (solution?.Status !== "Optimal") return undefined;
      const found = realizer.realize(program.stagesOf(solution.Columns));
      if (found === undefined) break;
      if ("parts" in found) return verifyPlacement(problem, found).length === 0 ? found : undefined;
      crowds.push(found);
      program.keepApart(found.units);
    }
  }
  return undefined;
}

function keepsTurns(problem: Problem, placement: Placement): boolean {
  const ranges = stageRanges(placement, problem.model.units.length);
  return brokenTurns(turnsOf(problem), ranges).length === 0;
}

interface Solution {
  readonly Status: string;
  readonly Columns: Readonly<Record<string, { Primal?: number }>>;
}

interface Solver {
  solve(
    text: string,
    options: { time_limit: number; output_flag: boolean; mip_max_nodes?: number },
  ): Solution;
}

/** HiGHS, compiled to WebAssembly; loaded on first use. */
async function loadSolver(): Promise<Solver> {
  const module = (await import("highs")) as unknown as { default: () => Promise<Solver> };
  return module.default();
}

/** Asks the solver; undefined when it fails. A program that it cannot read is a fault of ours and is thrown. */
function run(solver: Solver, text: string, seconds: number, nodes?: number): Solution | undefined {
  const limits = { time_limit: seconds, ...given({ mip_max_nodes: nodes }) };
  try {
    return solver.solve(text, { ...limits, output_flag: false });
  } catch (error) {
    if (isSolverFailure(error)) return undefined;
    throw error;
  }
}

/** The solver ran and failed, or ran out of memory: an abort of WebAssembly, or HiGHS's error status. */
export function isSolverFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "RuntimeError") return true;
  return /^Unable to (solve|get solution|allocate WebAssembly memory)/.test(error.message);
}
