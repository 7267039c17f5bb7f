/**
 * A problem with some of its units alone. The others stay in the control flow, so that what follows what does not change, but they need
 * nothing and nothing waits for them. A placement of the whole is one of the part, so that a refused part means a refused whole.
 */
import { graphOf } from "../dependencies.js";
import { TablePlan } from "../memory/layout.js";
import { NO_RESOURCES, type Unit } from "../model/model.js";
import type { Demand } from "../place/demand.js";
import type { LeftOut } from "../place/known.js";
import type { Problem } from "../place/placement.js";

/** Of a unit that is left out. */
export const NO_DEMAND: Demand = {
  logicalTables: 0,
  exactTables: 0,
  ternaryTables: 0,
  gateways: 0,
  matchBytes: [],
  crossbar: [],
  ternaryBytes: [],
  actionBusBytes: 0,
  actionBusBeside: 0,
  results: [],
  instructions: { gress: "ingress", actions: [] },
  statsAlus: 0,
  meterAlus: 0,
  shared: [],
};

/** The problem of these units alone. */
export function subproblem(problem: Problem, kept: ReadonlySet<number>): Problem {
  const { model, graph } = problem;
  const isKept = (id: number) => kept.has(id);
  const rest = model.units.map((unit, id) => (isKept(id) ? undefined : emptied(problem, unit)));
  const units = model.units.map((unit, id) => rest[id]?.unit ?? unit);
  const only = (ids: Iterable<number>) => [...ids].filter(isKept);
  return {
    ...problem,
    model: { ...model, units },
    graph: graphOf(
      units.length,
      graph.edges.filter(({ from, to }) => isKept(from) && isKept(to)),
    ),
    plans: problem.plans.map((plan, id) => rest[id]?.plan ?? plan),
    demands: problem.demands.map((demand, id) => (kept.has(id) ? demand : NO_DEMAND)),
    conflicts: problem.conflicts.map((others, id) => new Set(kept.has(id) ? only(others) : [])),
    inseparable: problem.inseparable.map((others, id) => new Set(kept.has(id) ? only(others) : [])),
    companions: problem.companions.map((group, id) => (kept.has(id) ? only(group) : [id])),
  };
}

/** What stays of a unit that is left out, the same each time. */
function emptied({ known, target, phv }: Problem, unit: Unit): LeftOut {
  const before = known.leftOut.get(unit);
  if (before !== undefined) return before;
  const empty: Unit = {
    ...unit,
    ...NO_RESOURCES,
    kind: "action",
    key: [],
    actions: [],
    size: 1,
    condition: undefined,
  };
  const made = { unit: empty, plan: new TablePlan(empty, target, phv) };
  known.leftOut.set(unit, made);
  return made;
}
