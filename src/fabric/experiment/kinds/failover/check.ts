/** Checks a file of the kind `failover`: each failure must have an element on the paths between the hosts. */
import type { Diagnostics, Locate } from "../../../../base/index.js";
import type { Topology } from "../../../topology/index.js";
import type { PairPattern } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import { type DrawnFailure, drawnFailures, FAILURES, failureOfWord } from "../../faults/drawn-failures.js";
import { refusePlanning } from "../../plan-schemes.js";
import type { CheckContext } from "../kind.js";
import { placesOf, siteKey } from "./failure-sites.js";
import type { Experiment, ExperimentSettings, FailoverFile } from "./schema.js";

/** Adds P43007 to P43009, P43014, P43020, and the codes of failures (P43029 to P43037). */
export function checkFailover({
  source,
  value,
  topology,
  locate,
  diagnostics,
  plan,
}: CheckContext<FailoverFile>): Experiment {
  const { pairs = farthestPairs(topology), ip } = value.traffic;
  const settings: ExperimentSettings = { ...value, traffic: { pairs, ip } };
  const failures = drawnFailures(settings.failures, topology, ip, locate, diagnostics);
  checkMeaning(settings, failures, topology, locate, diagnostics);
  const schemes = plan(settings, settings.runs);
  refusePlanning(schemes, "the flows of this experiment are drawn one at a time", locate, diagnostics);
  return { source, locate, settings, topology, schemes, failures };
}

/** The pattern with the greatest distance: hosts in different pods, else in different racks, else any. */
function farthestPairs({ pods, racks }: Topology): PairPattern {
  return pods.length > 1 ? "inter_pod" : racks.length > 1 ? "inter_rack" : "any";
}

function checkMeaning(
  settings: ExperimentSettings,
  failures: readonly DrawnFailure[],
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  if (settings.give_up <= settings.transport.rto_margin)
    diagnostics.error(
      CODES.givesUpTooEarly,
      locate(["give_up"]) ?? locate([]),
      `give_up is ${settings.give_up / 1e6} ms: no flow can recover before its first timeout`,
      `write more than rto_margin, ${settings.transport.rto_margin / 1e6} ms`,
    );
  checkSites(settings, failures, topology, locate, diagnostics);
}

/** Every failure must have an element on the paths between the hosts of `traffic.pairs`. */
function checkSites(
  settings: ExperimentSettings,
  failures: readonly DrawnFailure[],
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  const { pairs } = settings.traffic;
  const possible = placesOf(topology, pairs);
  if (possible === undefined) {
    diagnostics.error(
      CODES.noPair,
      locate(["traffic", "pairs"]) ?? locate(["topology"]),
      `no two hosts of the topology are ${PAIR_NEEDS[pairs]}`,
      `traffic.pairs is ${pairs}; the topology has ${count(topology.pods.length, "pod")}, ` +
        `${count(topology.racks.length, "rack")}`,
      `write traffic: { pairs: ${farthestPairs(topology)} }, or leave pairs out`,
    );
    return;
  }
  for (const [i, { name, sites }] of failures.entries()) {
    if (sites.every((site) => possible.has(siteKey(site)))) continue;
    const words = FAILURES.filter((one) => possible.has(siteKey(failureOfWord(one).sites[0]!)));
    diagnostics.error(
      CODES.noPlace,
      locate(["failures", i]),
      `failure "${name}": no path between the hosts of traffic.pairs: ${pairs} has such an element`,
      `failures that have an element on these paths: ${words.join(", ") || "none"}`,
    );
  }
}

const PAIR_NEEDS = { any: "different", inter_rack: "in different racks", inter_pod: "in different pods" };

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
