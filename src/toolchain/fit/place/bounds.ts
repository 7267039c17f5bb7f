/** Lower bounds of the number of stages: no placement has fewer. */
import { defined } from "../../../base/index.js";
import type { Unit } from "../model/model.js";
import { entriesToPlace, type Problem } from "./placement.js";
import {
  limitsOf,
  noCounts,
  RESOURCE_NAMES,
  RESOURCES,
  type Resource,
  type ResourceCounts,
} from "./stage.js";

export interface Bound {
  /** `critical path`, or the resource whose sum gives the bound. */
  readonly name: "critical path" | Resource;
  readonly stages: number;
  /** The bound in words, with its numbers. */
  readonly detail: string;
}

/** The longest chain of dependencies, and the sum of each resource over the amount of a stage. The largest first. */
export function lowerBounds(problem: Problem): Bound[] {
  const { graph } = problem;
  const bounds: Bound[] = [
    {
      name: "critical path",
      stages: graph.criticalPath,
      detail:
        graph.criticalPath === 1
          ? "no table waits for another"
          : `a chain of ${graph.criticalPath} dependent tables`,
    },
    ...resourceBounds(problem),
  ];
  return bounds.sort((a, b) => b.stages - a.stages || (a.name < b.name ? -1 : 1));
}

/** Tables of a stage can share the other resources, so those have no fixed sum. */
const SUMMED: ReadonlySet<Resource> = new Set([
  "srams",
  "tcams",
  "map_rams",
  "logical_tables",
  "hash_dist_units",
  "meter_alus",
  "stats_alus",
  "exact_tables",
  "ternary_tables",
]);

function resourceBounds(problem: Problem): Bound[] {
  const sums = minimumSums(problem, problem.model.units);
  const limits = limitsOf(problem.target);
  const bounds: Bound[] = [];
  for (const name of RESOURCES) {
    const limit = limits[name];
    if (limit === null || sums[name] === 0 || !SUMMED.has(name)) continue;
    bounds.push({
      name,
      stages: Math.ceil(sums[name] / limit),
      detail: `${sums[name]} ${RESOURCE_NAMES[name]} at ${limit} a stage`,
    });
  }
  return bounds;
}

/** The units that take some of a resource, each alone. */
export function usersOf(problem: Problem, resource: Resource): number[] {
  return problem.model.units.filter((unit) => minimumSums(problem, [unit])[resource] > 0).map(({ id }) => id);
}

/** Minimum amount of each resource in any placement of these units. */
function minimumSums(problem: Problem, units: readonly Unit[]): ResourceCounts {
  const sums = noCounts();
  const seen = new Set<string>();
  for (const unit of units) {
    const demand = defined(problem.demands[unit.id]);
    // Split over stages a table may need fewer blocks of action data, never fewer match blocks.
    const layout = defined(problem.plans[unit.id]).layout(entriesToPlace(unit));
    sums.srams += layout.blocks.match;
    sums.tcams += layout.tcams;
    sums.exact_tables += demand.exactTables;
    sums.ternary_tables += demand.ternaryTables;
    sums.meter_alus += demand.meterAlus;
    sums.stats_alus += demand.statsAlus;
    for (const use of demand.crossbar) {
      // Equal hashes share a unit in one stage.
      if (use.kind !== "distribution" || seen.has(use.key)) continue;
      seen.add(use.key);
      sums.hash_dist_units++;
    }
    // Every condition may be the gateway of some table.
    if (unit.condition === undefined && demand.logicalTables > 0) sums.logical_tables += layout.logicalTables;
    for (const shared of demand.shared) {
      if (seen.has(shared.name)) continue;
      seen.add(shared.name);
      sums.srams += shared.srams;
      sums.map_rams += shared.mapRams;
      sums.meter_alus += shared.meterAlus;
      sums.stats_alus += shared.statsAlus;
    }
  }
  return sums;
}
