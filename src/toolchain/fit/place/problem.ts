/** Prepares a program for placement: dependencies, demands, container conflicts, shared memories. */
import { defined } from "../../../base/index.js";
import { findDependencies } from "../dependencies.js";
import { TablePlan } from "../memory/layout.js";
import type { FitModel } from "../model/model.js";
import { writesOf } from "../model/model.js";
import { packFields } from "../phv/pack.js";
import type { Target } from "../target.js";
import { demandOf } from "./demand.js";
import type { Problem } from "./placement.js";

/** Fields that stand for values for the deparser and the traffic manager. */
const FOR_DEPARSER = new Set([
  "standard_metadata.egress_spec",
  "standard_metadata.mcast_grp",
  "$drop",
  "$mirror",
  "$digest",
  "$resubmit",
  "$bridge",
]);

/** Prepares the placement of a model on a target. */
export function makeProblem(model: FitModel, target: Target): Problem {
  const graph = findDependencies(model);
  const phv = packFields(model, target);
  const plans = model.units.map((unit) => new TablePlan(unit, target, phv));
  const demands = model.units.map((unit) => demandOf(unit, defined(plans[unit.id]), target, phv));

  const conflicts: Set<number>[] = model.units.map(() => new Set());
  if (target.phv.deparser_validity_shared) {
    const setters = model.units.filter((unit) =>
      writesOf(unit).some((write) => FOR_DEPARSER.has(write.field)),
    );
    for (const a of setters) {
      for (const b of setters) {
        if (a.id !== b.id && a.gress === b.gress && !model.flow.exclusive(a.id, b.id))
          defined(conflicts[a.id]).add(b.id);
      }
    }
  }
  if (target.phv.packs_fields) {
    const writers = new Map<number, number[]>();
    for (const unit of model.units) {
      const seen = new Set<number>();
      for (const write of writesOf(unit)) {
        for (const container of phv.touchedBy(unit.gress, write)) seen.add(container.id);
      }
      for (const id of seen) {
        const list = writers.get(id);
        if (list === undefined) writers.set(id, [unit.id]);
        else list.push(unit.id);
      }
    }
    for (const list of writers.values()) {
      for (const a of list) {
        for (const b of list) {
          if (a === b || model.flow.exclusive(a, b)) continue;
          defined(conflicts[a]).add(b);
          defined(conflicts[b]).add(a);
        }
      }
    }
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
