/**
 * Placement as an integer program, after Jose et al. (NSDI'15, section 4): for each table and stage a variable that
 * says whether a part of the table is there, and for large tables the number of its units there. The program leaves
 * out what linear constraints state badly (crossbar bytes that tables share, hash groups, gateways), so its optimum is
 * a lower bound. Its solution is placed with all constraints and verified before it counts.
 */

import { given } from "../../../base/index.js";
import { lowerBounds } from "./bounds.js";
import { FeasibilityProgram } from "./feasibility-program.js";
import type { Placement, Problem } from "./placement.js";
import { stageCount } from "./placement.js";
import { placeByStages } from "./tofino.js";
import { verifyPlacement } from "./verify.js";

export interface ExactOptions {
  /** Seconds that the solver may take. */
  readonly timeLimit: number;
}

export interface ExactResult {
  readonly placement: Placement;
  readonly stages: number;
  /** No placement has fewer stages. */
  readonly bound: number;
  /** `(stages - bound) / stages`; 0: proven optimal. */
  readonly gap: number;
  readonly status: ExactStatus;
}

type ExactStatus =
  | "the heuristic meets the bound"
  | "time limit"
  | "the solver gave up"
  | "optimal"
  | "feasible";

/** Below this number of seconds no further question is asked. */
const MIN_SECONDS = 0.1;
/** Minimum number of seconds for one question. */
const MIN_QUESTION_SECONDS = 0.5;

/**
 * Improves the heuristic's placement. The result has at most as many stages as `start`, and at least `bound`. Asks one
 * question a number of stages, from below: a "no" raises the bound, the solution of a "yes" is placed and verified.
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
  const solver = await loadSolver();
  let left = options.timeLimit;
  for (let stages = lowest; stages < from && stageCount(best.parts) > stages; stages++) {
    if (left <= MIN_SECONDS) return finish("time limit");
    const program = new FeasibilityProgram(problem, stages);
    // An equal share of the time that is left: later, looser questions tend to be easier.
    const share = Math.max(MIN_QUESTION_SECONDS, left / (from - stages));
    left -= share;
    const solution = solve(solver, program.text(), share);
    if (solution === undefined) return finish("the solver gave up");
    if (solution.Status === "Infeasible" && bound === stages) bound = stages + 1;
    if (solution.Status !== "Optimal") continue;
    const placed = placeAsSolved(problem, program.stagesOf(solution.Columns));
    if (placed !== undefined && stageCount(placed.parts) < stageCount(best.parts)) best = placed;
  }
  return finish(bound >= stageCount(best.parts) ? "optimal" : "feasible");
}

/** The placement that a solution asks for; undefined when it does not hold with all constraints. */
function placeAsSolved(problem: Problem, wanted: readonly number[]): Placement | undefined {
  const { below } = problem.graph;
  const order = (a: number, b: number) => wanted[a]! - wanted[b]! || below[b]! - below[a]! || a - b;
  const placed = placeByStages(problem, { order, notBefore: wanted });
  const holds = placed.unplaced.length === 0 && verifyPlacement(problem, placed).length === 0;
  return holds ? placed : undefined;
}

/** Bounds of one question to the solver. */
export interface SolverLimits {
  /** Of the branch and bound: the bound that gives the same answer on every machine. */
  readonly nodes: number;
  readonly seconds: number;
}

/** Variables of the largest program that the solver is asked about alone. */
const MAX_VARIABLES = 20_000;

/**
 * A placement within so many stages, "infeasible" where there is none, and undefined where the solver does not say, or its solution
 * does not hold with all constraints.
 */
export async function solveFor(
  problem: Problem,
  stages: number,
  { nodes, seconds }: SolverLimits,
): Promise<Placement | "infeasible" | undefined> {
  if (problem.model.units.length * stages > MAX_VARIABLES) return undefined;
  const program = new FeasibilityProgram(problem, stages);
  const solution = solve(await loadSolver(), program.text(), seconds, nodes);
  if (solution?.Status === "Infeasible") return "infeasible";
  if (solution?.Status !== "Optimal") return undefined;
  const placed = placeAsSolved(problem, program.stagesOf(solution.Columns));
  return placed !== undefined && stageCount(placed.parts) <= stages ? placed : undefined;
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
function solve(solver: Solver, text: string, seconds: number, nodes?: number): Solution | undefined {
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
