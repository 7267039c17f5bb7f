/** Least amounts of each resource that a program takes in any placement. */
import type { Bound } from "./bounds.js";
import type { Problem } from "./placement.js";
import { limitsOf, noCounts, RESOURCES, type ResourceCounts } from "./stage.js";

/** Resources that tables may share within a stage have no fixed sum; the others add up. */
const SUMMED = new Set<string>([
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

function leastSums(problem: Problem): ResourceCounts {
  const sums = noCounts();
  const seen = new Set<string>();
  let conditions = 0;
  for (const unit of problem.model.units) {
    const demand = problem.demands[unit.id]!;
    // Split over stages a table may need fewer blocks of action data, never fewer match blocks.
    const layout = problem.plans[unit.id]!.layout(unit.kind === "match" ? unit.size : 1);
    sums.srams += layout.blocks.match;
    sums.tcams += layout.tcams;
    sums.exact_tables += demand.exactTables;
    sums.ternary_tables += demand.ternaryTables;
    sums.meter_alus += demand.meterAlus;
    sums.stats_alus += demand.statsAlus;
    if (unit.hashes.length > 0) sums.hash_dist_units += demand.hashDistribution;
    if (unit.condition === undefined) sums.logical_tables += 1;
    else conditions++;
    for (const shared of demand.shared) {
      if (seen.has(shared.name)) continue;
      seen.add(shared.name);
      sums.srams += shared.srams;
      sums.map_rams += shared.mapRams;
      sums.meter_alus += shared.meterAlus;
      sums.stats_alus += shared.statsAlus;
    }
  }
  // Every condition may be the gateway of some table.
  sums.gateways = conditions;
  return sums;
}

export function stageRangesNeeded(problem: Problem): Bound[] {
  const sums = leastSums(problem);
  const limits = limitsOf(problem.target);
  const bounds: Bound[] = [];
  for (const name of RESOURCES) {
    const limit = limits[name];
    if (limit === null || sums[name] === 0 || !SUMMED.has(name)) continue;
    bounds.push({
      name,
      stages: Math.ceil(sums[name] / limit),
      detail: `${sums[name]} ${name} at ${limit} a stage`,
    });
  }
  return bounds;
}
