/** Prepares a program for placement: dependencies, demands, container conflicts, shared memories. */
import { defined } from "../../../base/index.js";
import { findDependencies } from "../dependencies.js";
import { TablePlan } from "../memory/layout.js";
import type { FitModel } from "../model/model.js";
import { type PhvLayout, packFields } from "../phv/pack.js";
import type { Target } from "../target.js";
import { demandOf } from "./demand.js";
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

/** Prepares the placement of a model on a target. */
export function makeProblem(model: FitModel, target: Target): Problem {
  const graph = findDependencies(model);
  const phv = packFields(model, target);
  const plans = model.units.map((unit) => new TablePlan(unit, target, phv));
  const demands = model.units.map((unit) => demandOf(unit, defined(plans[unit.id]), target, phv));

  const conflicts: Set<number>[] = model.units.map(() => new Set());
  const conflict = (list: ReadonlyMap<number, ReadonlySet<number>>) => {
    for (const [a, actions] of list) {
      for (const b of list.keys()) {
        if (a === b || ![...actions].some((action) => model.flow.leads(a, action, b))) continue;
        defined(conflicts[a]).add(b);
        defined(conflicts[b]).add(a);
      }
    }
  };
  if (target.phv.deparser_validity_shared) {
    for (const gress of ["ingress", "egress"] as const) {
      const setters = new Map<number, Set<number>>();
      for (const unit of model.units.filter((one) => one.gress === gress))
        for (const [number, { writes }] of unit.actions.entries())
          if (writes.some(({ field }) => model.forDeparser.has(field) || field.endsWith("$")))
            setters.set(unit.id, (setters.get(unit.id) ?? new Set()).add(number));
      conflict(setters);
    }
  }
  if (target.phv.packs_fields) {
    for (const list of containerWriters(model, phv).values()) conflict(list);
  }

  const users = new Map<string, number[]>();
  for (const unit of model.units) {
    for (const shared of defined(demands[unit.id]).shared) {
      const list = users.get(shared.name);
      if (list === undefined) users.set(shared.name, [unit.id]);
      else if (!list.includes(unit.id)) list.push(unit.id);
    }
  }
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
  return { model, target, graph, phv, plans, demands, conflicts, companions };
}
