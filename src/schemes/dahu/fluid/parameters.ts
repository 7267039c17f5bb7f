/** The keys of Dahu in the flow simulator. */
import { z } from "zod";
import { switchParameters } from "../switch-parameters.js";

export const fluidParameters = z.strictObject(switchParameters);

export type FluidParameters = z.output<typeof fluidParameters>;
