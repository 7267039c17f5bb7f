/**
 * What limits a program and what would help: each advice is tried on a changed copy of the problem, so the number of
 * stages that it names is computed, not guessed.
 */
import type { bmv2 } from "../program/index.js";
import { graphOf } from "./dependencies.js";
import type { FitResult } from "./fit.js";
import { TablePlan } from "./memory/layout.js";
import type { Unit } from "./model/model.js";
import { demandOf } from "./place/demand.js";
import { type Problem, stageCount } from "./place/placement.js";
import { limitsOf, RESOURCES } from "./place/stage.js";
import { placeByStages } from "./place/tofino.js";

export interface Advice {
  readonly kind: "output" | "container" | "size" | "memory" | "match";
  readonly message: string;
  /** Stages after the change, by the same placement. */
  readonly stages: number;
  readonly source: bmv2.SourceInfo | undefined;
}

export interface Explanation {
  /** What holds the number of stages where it is. */
  readonly binding: string;
  /** Most helpful first; only what saves a stage. */
  readonly advice: readonly Advice[];
}

/** Advice of one kind that is tried at most; enough to name what matters. */
const MAX_TRIALS = 8;

export function explain(result: FitResult): Explanation {
  const { problem, stages } = result;
  const trials = [
    ...withoutOutputChains(problem),
    ...withoutContainerConflicts(problem),
    ...withSmallTablesTernary(problem),
    ...withHalfTables(problem),
    ...withoutMatchChains(problem),
  ];
  const advice = trials
    .filter((trial) => trial.stages < stages)
    .sort((a, b) => a.stages - b.stages || (a.message < b.message ? -1 : 1));
  return { binding: bindingOf(result), advice };
}

function bindingOf(result: FitResult): string {
  const { problem, stages, bounds } = result;
  const [highest] = bounds;
  const path = problem.graph.criticalPath;
  if (path === stages) {
    const names = problem.graph.criticalUnits.map((id) => result.model.units[id]!.name);
    return `the chain of dependent tables: ${names.join(" > ")}`;
  }
  if (highest !== undefined && highest.stages === stages) return `${highest.name}: ${highest.detail}`;
  const limits = limitsOf(result.target);
  let fullest = "";
  let share = 0;
  for (const name of RESOURCES) {
    const limit = limits[name];
    if (limit === null) continue;
    for (const [stage, counts] of result.placement.stages.entries()) {
      if (counts[name] / limit > share) {
        share = counts[name] / limit;
        fullest = `${name} in stage ${stage}: ${counts[name]} of ${limit}`;
      }
    }
  }
  const conflicts = problem.conflicts.reduce((sum, set) => sum + set.size, 0) / 2;
  const withoutConflicts = stageCount(
    placeByStages({ ...problem, conflicts: problem.conflicts.map(() => new Set()) }),
  );
  if (conflicts > 0 && withoutConflicts < stages) {
    return `${conflicts} pairs of tables that write fields of one container`;
  }
  return fullest === "" ? "nothing: the program is small" : fullest;
}

function shortName(field: string): string {
  return field.replace(/^scalars\./, "").replace(/^standard_metadata\./, "");
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

function withoutOutputChains(problem: Problem): Advice[] {
  const byField = new Map<string, Set<number>>();
  for (const edge of problem.graph.edges) {
    if (edge.kind !== "output" || edge.field === undefined) continue;
    const set = byField.get(edge.field) ?? new Set<number>();
    set.add(edge.from).add(edge.to);
    byField.set(edge.field, set);
  }
  return [...byField].slice(0, MAX_TRIALS).map(([field, set]) => {
    const units = [...set].sort((a, b) => a - b).map((id) => problem.model.units[id]!);
    const apart = withoutEdges(problem, (_from, _to, kind, name) => kind === "output" && name === field);
    const changed = {
      ...apart,
      conflicts: problem.conflicts.map((others, id) =>
        set.has(id) ? new Set([...others].filter((other) => !set.has(other))) : others,
      ),
    };
    return {
      kind: "output" as const,
      message: `${units.length} tables write ${shortName(field)} in turn: ${names(units)}. Put them in exclusive branches (if / else), or let each write a field of its own and choose once at the end`,
      stages: stageCount(placeByStages(changed)),
      source: units[0]?.source,
    };
  });
}

function names(units: readonly Unit[]): string {
  const list = units.slice(0, 4).map((unit) => unit.name);
  return units.length > 4 ? `${list.join(", ")} and ${units.length - 4} more` : list.join(", ");
}

function withoutContainerConflicts(problem: Problem): Advice[] {
  const units = problem.model.units.filter((unit) => problem.conflicts[unit.id]!.size > 0);
  if (units.length === 0) return [];
  const changed = { ...problem, conflicts: problem.conflicts.map(() => new Set<number>()) };
  return [
    {
      kind: "container",
      message: `results of ${names(units)} share containers, so they take turns. Make the fields 32 bits wide, or keep them apart in the header (other fields between them)`,
      stages: stageCount(placeByStages(changed)),
      source: units[0]?.source,
    },
  ];
}

function replacing(problem: Problem, id: number, unit: Unit): Problem {
  const { target, phv } = problem;
  const plan = new TablePlan(unit, target, phv);
  const units = problem.model.units.map((u) => (u.id === id ? unit : u));
  return {
    ...problem,
    model: { ...problem.model, units },
    plans: problem.plans.map((p, i) => (i === id ? plan : p)),
    demands: problem.demands.map((d, i) => (i === id ? demandOf(unit, plan, target, phv) : d)),
  };
}

/** An exact table of a few entries takes four blocks; as a ternary table it takes one. */
function withSmallTablesTernary(problem: Problem): Advice[] {
  const small = problem.model.units.filter(
    (unit) =>
      problem.plans[unit.id]!.match === "exact" &&
      unit.size <= problem.target.tcam.depth &&
      problem.plans[unit.id]!.layout(unit.size).wayRams.length > 1,
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
      message: `${small.length} exact tables of at most ${problem.target.tcam.depth} entries take four SRAM blocks and a hash group each: ${names(small)}. Make their keys ternary`,
      stages: stageCount(placeByStages(changed)),
      source: small[0]?.source,
    },
  ];
}

function withHalfTables(problem: Problem): Advice[] {
  const blocks = (unit: Unit) => {
    const layout = problem.plans[unit.id]!.layout(unit.size);
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
      message: `${unit.name} with ${half} entries instead of ${unit.size}`,
      stages: stageCount(placeByStages(replacing(problem, unit.id, { ...unit, size: half }))),
      source: unit.source,
    };
  });
}

/** Tables of the longest chain that wait for a key: what if the key came with the packet. */
function withoutMatchChains(problem: Problem): Advice[] {
  const { graph, model } = problem;
  const on = new Set(graph.criticalUnits);
  const edges = graph.edges.filter(
    (edge) => edge.distance > 0 && edge.kind === "match" && on.has(edge.from) && on.has(edge.to),
  );
  return edges.slice(0, MAX_TRIALS).map((edge) => {
    const changed = withoutEdges(problem, (from, to) => from === edge.from && to === edge.to);
    const [from, to] = [model.units[edge.from]!, model.units[edge.to]!];
    return {
      kind: "match" as const,
      message: `${to.name} waits for ${shortName(edge.field ?? "")} of ${from.name}. Match ${to.name} on what ${from.name} matches, or join the two tables`,
      stages: stageCount(placeByStages(changed)),
      source: to.source,
    };
  });
}

export function explanationText(result: FitResult, explanation: Explanation): string {
  const lines = [`what binds: ${explanation.binding}`];
  if (explanation.advice.length === 0) lines.push("no single change that was tried saves a stage");
  for (const advice of explanation.advice) {
    const place = advice.source === undefined ? "" : `${advice.source.filename}:${advice.source.line}: `;
    lines.push(`  ${result.stages} -> ${advice.stages} stages: ${place}${advice.message}`);
  }
  return lines.join("\n");
}
