/** Prepares a program for placement: dependencies, demands, container conflicts, shared memories. */
import { defined } from "../../../base/index.js";
import { findDependencies, ignoresDependency } from "../dependencies.js";
import { TablePlan } from "../memory/layout.js";
import type { FitModel, Gress } from "../model/model.js";
import { type PhvLayout, packFields } from "../phv/pack.js";
import { validityContainers } from "../phv/validity.js";
import type { Target } from "../target.js";
import { type Demand, demandOf, operandsByMemory } from "./demand.js";
import { Known } from "./known.js";
import type { Problem } from "./placement.js";

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
 * By memory: the units that use it and need one stage. Units of a TNA program that can run for one packet do not share a register: the
 * compiler places each for itself, and a check warns.
 */
function sharersOf(model: FitModel, demands: readonly Demand[]): Map<string, number[]> {
  const users = new Map<string, number[]>();
  const alone = new Set<string>();
  for (const unit of model.units)
    for (const { name, kind } of defined(demands[unit.id]).shared) {
      const list = users.get(name) ?? [];
      users.set(name, list);
      if (list.includes(unit.id)) continue;
      const together = list.some((other) => !model.flow.exclusive(other, unit.id));
      if (kind === "register" && model.hasEgressParser && together) alone.add(name);
      list.push(unit.id);
    }
  for (const name of alone) users.set(name, []);
  return users;
}

/** What each unit needs, where its fields stand in these containers. */
export function neededWith(
  model: FitModel,
  target: Target,
  phv: PhvLayout,
): Pick<Problem, "plans" | "demands"> {
  // A table whose condition is its gateway has memory for its entries (p4c, mau/resource_estimate.cpp, gateway_attached).
  const guarded = new Set(
    model.units.flatMap(({ id, kind }) => (kind === "condition" ? model.flow.successors(id) : [])),
  );
  const plans = model.units.map((unit) => new TablePlan(unit, target, phv, !guarded.has(unit.id)));
  const operands = operandsByMemory(model.units);
  const demands = model.units.map((unit) =>
    demandOf(unit, defined(plans[unit.id]), target, { phv, operands }),
  );
  return { plans, demands };
}

/** Prepares the placement of a model on a target. */
export function makeProblem(model: FitModel, target: Target): Problem {
  const graph = findDependencies(model);
  const phv = packFields(model, target);
  const { plans, demands } = neededWith(model, target, phv);

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
    if (model.hasEgressParser) for (const list of byteWriters(model).values()) conflict(list, inseparable);
  }

  const users = sharersOf(model, demands);
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
  const known = new Known();
  return { model, target, graph, phv, plans, demands, conflicts, inseparable, companions, known };
}
