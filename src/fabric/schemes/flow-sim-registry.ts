/** The schemes of the flow simulator, one line each, by the names that experiment files use. */
import { dahuFlowSim } from "./dahu/fluid/index.js";
import { ecmpFlowSim } from "./ecmp/flow-sim.js";
import type { FlowSimScheme } from "./flow-sim-scheme.js";

export const FLOW_SIM_SCHEMES: Readonly<Record<string, FlowSimScheme>> = {
  dahu: dahuFlowSim,
  ecmp: ecmpFlowSim,
};
