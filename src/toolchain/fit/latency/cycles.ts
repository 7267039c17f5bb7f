/**
 * Cycles of a packet in each gress: the sum over all stages of the device. A stage that waits for results adds its whole time, which grows with
 * TCAM, selectors, filters and registers in it or in a stage of its chain (p4c, mau_power.cpp, compute_stage_latency); others add a little.
 */
import { type Thread, threadOf } from "../model/model.js";
import type { PhvAllocation } from "../phv/allocation.js";
import { type Placement, type Problem, stageCount } from "../place/placement.js";
import type { Target } from "../target.js";
import { lookupOf } from "./accesses.js";
import { chainOf, padded, type Wait, waitsOf } from "./waits.js";

type PipelineCycles = NonNullable<Target["pipeline_cycles"]>;

interface StageCycles {
  readonly wait: Wait;
  /** Cycles that the stage itself takes, and those that it adds to the gress. */
  readonly own: number;
  readonly adds: number;
}

export interface GressCycles {
  readonly gress: Thread;
  readonly total: number;
  readonly stages: readonly StageCycles[];
}

/** What makes a stage take longer. */
interface Features {
  readonly ternary: boolean;
  readonly selector: boolean;
  readonly filter: boolean;
  readonly stateful: boolean;
}

/**
 * Undefined for a program whose containers are not known, and for a target that states no cycles.
 * @param more stages that wait for results besides those that must, the first ones of ingress first, then those of egress
 */
export function pipelineCycles(
  problem: Problem,
  placement: Placement,
  allocation: PhvAllocation | undefined,
  more = 0,
): GressCycles[] | undefined {
  const { model, target } = problem;
  const { pipeline_cycles: chip } = target;
  if (chip === undefined || allocation === undefined) return undefined;
  const stages = Math.max(target.stages, stageCount(placement.parts));
  const reaches = (a: { id: number }, b: { id: number }) => !model.flow.exclusive(a.id, b.id);
  const waitsFor = (thread: Thread) => waitsOf(placement, allocation, thread, { stages, chip, reaches });
  const timedAs = (gress: Thread, waits: readonly Wait[]): GressCycles => {
    const found = timed(waits, featuresOf(problem, placement, gress, stages), chip);
    return { gress, total: sum(found) + (chip.corner ?? 0), stages: found };
  };
  let left = more;
  const longer = (waits: readonly Wait[]): Wait[] =>
    waits.map((wait) => {
      if (wait === "match" || left === 0) return wait;
      left -= 1;
      return "match";
    });
  const hasGhost = model.ghostFields.length > 0;
  const ghost = hasGhost ? waitsFor("ghost") : undefined;
  // A stage of ingress and of the ghost thread waits for the same (p4c, mau_power.cpp, update_deps_for_device).
  const own = waitsFor("ingress").map((wait, i) =>
    ghost === undefined || ghost[i] === wait ? wait : "match",
  );
  const ingress = longer(own);
  const total = (waits: readonly Wait[]) => timedAs("egress", waits).total;
  const egress = longer(padded(waitsFor("egress"), chip.min_egress ?? 0, total));
  const both = [timedAs("ingress", ingress), timedAs("egress", egress)];
  return hasGhost ? [...both, timedAs("ghost", ingress)] : both;
}

const sum = (stages: readonly StageCycles[]): number => stages.reduce((all, { adds }) => all + adds, 0);

function timed(waits: readonly Wait[], features: readonly Features[], chip: PipelineCycles): StageCycles[] {
  return waits.map((wait, stage) => {
    const { from, to } = chainOf(waits, stage);
    const has = (name: keyof Features) => features.slice(from, to + 1).some((one) => one[name]);
    // A selector's words are read one after the other, as long as a TCAM takes.
    const ternary = has("ternary") || has("selector") ? chip.ternary : 0;
    const memory = has("selector")
      ? chip.selector
      : has("filter")
        ? chip.filter
        : has("stateful")
          ? chip.stateful
          : 0;
    const own = chip.base + ternary + memory;
    return { wait, own, adds: wait === "match" ? own : wait === "action" ? chip.action : chip.concurrent };
  });
}

function featuresOf(problem: Problem, { parts }: Placement, thread: Thread, stages: number): Features[] {
  // A memory that the ghost thread and ingress call takes the time of ingress.
  const isElsewhere = (name: string) =>
    thread === "ghost" &&
    parts.some(({ unit }) => threadOf(unit) !== thread && unit.attached.some((one) => one.name === name));
  return Array.from({ length: stages }, (_, stage) => {
    const here = parts.filter((part) => part.stage === stage && threadOf(part.unit) === thread);
    const attached = here.flatMap(({ unit }) =>
      unit.attached.filter(({ name }) => !isElsewhere(name)).map(({ kind }) => kind),
    );
    return {
      ternary: here.some((part) => lookupOf(problem, part) === "ternary"),
      selector: here.some(({ unit }) => unit.implementation?.selector !== undefined),
      // The compiler takes every meter for a filter.
      filter: attached.includes("filter") || attached.includes("meter"),
      stateful: attached.includes("register"),
    };
  });
}
