/** Flows whose way crosses a leaf that starts to lose a share of the packets without a signal: a gray failure. */

import type { Experiment, SchemeRun } from "../../../src/fabric/experiment/index.js";
import { FailoverRig } from "../../../src/fabric/experiment/kinds/failover/rig.js";
import { modelFabric } from "./model-fabric.js";

/**
 * Mean timeouts of a flow during the observation after the first of the experiment's failures. Runs `flows` flows of a
 * scheme, one after the other. All schemes meet the same flows, elements and draws of lost packets.
 */
export function timeoutsPerFlow(
  experiment: Experiment,
  scheme: SchemeRun,
  flows: number,
  seed: number,
): number {
  const rig = new FailoverRig(experiment, modelFabric(experiment, scheme));
  const [failure] = experiment.failures;
  let timeouts = 0;
  for (let run = 0; run < flows; run++) timeouts += rig.run(failure!, run, seed).timeouts;
  return timeouts / flows;
}
