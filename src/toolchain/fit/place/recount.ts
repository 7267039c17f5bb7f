/**
 * What a placement takes with the containers that fields got. A placement is made with the containers of phv/pack.ts, before the allocation
 * is known: there keys can stand in other bytes, operands of an ALU beside other values, and data in larger containers.
 */
import { defined } from "../../../base/index.js";
import type { TableLayout, TablePlan } from "../memory/layout.js";
import { allocatedLayout } from "../phv/allocated-layout.js";
import type { PhvAllocation } from "../phv/allocation.js";
import { withZeros } from "../phv/zeros.js";
import type { Demand } from "./demand.js";
import type { Part, Placement, Problem } from "./placement.js";
import { neededWith } from "./problem.js";
import { limitsOf, RESOURCES, Stage } from "./stage.js";
import { TernaryCrossbar } from "./ternary-crossbar.js";

/**
 * The placement with the layouts and sums of this allocation. A stage that would have too much of something keeps what it was placed with,
 * because the compiler's containers are others.
 */
export function recounted(problem: Problem, placement: Placement, allocation: PhvAllocation): Placement {
  const { target } = problem;
  const model = withZeros(problem.model, allocation);
  const { plans, demands } = neededWith(
    { model, graph: problem.graph },
    target,
    allocatedLayout(allocation, problem.phv),
  );
  const limits = limitsOf(target);
  const renewed = new Map<Part, Part>();
  const stages = placement.stages.map((before, index) => {
    const here = placement.parts.filter(({ stage }) => stage === index);
    const next = here.map((part) =>
      part.spill === undefined
        ? {
            ...part,
            layout: likeLayout(defined(problem.plans[part.unit.id]), defined(plans[part.unit.id]), part),
          }
        : part,
    );
    const filled = filledWith(problem, next, (id) => withoutSpills(defined(demands[id]), placement, id));
    const { counts } = filled;
    const isWithin =
      filled.isArranged() && RESOURCES.every((name) => counts[name] <= (limits[name] ?? counts[name]));
    if (!isWithin) return before;
    for (const [i, part] of here.entries()) renewed.set(part, defined(next[i]));
    return { ...counts, xbar_bytes_ternary: ternaryBytes(here, demands) ?? before.xbar_bytes_ternary };
  });
  return { ...placement, parts: placement.parts.map((part) => renewed.get(part) ?? part), stages };
}

/** The cheapest layout, or the packing of the placement where the array of the stage had no place for the cheapest. */
function likeLayout(before: TablePlan, plan: TablePlan, { layout, entries }: Part): TableLayout {
  const cheapest = before.layout(entries);
  return layout.srams === cheapest.srams && layout.wordBlocks === cheapest.wordBlocks
    ? plan.layout(entries)
    : plan.layoutLike(layout, entries);
}

/** Bytes of the ternary crossbar with the keys of these parts; undefined where it does not hold them all. */
function ternaryBytes(parts: readonly Part[], demands: readonly Demand[]): number | undefined {
  const crossbar = new TernaryCrossbar();
  const keys = parts
    .filter(({ spill }) => spill === undefined)
    .map(({ unit }) => defined(demands[unit.id]).ternaryBytes);
  return keys.every((key) => crossbar.place(key)) ? crossbar.bytes : undefined;
}

/** A stage with the parts, in the order in which they were placed; a condition right before its table is placed with it. */
function filledWith(
  { target, known }: Problem,
  parts: readonly Part[],
  demandOf: (unit: number) => Demand,
): Stage {
  const stage = new Stage(target, known);
  for (const [i, { unit, layout, gateway, spill }] of parts.entries()) {
    if (spill !== undefined) {
      stage.addShared({ ...spill, kind: "register", statsAlus: 0, meterAlus: 1, alu: [], action: [] });
      stage.counts.logical_tables++;
      continue;
    }
    if (parts[i + 1]?.gateway === unit.id) continue;
    const own = demandOf(unit.id);
    if (gateway !== undefined && parts[i - 1]?.unit.id === gateway) {
      stage.add(known.withGateway(own, demandOf(gateway)), layout);
      continue;
    }
    stage.add(own, layout);
    if (gateway !== undefined) stage.mergeGateway(own.gateways > 0);
  }
  return stage;
}

/** Without the memories whose blocks are parts of their own. */
function withoutSpills(demand: Demand, { parts }: Placement, id: number): Demand {
  const spilled = parts.flatMap(({ unit, spill }) =>
    unit.id === id && spill !== undefined ? [spill.name] : [],
  );
  return spilled.length === 0
    ? demand
    : { ...demand, shared: demand.shared.filter(({ name }) => !spilled.includes(name)) };
}
