/** A scheme's closed form for a failure of an experiment, and the times of its tries. */
import type { Tries } from "../../../schemes/index.js";
import { computeRoutes, type Topology } from "../../../topology/index.js";
import { type DrawnFailure, isSingleCut } from "../../faults/drawn-failures.js";
import type { SchemeRun } from "../../scheme-run.js";
import { equalSites } from "./failure-sites.js";
import type { Experiment } from "./schema.js";

/** Undefined where the scheme has no closed form for this failure. */
export function theoryOf(
  experiment: Experiment,
  { plan }: SchemeRun,
  failure: DrawnFailure,
): Tries | undefined {
  if (!isSingleCut(failure)) return undefined;
  const { settings, topology } = experiment;
  return plan.closedForm?.tries({
    sites: equalSites(topology, settings.traffic.pairs, failure),
    oneSegment: settings.transport.window_segments === 1,
    symmetric: settings.topology.kind !== "graph" && hasEvenTiers(topology),
  });
}

/** Whether all switches of a tier have the same number of next hops in a direction. */
function hasEvenTiers(topology: Topology): boolean {
  const sizes = new Map<string, number>();
  for (const { node, hopSets } of computeRoutes(topology)) {
    for (const { direction, ports } of hopSets) {
      const key = `${topology.nodes[node]!.role} ${direction}`;
      if ((sizes.get(key) ?? ports.length) !== ports.length) return false;
      sizes.set(key, ports.length);
    }
  }
  return true;
}

/** Time from the failure to the `tries`-th timeout: the first after `first`, each next one doubled up to `cap`. */
export function timeOfTry(tries: number, first: number, cap: number): number {
  if (tries === Number.POSITIVE_INFINITY) return tries;
  let total = 0;
  let wait = first;
  for (let i = 0; i < tries; i++) {
    total += Math.min(wait, cap);
    wait *= 2;
  }
  return total;
}
