/** A planned fabric of Dahu with what its software is made of. */
import { dahuParameters } from "../../../../src/fabric/schemes/dahu/parameters.js";
import { type DahuFabric, planDahu } from "../../../../src/fabric/schemes/dahu/plan.js";
import type { Topology } from "../../../../src/fabric/topology/index.js";

export function dahuOf(topology: Topology, parameters: object): DahuFabric {
  return planDahu(topology, dahuParameters.parse(parameters), () => undefined);
}
