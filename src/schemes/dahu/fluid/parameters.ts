/** The keys of Dahu in the flow simulator. */
import { z } from "zod";
import { switchParameters } from "../switch-parameters.js";

export const fluidParameters = z.strictObject({
  ...switchParameters,
  /** What switches count: the traffic of each member of a group, as in the paper, or that of each virtual port (section 3.1). */
  counters: z.enum(["members", "virtual_ports"]).default("members"),
});

export type FluidParameters = z.output<typeof fluidParameters>;
