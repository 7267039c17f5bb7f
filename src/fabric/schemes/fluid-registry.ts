/** The schemes of the flow simulator, one line each, by the names that experiment files use. */
import { dahuFluid } from "./dahu/fluid/index.js";
import { ecmpFluid } from "./ecmp/fluid.js";
import type { FluidScheme } from "./fluid-scheme.js";

export const FLUID_SCHEMES: Readonly<Record<string, FluidScheme>> = {
  dahu: dahuFluid,
  ecmp: ecmpFluid,
};
