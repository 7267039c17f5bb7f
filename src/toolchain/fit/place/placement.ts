/** A placement: which part of which unit is in which stage, and what each stage uses. */
import { defined } from "../../../base/index.js";
import type { DependencyGraph } from "../dependencies.js";
import type { TableLayout, TablePlan } from "../memory/layout.js";
import type { FitModel, Unit } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";
import { type Demand, isCopied } from "./demand.js";
import type { Known } from "./known.js";
import type { Resource, ResourceCounts } from "./stage.js";

/** A program on a target, prepared for placement. */
export interface Problem {
  readonly model: FitModel;
  readonly target: Target;
  readonly graph: DependencyGraph;
  readonly phv: PhvLayout;
  /** By unit. */
  readonly plans: readonly TablePlan[];
  readonly demands: readonly Demand[];
  /** By unit: units that can run for the same packet and write the same container. They need different stages. */
  readonly conflicts: readonly ReadonlySet<number>[];
  /** By unit: those that write other bits of the same byte of a header, which no packing of fields keeps apart. */
  readonly inseparable: readonly ReadonlySet<number>[];
  /** By unit: units that use the same memory, this one included. They need the same stage. */
  readonly companions: readonly (readonly number[])[];
  readonly known: Known;
}

/** A unit, or a part of a split one, in one stage. */
export interface Part {
  readonly unit: Unit;
  readonly stage: number;
  readonly layout: TableLayout;
  /** Entries of the table in this part. */
  readonly entries: number;
  /** The condition that runs as this part's gateway. */
  gateway: number | undefined;
  /** The part is only blocks of a large register that continues from an earlier stage. */
  readonly spill: { readonly name: string; readonly srams: number; readonly mapRams: number } | undefined;
}

/** A unit that no stage of the device can hold. */
export interface Unplaced {
  readonly unit: Unit;
  /** What it needs too much of; `dependency`: an order that no stage allows. */
  readonly resource: Resource | "dependency";
  /** The reason in words, with the numbers. */
  readonly detail: string;
}

export interface Placement {
  readonly parts: readonly Part[];
  /** Resources used, by stage; there can be more stages than the device has. */
  readonly stages: readonly ResourceCounts[];
  readonly unplaced: readonly Unplaced[];
  /** The conflicts of the problem that hold: a second packing of fields can keep those of one stage apart. */
  readonly conflicts: Problem["conflicts"];
  /** How it was found: `heuristic` or `exact`. */
  readonly method: string;
}

/** Entries that a placement must hold: a short exact key has fewer values than the table may have entries. */
export function entriesToPlace(unit: Unit): number {
  if (unit.kind !== "match") return 1;
  const bits = unit.key.reduce((sum, part) => sum + part.access.width, 0);
  const exact = unit.key.every((part) => part.kind === "exact");
  return exact && bits < 31 ? Math.min(unit.size, 2 ** bits) : unit.size;
}

/** Number of stages that the parts of a placement take. */
export function stageCount(parts: readonly Part[]): number {
  return parts.reduce((most, part) => Math.max(most, part.stage + 1), 0);
}

/** First and last stage of each unit; -1 for a unit without a stage. */
export function stageRanges(placement: Placement, units: number): { first: number[]; last: number[] } {
  const first = new Array<number>(units).fill(-1);
  const last = new Array<number>(units).fill(-1);
  for (const part of placement.parts) {
    const { id } = part.unit;
    if (first[id] === -1 || part.stage < defined(first[id])) first[id] = part.stage;
    if (part.stage > defined(last[id])) last[id] = part.stage;
  }
  return { first, last };
}

/** A table of less than this share of a stage's blocks is not worth splitting. */
const WORTH_SPLITTING = 0.25;

/** Whether a table may be split over stages: it takes much of a stage and has no memory of which only one stage can have its part. */
export function maySplit(problem: Problem, id: number): boolean {
  const plan = defined(problem.plans[id]);
  const { target } = problem;
  if (plan.match === "none") return false;
  if (defined(problem.demands[id]).shared.some((memory) => !isCopied(memory, target))) return false;
  const layout = plan.layout(defined(problem.model.units[id]).size);
  if (layout.tcamWidth > 0 && layout.tcams === layout.tcamWidth) return false;
  return (
    layout.srams >= WORTH_SPLITTING * target.sram.blocks ||
    layout.tcams >= WORTH_SPLITTING * target.tcam.blocks
  );
}
