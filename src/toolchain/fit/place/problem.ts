/** Prepares a program for placement: dependencies, demands, container conflicts, shared memories. */
import { defined } from "../../../base/index.js";
import { type DependencyGraph, findDependencies, ignoresDependency } from "../dependencies.js";
import { TablePlan } from "../memory/layout.js";
import { type FitModel, type Gress, threadOf } from "../model/model.js";
import { allocatePhv } from "../phv/allocate.js";
import { isSmallValue, type PhvLayout, packFields } from "../phv/pack.js";
import { readRequests } from "../phv/requests.js";
import { validityContainers } from "../phv/validity.js";
import { withZeros } from "../phv/zeros.js";
import type { Target } from "../target.js";
import { chainsOfFlow } from "./chains.js";
import { demandOf, isCopied, operandsByMemory } from "./demand.js";
import { Known } from "./known.js";
import { entriesToPlace, type Problem } from "./placement.js";
import { findSequences, gatewaysOf, orderWithin } from "./sequences.js";
import { Stage } from "./stage.js";

/** By container: the units that write it, with the numbers of their actions that do. */
function containerWriters(model: FitModel, phv: PhvLayout): Map<number, Map<number, Set<number>>> {
  const writers = new Map<number, Map<number, Set<number>>>();
  for (const { id, gress, actions } of model.units)
    for (const [number, { writes }] of actions.entries())
      for (const write of writes)
        for (const container of phv.touchedBy(gress, write)) {
          const units = writers.get(container.id) ?? new Map<number, Set<number>>();
          writers.set(container.id, units.set(id, (units.get(id) ?? new Set()).add(number)));
        }
  return writers;
}

/** By byte of a packet header of a gress, which no two containers share: the units that write bits of it, with the numbers of their actions. */
function byteWriters({ units, fields }: FitModel): Map<string, Map<number, Set<number>>> {
  const writers = new Map<string, Map<number, Set<number>>>();
  for (const { id, gress, actions } of units)
    for (const [number, { writes }] of actions.entries())
      for (const { field, lo, width } of writes) {
        const info = fields.get(field);
        if (info === undefined || info.metadata) continue;
        const end = info.offset + info.width - lo;
        for (let byte = (end - width) >> 3; byte << 3 < end; byte++) {
          const key = `${gress} ${info.header} ${byte}`;
          const list = writers.get(key) ?? new Map<number, Set<number>>();
          writers.set(key, list.set(id, (list.get(id) ?? new Set()).add(number)));
        }
      }
  return writers;
}

/** By container of validity bits: the units that set some of them, with the numbers of their actions. */
function validitySetters(model: FitModel, gress: Gress, target: Target): Map<number, Set<number>>[] {
  const containers = validityContainers(model, gress, target);
  const setters: Map<number, Set<number>>[] = [];
  for (const { id, actions, gress: own } of model.units) {
    if (own !== gress) continue;
    for (const [number, { writes }] of actions.entries())
      for (const { field } of writes) {
        // A v1model program has one list: the compiler makes its headers.
        const isBit = model.forDeparser.has(field) || field.endsWith("$");
        const at = model.hasEgressParser ? containers.get(field) : isBit ? 0 : undefined;
        if (at === undefined) continue;
        setters[at] ??= new Map();
        setters[at].set(id, (setters[at].get(id) ?? new Set()).add(number));
      }
  }
  return setters.filter((list) => list !== undefined);
}

/**
 * Units of ingress that write a bit of validity which is copied to or from another one, or a small value for the deparser, with the numbers of their
 * actions; none where no bit is copied. Such a bit is in no list (p4c, phv/make_clusters.cpp, FindComplexValidityBits), and stands beside these
 * values (measured: `drop_ctl` and two copied bits of a made program in one byte).
 */
function smallWriters({ units, fields, forDeparser }: FitModel): Map<number, Set<number>> {
  const ingress = units.filter(({ gress }) => gress === "ingress");
  const operations = ingress.flatMap(({ actions }) => actions.flatMap((action) => action.operations));
  const copied = new Set(
    operations.flatMap(({ write, copiedBit }) => (copiedBit === undefined ? [] : [write.field, copiedBit])),
  );
  const isSmall = (field: string) => {
    const info = fields.get(field);
    return info !== undefined && forDeparser.has(field) && isSmallValue(info);
  };
  const writers = new Map<number, Set<number>>();
  if (copied.size === 0) return writers;
  for (const { id, actions } of ingress)
    for (const [number, { writes }] of actions.entries())
      if (writes.some(({ field }) => copied.has(field) || isSmall(field)))
        writers.set(id, (writers.get(id) ?? new Set()).add(number));
  return writers;
}

/** A chain of dependencies leads from one unit to a later one that takes a stage or more. */
function isApart({ outgoing }: DependencyGraph, from: number, to: number): boolean {
  const distances = new Map([[from, 0]]);
  for (let unit = from; unit < to; unit++) {
    const here = distances.get(unit);
    if (here === undefined) continue;
    for (const { to: next, distance } of defined(outgoing[unit]))
      distances.set(next, Math.max(distances.get(next) ?? 0, here + distance));
  }
  return (distances.get(to) ?? 0) > 0;
}

/** Whether an empty stage holds these units with all their entries. */
function fitOneStage(units: readonly number[], { plans, demands, model, target, known }: Needed): boolean {
  const stage = new Stage(target, known);
  return units.every((id) => {
    const demand = defined(demands[id]);
    const layout = defined(plans[id]).layout(entriesToPlace(defined(model.units[id])));
    if (stage.exceeded(demand, layout) !== undefined) return false;
    stage.add(demand, layout);
    return true;
  });
}

/**
 * By memory: the units that use it and need one stage, none of a memory that stages have copies of. Of a TNA program, units that can run for one packet do not share a register where they
 * need different stages, or one stage does not hold them: the compiler places each for itself, and a check warns. Where nothing keeps them
 * apart, the first one waits for what the others wait for, so that they are in one stage (p4c, mau/table_placement.cpp, tables_with_shared).
 */
function sharersOf(needed: Needed): Map<string, number[]> {
  const { model, demands, graph, conflicts, target } = needed;
  const users = new Map<string, number[]>();
  const alone = new Set<string>();
  const maySplit = new Set<string>();
  for (const unit of model.units)
    for (const { name, kind } of defined(demands[unit.id]).shared) {
      const list = users.get(name) ?? [];
      users.set(name, list);
      if (list.includes(unit.id) || isCopied({ kind }, target)) continue;
      if (kind === "register" && model.hasEgressParser)
        for (const other of list) {
          if (model.flow.exclusive(other, unit.id)) continue;
          // The ghost thread and ingress have the same memory.
          if (threadOf(defined(model.units[other])) !== threadOf(unit)) continue;
          maySplit.add(name);
          if (isApart(graph, other, unit.id) || defined(conflicts[other]).has(unit.id)) alone.add(name);
        }
      list.push(unit.id);
    }
  for (const name of maySplit)
    if (alone.has(name) || !fitOneStage(defined(users.get(name)), needed)) users.set(name, []);
  return users;
}

type Needed = Pick<Problem, "model" | "target" | "graph" | "plans" | "demands" | "conflicts" | "known">;

/** What each unit needs, where its fields stand in these containers. */
export function neededWith(
  { model, graph }: Pick<Problem, "model" | "graph">,
  target: Target,
  phv: PhvLayout,
): Pick<Problem, "plans" | "demands"> {
  // A table whose condition is its gateway has memory for its entries (p4c, mau/resource_estimate.cpp, gateway_attached).
  const sequences = findSequences(model);
  const gateways = gatewaysOf({ model, graph }, sequences, orderWithin({ model, graph }, sequences));
  const plans = model.units.map((unit) => new TablePlan(unit, target, phv, gateways[unit.id] === undefined));
  const operands = operandsByMemory(model.units);
  const demands = model.units.map((unit) =>
    demandOf(unit, defined(plans[unit.id]), target, { phv, operands }),
  );
  return { plans, demands };
}

/**
 * The dependencies of a model, with those of tables that give values their zero. The compiler allocates before it places, by the earliest stage of
 * each table, and where a value takes the place of another one, what touches it waits for the table that writes its zero (p4c,
 * phv/analysis/live_range_shrinking.cpp).
 */
function dependenciesOf(model: FitModel, target: Target, phv: PhvLayout): DependencyGraph {
  const graph = findDependencies(model);
  if (!model.hasEgressParser || target.flow.long_branches !== 0) return graph;
  const { earliest, below } = chainsOfFlow({ model, graph, target });
  const allocation = allocatePhv(
    {
      model,
      target,
      requests: readRequests(model, target).requests,
      stagesOf: (unit) => [earliest[unit] ?? 0],
      earliestOf: (unit) => earliest[unit] ?? 0,
      belowOf: (unit) => below[unit] ?? 0,
      isBeforePlacement: true,
    },
    phv,
  );
  const zeroed = allocation === undefined ? model : withZeros(model, allocation);
  return zeroed === model ? graph : findDependencies(zeroed);
}

/** Prepares the placement of a model on a target. */
export function makeProblem(model: FitModel, target: Target): Problem {
  const phv = packFields(model, target, readRequests(model, target).requests.parts);
  const graph = dependenciesOf(model, target, phv);
  const { plans, demands } = neededWith({ model, graph }, target, phv);

  const conflicts: Set<number>[] = model.units.map(() => new Set());
  const inseparable: Set<number>[] = model.units.map(() => new Set());
  const conflict = (list: ReadonlyMap<number, ReadonlySet<number>>, among = conflicts) => {
    for (const [a, actions] of list) {
      for (const b of list.keys()) {
        if (a === b || ![...actions].some((action) => model.flow.leads(a, action, b))) continue;
        if (ignoresDependency(defined(model.units[a]), defined(model.units[b]))) continue;
        defined(among[a]).add(b);
        defined(among[b]).add(a);
      }
    }
  };
  if (target.phv.deparser_validity_shared)
    for (const gress of ["ingress", "egress"] as const)
      for (const setters of validitySetters(model, gress, target)) conflict(setters);
  if (target.phv.packs_fields) {
    for (const list of containerWriters(model, phv).values()) conflict(list);
    if (model.hasEgressParser && !target.phv.deparser_validity_shared) conflict(smallWriters(model));
    if (model.hasEgressParser) for (const list of byteWriters(model).values()) conflict(list, inseparable);
  }

  const known = new Known();
  const users = sharersOf({ model, target, graph, plans, demands, conflicts, known });
  const companions = model.units.map((unit) => {
    const together = new Set<number>([unit.id]);
    // Sharing is transitive: a with b, b with c.
    for (const member of together) {
      for (const shared of defined(demands[member]).shared) {
        for (const other of defined(users.get(shared.name))) together.add(other);
      }
    }
    return [...together].sort((a, b) => a - b);
  });
  return { model, target, graph, phv, plans, demands, conflicts, inseparable, companions, known };
}
