/** A placement: which part of which unit is in which stage, and what each stage then holds. */
import type { DependencyGraph } from "../dependencies.js";
import type { TableLayout, TablePlan } from "../memory/layout.js";
import type { FitModel, Unit } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";
import type { Demand } from "./demand.js";
import type { Resource, ResourceCounts } from "./stage.js";

/** Everything that a placement works on. */
export interface Problem {
  readonly model: FitModel;
  readonly target: Target;
  readonly graph: DependencyGraph;
  readonly phv: PhvLayout;
  /** By unit. */
  readonly plans: readonly TablePlan[];
  readonly demands: readonly Demand[];
  /** Units that write a container that this one writes too, and can run in the same pass: never in one stage. */
  readonly conflicts: readonly ReadonlySet<number>[];
  /** Units that use the same memory, this one included; they share a stage. */
  readonly companions: readonly (readonly number[])[];
}

export interface Part {
  readonly unit: Unit;
  readonly stage: number;
  readonly layout: TableLayout;
  /** Entries of the table that this part is for. */
  readonly entries: number;
  /** The condition that runs as this part's gateway. */
  gateway: number | undefined;
  /** Blocks of a register that had to go to a stage of their own. */
  readonly spill: { readonly name: string; readonly srams: number; readonly mapRams: number } | undefined;
}

export interface Placement {
  readonly parts: readonly Part[];
  /** Used by stage; may be more stages than the device has. */
  readonly stages: readonly ResourceCounts[];
  /** Units that no stage of the device can hold, with what is too large. */
  readonly unplaced: readonly {
    readonly unit: Unit;
    readonly resource: Resource | "dependency";
    /** Why, where a resource's name does not say it. */
    readonly detail: string | undefined;
  }[];
  /** How it was found. */
  readonly method: string;
}

/** Entries that a placement must have room for: a short exact key has no more values than its bits allow. */
export function entriesToPlace(unit: Unit): number {
  if (unit.kind !== "match") return 1;
  const bits = unit.key.reduce((sum, part) => sum + part.access.width, 0);
  const exact = unit.key.every((part) => part.kind === "exact");
  return exact && bits < 31 ? Math.min(unit.size, 2 ** bits) : unit.size;
}

export function stageCount(placement: Placement): number {
  return placement.parts.reduce((most, part) => Math.max(most, part.stage + 1), 0);
}

/** First and last stage of each unit; -1 where it is not placed. */
export function stageRanges(placement: Placement, units: number): { first: number[]; last: number[] } {
  const first = new Array<number>(units).fill(-1);
  const last = new Array<number>(units).fill(-1);
  for (const part of placement.parts) {
    const { id } = part.unit;
    if (first[id] === -1 || part.stage < first[id]!) first[id] = part.stage;
    if (part.stage > last[id]!) last[id] = part.stage;
  }
  return { first, last };
}
