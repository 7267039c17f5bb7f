/**
 * What limits a program and which changes help. Each advice is tried on a changed copy of the problem, so that its
 * number of stages is computed.
 */
import { claim, defined } from "../../base/index.js";
import type { bmv2 } from "../program/index.js";
import { graphOf } from "./dependencies.js";
import type { FitResult } from "./fit.js";
import { TablePlan } from "./memory/layout.js";
import { fieldLabel } from "./model/expressions.js";
import { labelOf, type Unit } from "./model/model.js";
import { demandOf, operandsByMemory } from "./place/demand.js";
import { type Problem, stageCount } from "./place/placement.js";
import { limitsOf, RESOURCE_NAMES, RESOURCES, withoutLimit } from "./place/stage.js";
import { placeByStages } from "./place/tofino.js";

export interface Advice {
  readonly kind: "output" | "container" | "size" | "memory" | "match";
  readonly message: string;
  /** Stages after the change, with the same placement algorithm. */
  readonly stages: number;
  readonly source: bmv2.SourceInfo | undefined;
}

export interface Explanation {
  /** The constraint that holds the number of stages where it is. */
  readonly binding: string;
  /** The most helpful first; each saves at least one stage. */
  readonly advice: readonly Advice[];
}

/** Maximum number of trials of one kind of advice. */
const MAX_TRIALS = 8;
const SHOWN_NAMES = 4;

/** A change that may help, and the problem after it. */
interface Trial extends Omit<Advice, "stages"> {
  /** Units that the change concerns. */
  readonly units: readonly number[];
  readonly changed: Problem;
}

/** All changes, each alone. */
export function trialsOf(problem: Problem): Trial[] {
  return [
    ...withoutOutputChains(problem),
    ...withoutContainerConflicts(problem),
    ...withSmallTablesTernary(problem),
    ...withHalfTables(problem),
    ...withoutMatchChains(problem),
  ];
}

/** Finds what holds the number of stages where it is, and which single changes lower it. */
export function explain(result: FitResult): Explanation {
  const { problem, stages } = result;
  const advice = trialsOf(problem)
    .map(({ kind, message, source, changed }) => ({
      kind,
      message,
      stages: stageCount(placeByStages(changed).parts),
      source,
    }))
    .filter((trial) => trial.stages < stages)
    .sort((a, b) => a.stages - b.stages || (a.message < b.message ? -1 : 1));
  return { binding: bindingOf(result), advice };
}

/** The constraint that holds the number of stages where it is: without it, fewer stages would do. */
function bindingOf(result: FitResult): string {
  const { problem, stages, bounds, placement, target } = result;
  if (placement.unplaced.length > 0) return placement.unplaced.map((entry) => entry.detail).join("; ");
  if (stages <= 1) return claim("allInOneStage");
  const [highest] = bounds;
  if (problem.graph.criticalPath === stages) {
    return `the chain of dependent tables: ${labels(chainOf(problem)).join(" > ")}`;
  }
  if (highest !== undefined && highest.stages >= stages) return `${highest.detail}: ${highest.stages} stages`;
  const relaxed = relaxations(problem).filter((trial) => trial.stages < stages);
  const fewest = Math.min(...relaxed.map((trial) => trial.stages));
  const best = relaxed.filter((trial) => trial.stages === fewest);
  if (best.length > 0) {
    return `${best.map((trial) => trial.constraint).join(", or ")} (without it: ${fewest} ${fewest === 1 ? "stage" : "stages"})`;
  }
  return `no constraint alone: dependencies and several resources of the ${target.stages} stages together`;
}

interface Relaxation {
  readonly constraint: string;
  /** Stages without the constraint. */
  readonly stages: number;
}

/** Placements without one constraint each: a resource of a stage, or the containers that tables share. */
function relaxations(problem: Problem): Relaxation[] {
  const limits = limitsOf(problem.target);
  const stagesOf = (changed: Problem) => stageCount(placeByStages(changed).parts);
  const trials: Relaxation[] = RESOURCES.filter((name) => limits[name] !== null).map((name) => ({
    constraint: `the ${limits[name]} ${RESOURCE_NAMES[name]} of a stage`,
    stages: stagesOf({ ...problem, target: withoutLimit(problem.target, name) }),
  }));
  const writers = problem.model.units.filter((unit) => defined(problem.conflicts[unit.id]).size > 0);
  if (writers.length > 0) {
    trials.push({
      constraint: `fields that share a container, which these tables write: ${names(writers)}`,
      stages: stagesOf({ ...problem, conflicts: problem.conflicts.map(() => new Set<number>()) }),
    });
  }
  return trials;
}

function chainOf(problem: Problem): Unit[] {
  return problem.graph.criticalUnits.map((id) => defined(problem.model.units[id]));
}

function labels(units: readonly Unit[]): string[] {
  return units.map(labelOf);
}

function withoutEdges(
  problem: Problem,
  drop: (from: number, to: number, kind: string, field?: string) => boolean,
): Problem {
  const edges = problem.graph.edges.map((edge) =>
    edge.distance > 0 && drop(edge.from, edge.to, edge.kind, edge.field) ? { ...edge, distance: 0 } : edge,
  );
  return { ...problem, graph: graphOf(problem.model.units.length, edges) };
}

function withoutOutputChains(problem: Problem): Trial[] {
  const byField = new Map<string, Set<number>>();
  for (const edge of problem.graph.edges) {
    if (edge.kind !== "output" || edge.field === undefined) continue;
    const set = byField.get(edge.field) ?? new Set<number>();
    set.add(edge.from).add(edge.to);
    byField.set(edge.field, set);
  }
  return [...byField].slice(0, MAX_TRIALS).map(([field, set]) => {
    const units = [...set].sort((a, b) => a - b).map((id) => defined(problem.model.units[id]));
    const apart = withoutEdges(problem, (_from, _to, kind, name) => kind === "output" && name === field);
    const changed = {
      ...apart,
      conflicts: problem.conflicts.map((others, id) =>
        set.has(id) ? new Set([...others].filter((other) => !set.has(other))) : others,
      ),
    };
    return {
      kind: "output" as const,
      message: `${units.length} tables write ${fieldLabel(field)} in turn: ${names(units)}. Put them in exclusive branches (if / else), or let each write a field of its own and choose once at the end`,
      units: [...set],
      changed,
      source: units[0]?.source,
    };
  });
}

function names(units: readonly Unit[]): string {
  const list = labels(units.slice(0, SHOWN_NAMES));
  const more = units.length - list.length;
  return more > 0 ? `${list.join(", ")} and ${more} more` : list.join(", ");
}

function withoutContainerConflicts(problem: Problem): Trial[] {
  const units = problem.model.units.filter((unit) => defined(problem.conflicts[unit.id]).size > 0);
  if (units.length === 0) return [];
  const changed = { ...problem, conflicts: problem.conflicts.map(() => new Set<number>()) };
  return [
    {
      kind: "container",
      message: `${names(units)} write fields that share containers, so each needs a stage of its own. Make the fields 32 bits wide, or keep them apart in the header (other fields between them)`,
      units: units.map(({ id }) => id),
      changed,
      source: units[0]?.source,
    },
  ];
}

/** The problem with another unit in the place of one. */
export function replacing(problem: Problem, id: number, unit: Unit): Problem {
  const { target, phv } = problem;
  const plan = new TablePlan(unit, target, phv);
  const units = problem.model.units.map((u) => (u.id === id ? unit : u));
  const context = { phv, operands: operandsByMemory(units) };
  return {
    ...problem,
    model: { ...problem.model, units },
    plans: problem.plans.map((p, i) => (i === id ? plan : p)),
    demands: problem.demands.map((d, i) => (i === id ? demandOf(unit, plan, target, context) : d)),
  };
}

/** An exact table of a few entries takes one block a hash way; as a ternary table it takes one block. */
function withSmallTablesTernary(problem: Problem): Trial[] {
  const small = problem.model.units.filter(
    (unit) =>
      defined(problem.plans[unit.id]).match === "exact" &&
      unit.size <= problem.target.tcam.depth &&
      defined(problem.plans[unit.id]).layout(unit.size).wayRams.length > 1,
  );
  if (small.length === 0) return [];
  let changed = problem;
  for (const unit of small) {
    changed = replacing(changed, unit.id, {
      ...unit,
      key: unit.key.map((part, index) => (index === 0 ? { ...part, kind: "ternary" as const } : part)),
    });
  }
  return [
    {
      kind: "memory",
      message: `${small.length} exact tables of at most ${problem.target.tcam.depth} entries take several SRAM blocks and a hash group each: ${names(small)}. Make their keys ternary`,
      units: small.map(({ id }) => id),
      changed,
      source: small[0]?.source,
    },
  ];
}

function withHalfTables(problem: Problem): Trial[] {
  const blocks = (unit: Unit) => {
    const layout = defined(problem.plans[unit.id]).layout(unit.size);
    return layout.srams / problem.target.sram.blocks + layout.tcams / problem.target.tcam.blocks;
  };
  const largest = problem.model.units
    .filter((unit) => unit.kind === "match")
    .sort((a, b) => blocks(b) - blocks(a) || a.id - b.id)
    .slice(0, 3);
  return largest.map((unit) => {
    const half = Math.max(1, Math.floor(unit.size / 2));
    return {
      kind: "size" as const,
      message: `${unit.label} with ${half} entries instead of ${unit.size}`,
      units: [unit.id],
      changed: replacing(problem, unit.id, { ...unit, size: half }),
      source: unit.source,
    };
  });
}

/** Without the wait of one unit of the longest chain for a field that an earlier one writes. */
function withoutMatchChains(problem: Problem): Trial[] {
  const { graph, model } = problem;
  const on = new Set(graph.criticalUnits);
  const edges = graph.edges.filter(
    (edge) => edge.distance > 0 && edge.kind === "match" && on.has(edge.from) && on.has(edge.to),
  );
  return edges.slice(0, MAX_TRIALS).map((edge) => {
    const changed = withoutEdges(problem, (from, to) => from === edge.from && to === edge.to);
    const [from, to] = [defined(model.units[edge.from]), defined(model.units[edge.to])];
    return {
      kind: "match" as const,
      message: `${labelOf(to)} waits for ${fieldLabel(edge.field ?? "")} of ${labelOf(from)}. ${withoutWaiting(from, to, fieldLabel(edge.field ?? ""))}`,
      units: [edge.from, edge.to],
      changed,
      source: to.source,
    };
  });
}

/** A change that can be written for these two kinds of units. */
function withoutWaiting(from: Unit, to: Unit, field: string): string {
  if (to.kind === "condition") {
    return from.kind === "match"
      ? `Branch on the result of the table itself (switch (${from.name.split(".").pop()}.apply().action_run), or .hit), or test what the table matches`
      : `Test the fields that ${field} is computed from`;
  }
  if (to.kind === "match" && from.kind === "match") {
    return `Match ${to.name} on what ${from.name} matches, or join the two tables`;
  }
  if (to.kind === "match") return `Match ${to.name} on the fields that ${field} is computed from`;
  return `Compute ${field} where it is used, or from fields that are known earlier`;
}

/** The explanation for a terminal: what binds, then one line for each advice. */
export function explanationText(result: FitResult, explanation: Explanation): string {
  const lines = [`what binds: ${explanation.binding}`];
  if (explanation.advice.length === 0) lines.push("no single change that was tried saves a stage");
  for (const advice of explanation.advice) {
    const place = advice.source === undefined ? "" : `${advice.source.filename}:${advice.source.line}: `;
    lines.push(`  ${result.stages} -> ${advice.stages} stages: ${place}${advice.message}`);
  }
  return lines.join("\n");
}
