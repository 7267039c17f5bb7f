/**
 * Whether the units of a problem can be placed within the device: "refused" and "placed" are proven, by a count, a chain or the solver, and
 * by a placement. "unknown" is what neither the heuristic nor the solver decides, "not asked" what the bounds of the work leave open.
 */
import { defined } from "../../../base/index.js";
import { NO_MEMORY } from "../memory/layout.js";
import { stageFor } from "../model/pragmas.js";
import { type Bound, lowerBounds } from "../place/bounds.js";
import { isCopied } from "../place/demand.js";
import { type SolverLimits, solveFor } from "../place/exact.js";
import { brokenTurns, turnsOf } from "../place/flow-turns.js";
import { entriesToPlace, type Problem, stageCount } from "../place/placement.js";
import { Stage } from "../place/stage.js";
import { placeWithin } from "../place/tofino.js";
import { whyNoDevice, whyNoStage } from "../place/unplaceable.js";
import { Work } from "../place/work.js";
import { subproblem } from "./subproblem.js";

export type Answer = "refused" | "placed" | "unknown" | "not asked";

/** Why no placement exists. */
export type Proof =
  | { readonly kind: "stage" | "device"; readonly unit: number; readonly detail: string }
  | {
      readonly kind: "apart";
      readonly group: readonly number[];
      readonly path: readonly number[];
      readonly detail: string;
    }
  | { readonly kind: "bound"; readonly bound: Bound };

/** Bounds of the work of a search for reasons. */
export interface CheckLimits {
  /** Of proofs and placements, in the units of place/work.ts: as much for the smallest sets of tables as for their remedies, and for the allocations of containers. */
  readonly work: number;
  /** Of the solver, for one question, and how many questions may stay without an answer; undefined: it is not asked. */
  readonly solver: (SolverLimits & { readonly questions: number }) | undefined;
}

export class Check {
  readonly #work: Work;
  /** Those that the solver has not answered. */
  #open = 0;

  /** @param whole the problem of the program, which the heuristic has not placed within the device */
  constructor(
    readonly whole: Problem,
    readonly limits: CheckLimits,
  ) {
    this.#work = new Work(limits.work);
  }

  /** The bound of the work is reached, and sets are no smaller than they were found till then. */
  get isAtBound(): boolean {
    return this.#work.isSpent;
  }

  /** Asks the cheap proofs of these units first, then the heuristic, then, where the answer shall be exact, the solver. */
  async ask(ids: readonly number[], how: "quick" | "exact"): Promise<Answer> {
    const work = this.#work;
    if (work.isSpent) return "not asked";
    const { units } = this.whole.model;
    work.spend(units.length);
    const problem = subproblem(this.whole, new Set(ids));
    if (proofOf(problem, ids, work) !== undefined) return "refused";
    if (fitsInOrder(problem, ids, work)) return "placed";
    if (ids.length < units.length) {
      const placement = placeWithin(problem, work);
      if (placement === undefined) return "not asked";
      const { unplaced, parts } = placement;
      if (unplaced.length === 0 && stageCount(parts) <= problem.target.stages) return "placed";
    }
    const { solver } = this.limits;
    if (how === "quick" || solver === undefined || this.#open >= solver.questions) return "unknown";
    const found = await solveFor(problem, problem.target.stages, solver);
    if (found === undefined) this.#open++;
    return found === "infeasible" ? "refused" : found === undefined ? "unknown" : "placed";
  }
}

/**
 * Whether each unit, whole and in the order of the program, finds a stage after all that it waits for: a placement where it does, found in
 * no time for the few units of a chain. Units that share a memory are left to the heuristic.
 */
function fitsInOrder(problem: Problem, ids: readonly number[], work: Work): boolean {
  const { model, target, graph, plans, demands, conflicts, companions, known } = problem;
  const stages: { use: Stage; members: number[] }[] = [];
  const last = new Map<number, number>();
  for (const id of [...ids].sort((a, b) => a - b)) {
    const unit = defined(model.units[id]);
    if (defined(companions[id]).length > 1) return false;
    const demand = defined(demands[id]);
    const layout = defined(plans[id]).layout(entriesToPlace(unit));
    const ready = defined(graph.incoming[id]).reduce(
      (most, { from, distance }) => Math.max(most, defined(last.get(from)) + distance),
      0,
    );
    let at = stageFor(unit.pragmas, ready);
    for (; at < target.stages; at++) {
      while (stages.length <= at) stages.push({ use: new Stage(target, known), members: [] });
      work.spend();
      if (work.isSpent) return false;
      const { use, members } = defined(stages[at]);
      if (members.some((other) => defined(conflicts[id]).has(other))) continue;
      if (use.exceeded(demand, layout) !== undefined) continue;
      use.add(demand, layout);
      members.push(id);
      break;
    }
    if (at >= target.stages) return false;
    last.set(id, at);
  }
  const at = model.units.map(({ id }) => last.get(id) ?? -1);
  return brokenTurns(turnsOf(problem), { first: at, last: at }).length === 0;
}

/**
 * A proof that counts and dependencies alone give that no placement exists.
 * @param ids the units of the problem that need something, in any order
 */
export function proofOf(problem: Problem, ids: readonly number[], work = new Work()): Proof | undefined {
  const { companions, model, target } = problem;
  for (const id of [...ids].sort((a, b) => a - b)) {
    work.spend();
    if (work.isSpent) return undefined;
    const { kind } = defined(model.units[id]);
    if (kind === "match") {
      const device = whyNoDevice(problem, id, target.stages);
      if (device !== undefined) return { kind: "device", unit: id, detail: device.detail };
    }
    const group = defined(companions[id]);
    if (group[0] !== id) continue;
    const apart = group.length > 1 ? apartOf(problem, group) : undefined;
    if (apart !== undefined) return apart;
    const { resource, detail } = whyNoStage(problem, id);
    const isMemory = resource === "srams" || resource === "tcams" || resource === "map_rams";
    if (resource === "dependency" || (isMemory && mayContinue(problem, group))) continue;
    return { kind: "stage", unit: id, detail };
  }
  const [bound] = lowerBounds(problem);
  return bound !== undefined && bound.stages > target.stages ? { kind: "bound", bound } : undefined;
}

/** What exceeds one stage can be divided: a table over stages, a large register over the next ones. */
function mayContinue(problem: Problem, group: readonly number[]): boolean {
  const { known, target } = problem;
  const { stateful } = target;
  return group.some((id) => {
    const demand = defined(problem.demands[id]);
    const { shared } = demand;
    // A part of a table needs whole copies of its memories.
    if (shared.every((memory) => isCopied(memory, target)))
      return new Stage(target, known).exceeded(demand, NO_MEMORY) === undefined;
    return stateful.spans_stages && shared.some(({ kind }) => kind === "register");
  });
}

/** Units that share a memory, of which one must wait for another, or write one byte of a header with it. */
function apartOf(problem: Problem, group: readonly number[]): Proof | undefined {
  const nameOf = (id: number) => defined(problem.model.units[id]).label;
  const memory = defined(problem.demands[defined(group[0])]).shared.find(({ name }) =>
    group.some((id) => id !== group[0] && defined(problem.demands[id]).shared.some((s) => s.name === name)),
  );
  const what = memory === undefined ? "share a memory" : `share ${memory.kind} ${memory.name}`;
  for (const from of group)
    for (const to of group) {
      if (from >= to) continue;
      if (defined(problem.inseparable[from]).has(to)) {
        const detail = `${nameOf(from)} and ${nameOf(to)} ${what}, so they need one stage, but they write bits of one byte, so they need two`;
        return { kind: "apart", group: [from, to], path: [from, to], detail };
      }
      const path = waitingPath(problem, from, to);
      if (path === undefined) continue;
      const detail = `${nameOf(from)} and ${nameOf(to)} ${what}, so they need one stage, but one needs what the other writes, so they need two`;
      return { kind: "apart", group: [from, to], path, detail };
    }
  return undefined;
}

/** The path with the fewest units along which `to` must be in a later stage than `from`. */
function waitingPath({ graph }: Problem, from: number, to: number): number[] | undefined {
  // By unit and by whether a stage was passed: the unit and flag before it.
  const before = new Map<string, string | undefined>([[`${from} 0`, undefined]]);
  const work = [`${from} 0`];
  for (const at of work) {
    const [unit, late] = at.split(" ").map(Number) as [number, number];
    for (const edge of defined(graph.outgoing[unit])) {
      if (edge.to > to) continue;
      const next = `${edge.to} ${late === 1 || edge.distance > 0 ? 1 : 0}`;
      if (before.has(next)) continue;
      before.set(next, at);
      work.push(next);
    }
  }
  const end = `${to} 1`;
  if (!before.has(end)) return undefined;
  const path: number[] = [];
  for (let at: string | undefined = end; at !== undefined; at = before.get(at))
    path.unshift(Number.parseInt(at, 10));
  return path;
}
