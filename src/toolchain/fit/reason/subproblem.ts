/**
 * A problem with some of its units alone. The others stay in the control flow, so that what follows what does not change, but they need
 * nothing and nothing waits for them. A placement of the whole is one of the part, so that a refused part means a refused whole.
 */
import { defined } from "../../../base/index.js";
import { graphOf } from "../dependencies.js";
import { TablePlan } from "../memory/layout.js";
import { NO_RESOURCES, type Unit } from "../model/model.js";
import type { Demand } from "../place/demand.js";
import type { Problem } from "../place/placement.js";

const NO_DEMAND: Demand = {
  logicalTables: 0,
  exactTables: 0,
  ternaryTables: 0,
  gateways: 0,
  matchBytes: [],
  crossbar: [],
  ternaryBytes: [],
  actionBusBytes: 0,
  results: [],
  instructions: { gress: "ingress", actions: [] },
  statsAlus: 0,
  meterAlus: 0,
  shared: [],
};

/** The problem of these units alone. */
export function subproblem(problem: Problem, kept: ReadonlySet<number>): Problem {
  const { model, target, phv, graph } = problem;
  const units = model.units.map((unit) => (kept.has(unit.id) ? unit : emptied(unit)));
  const only = (ids: Iterable<number>) => [...ids].filter((id) => kept.has(id));
  return {
    ...problem,
    model: { ...model, units },
    graph: graphOf(
      units.length,
      graph.edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
    ),
    plans: units.map((unit, id) =>
      kept.has(id) ? defined(problem.plans[id]) : new TablePlan(unit, target, phv),
    ),
    demands: problem.demands.map((demand, id) => (kept.has(id) ? demand : NO_DEMAND)),
    conflicts: problem.conflicts.map((others, id) => new Set(kept.has(id) ? only(others) : [])),
    companions: problem.companions.map((group, id) => (kept.has(id) ? only(group) : [id])),
  };
}

/** By unit: what stays of it, once it was asked for. */
const known = new WeakMap<Unit, Unit>();

function emptied(unit: Unit): Unit {
  const empty: Unit = known.get(unit) ?? {
    ...unit,
    ...NO_RESOURCES,
    kind: "action",
    key: [],
    actions: [],
    size: 1,
    condition: undefined,
  };
  known.set(unit, empty);
  return empty;
}
