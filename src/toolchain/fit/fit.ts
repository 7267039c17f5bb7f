/** The whole check: program and target in, model, placement and findings out. */
import type { Diagnostic } from "../../base/index.js";
import type { Program } from "../program/index.js";
import { checkFeatures } from "./check/check.js";
import type { GressCycles } from "./latency/cycles.js";
import type { Power } from "./latency/power.js";
import { powerExceeded, timingOf } from "./latency/timing.js";
import { buildModel } from "./model/build.js";
import { fieldLabel } from "./model/expressions.js";
import type { FitModel } from "./model/model.js";
import { pardeExceeded } from "./parde/check.js";
import { type PardeUse, pardeOf } from "./parde/parde.js";
import { allocatePhv } from "./phv/allocate.js";
import type { PhvAllocation, Unallocated } from "./phv/allocation.js";
import { countWords, naiveWidths, type WordCount } from "./phv/naive.js";
import { type ContainerSize, type PhvUse, phvUse } from "./phv/pack.js";
import { readRequests } from "./phv/requests.js";
import { allocatedUse } from "./phv/use.js";
import { verifyPhv } from "./phv/verify.js";
import { type Bound, lowerBounds } from "./place/bounds.js";
import { chainsOfFlow } from "./place/chains.js";
import { type ExactOptions, type ExactResult, placeExactly } from "./place/exact.js";
import { type Placement, type Problem, stageCount } from "./place/placement.js";
import { makeProblem } from "./place/problem.js";
import { recounted } from "./place/recount.js";
import { type GreedyOrder, placeGreedily, tableGraphOf } from "./place/rmt.js";
import { placeByStages } from "./place/tofino.js";
import { verifyPlacement } from "./place/verify.js";
import type { SourceLookup } from "./source.js";
import type { Target } from "./target.js";

/**
 * How sure the answer is. `refused`: the target cannot do something that the program asks for. `cannot fit`: a lower
 * bound is above the device, or no stage holds some table. `fits by counts`: all sums are within the device, but the
 * placement that was found is not. `placed`: a whole assignment within the device, checked by the verifier.
 */
export type Verdict = "refused" | "cannot fit" | "fits by counts" | "placed";

export interface FitOptions {
  /** Sizes that replace those of tables, by full name. */
  readonly sizes?: ReadonlyMap<string, number>;
  /** Finds the text of a source file, so that messages can show lines. */
  readonly sources?: SourceLookup;
  /** Places tables alone: no containers are assigned, so that the verdict says nothing of fields. */
  readonly tablesOnly?: boolean;
}

export interface FitResult {
  readonly verdict: Verdict;
  readonly target: Target;
  readonly model: FitModel;
  readonly problem: Problem;
  readonly placement: Placement;
  /** Stages of the placement; can be more than the device has. */
  readonly stages: number;
  /** Lower bounds of the number of stages, the largest first. */
  readonly bounds: readonly Bound[];
  readonly diagnostics: readonly Diagnostic[];
  /** Stages by the greedy orders of Jose et al.; only for an RMT target. */
  readonly greedy: Readonly<Record<GreedyOrder, number>> | undefined;
  readonly phv: {
    readonly packed: UseBySize;
    readonly tagalong: UseBySize;
    /** Which field stands in which container; for a program that states the headers of both gresses, on a target with an arrangement. */
    readonly allocation: PhvAllocation | undefined;
    readonly naive: WordCount;
    /** What the PHV has too little of, in words; empty when all fields fit. */
    readonly exceeded: readonly string[];
  };
  /** What fields, parsers, deparsers and power take beyond the device, in words: such a program fits by counts of stages alone. */
  readonly exceeded: readonly string[];
  /** Parsers and deparsers; for a program that states those of both gresses, on a target that states what there is. */
  readonly parde: PardeUse | undefined;
  /** Cycles of each gress, on the same condition. */
  readonly cycles: readonly GressCycles[] | undefined;
  /** The estimate of power, on the same condition. */
  readonly power: Power | undefined;
}

type UseBySize = Readonly<Record<ContainerSize, PhvUse>>;

/** Checks and places a program. A program that the target refuses is placed too, to report what it would take. */
export function fitProgram(program: Program, target: Target, options: FitOptions = {}): FitResult {
  const { model, features } = buildModel(program, target, options.sizes);
  const { passedOver } = readRequests(model, target);
  const asked = passedOver.map((one) => ({ kind: "phvPragma" as const, ...one }));
  const problem = makeProblem(model, target);
  const diagnostics = checkFeatures(problem, [...features, ...asked], options.sources);
  const placement = placeByStages(problem);
  return conclude(problem, placement, diagnostics.list, options.tablesOnly);
}

/** The result for a placement, of the heuristic or of the exact solver. Throws when the verifier finds it wrong. */
export function conclude(
  problem: Problem,
  placement: Placement,
  diagnostics: readonly Diagnostic[],
  tablesOnly = false,
): FitResult {
  const { model, target } = problem;
  const stages = stageCount(placement.parts);
  const bounds = lowerBounds(problem);
  const phv = usePhv(problem, placement, tablesOnly);
  const parde = pardeOf(model.program, model, phv.allocation, target);
  const timing = timingOf(problem, placement, phv.allocation);
  const power = stages <= target.stages ? timing.power : undefined;
  const exceeded = [...phv.exceeded, ...pardeExceeded(parde, target), ...powerExceeded(power)];
  const refused = diagnostics.some((d) => d.severity === "error");
  const highest = bounds[0]?.stages ?? 0;
  const violations = verifyPlacement(problem, placement);
  if (violations.length > 0) throw new Error(`placement is wrong: ${violations.slice(0, 3).join("; ")}`);
  const verdict: Verdict = refused
    ? "refused"
    : highest > target.stages || placement.unplaced.length > 0
      ? "cannot fit"
      : stages <= target.stages && exceeded.length === 0
        ? "placed"
        : "fits by counts";
  return {
    verdict,
    target,
    model,
    problem,
    placement: isWhole(phv.allocation) ? recounted(problem, placement, phv.allocation) : placement,
    stages,
    bounds,
    diagnostics,
    greedy: target.model === "rmt" ? greedyStages(problem) : undefined,
    phv,
    parde,
    exceeded,
    ...timing,
  };
}

/** The result with the placement of the exact search; the same one where that finds no better. */
export async function fitExactly(
  result: FitResult,
  options: ExactOptions,
): Promise<{ result: FitResult; exact: ExactResult }> {
  const { problem, placement, diagnostics } = result;
  const exact = await placeExactly(problem, placement, options);
  // What was placed is counted again with its containers, and cannot be concluded from twice.
  const isNew = exact.placement !== placement;
  return { result: isNew ? conclude(problem, exact.placement, diagnostics) : result, exact };
}

/** Every field has its containers, so that what they take can be counted with them. */
function isWhole(allocation: PhvAllocation | undefined): allocation is PhvAllocation {
  return allocation?.unallocated.every(({ rule }) => rule !== "container") ?? false;
}

/** The allocation of a placement, checked, and what it takes. */
function usePhv(problem: Problem, placement: Placement, tablesOnly: boolean): FitResult["phv"] {
  const { model, target } = problem;
  const naive = countWords(naiveWidths(model));
  const { earliest, below } = chainsOfFlow(problem);
  const input = {
    model,
    target,
    requests: readRequests(model, target).requests,
    stagesOf: stagesIn(placement),
    earliestOf: (unit: number) => earliest[unit] ?? 0,
    belowOf: (unit: number) => below[unit] ?? 0,
  };
  const allocation = model.hasEgressParser && !tablesOnly ? allocatePhv(input, problem.phv) : undefined;
  if (allocation === undefined) {
    const packed = phvUse(problem.phv, false);
    const tagalong = phvUse(problem.phv, true);
    return { packed, tagalong, naive, allocation, exceeded: phvExceeded(packed, tagalong, naive, target) };
  }
  const wrong = verifyPhv(input, allocation).map(({ detail }) => `PHV: ${detail}`);
  return {
    packed: allocatedUse(allocation, false),
    tagalong: allocatedUse(allocation, true),
    naive,
    allocation,
    exceeded: [...noContainer(allocation.unallocated), ...wrong],
  };
}

/** Fields without a container, the first of them by name. */
function noContainer(unallocated: readonly Unallocated[]): string[] {
  const without = unallocated.filter(({ rule }) => rule === "container");
  const [first] = without;
  if (first === undefined) return [];
  const fields = [...new Set(without.flatMap((one) => one.fields))];
  const line = first.source === undefined ? "" : ` (line ${first.source.line})`;
  const more = fields.length - 1;
  const others = more === 0 ? " has" : ` and ${more} more field${more === 1 ? "" : "s"} have`;
  return [`PHV: ${fieldLabel(first.fields[0]!)}${others} no container: ${first.detail}${line}`];
}

/** The stages of a unit in a placement. */
function stagesIn({ parts }: Placement): (unit: number) => readonly number[] {
  const stages = new Map<number, number[]>();
  for (const { unit, stage, spill } of parts)
    if (spill === undefined) stages.set(unit.id, [...(stages.get(unit.id) ?? []), stage]);
  return (unit) => stages.get(unit) ?? [];
}

function greedyStages(problem: Problem): Record<GreedyOrder, number> {
  const graph = tableGraphOf(problem);
  const stages = (order: GreedyOrder) => placeGreedily(graph, problem.target, order).stages;
  return { ffd: stages("ffd"), ffl: stages("ffl"), ffls: stages("ffls") };
}

function phvExceeded(packed: UseBySize, tagalong: UseBySize, naive: WordCount, target: Target): string[] {
  const exceeded: string[] = [];
  if (target.phv.packs_fields) {
    let free = 0;
    let need = 0;
    for (const size of [8, 16, 32] as const) {
      const have = target.phv.containers[size];
      need += packed[size].containers * size;
      free += have * size;
    }
    const bits = (use: UseBySize) => ([8, 16, 32] as const).reduce((sum, size) => sum + use[size].bits, 0);
    if (need > free) exceeded.push(`PHV: ${need} of ${free} bits`);
    const besides = ([8, 16, 32] as const).reduce((sum, s) => sum + (target.phv.tagalong[s] ?? 0) * s, 0);
    if (besides > 0 && bits(tagalong) > besides + (free - need)) {
      exceeded.push(`containers for headers that no table touches: ${bits(tagalong)} bits`);
    }
    return exceeded;
  }
  const total =
    8 * target.phv.containers[8] + 16 * target.phv.containers[16] + 32 * target.phv.containers[32];
  if (naive.bits > total) exceeded.push(`PHV: ${naive.bits} of ${total} bits`);
  return exceeded;
}
