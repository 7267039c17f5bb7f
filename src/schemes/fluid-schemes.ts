/** The schemes of the flow simulator by the names that files use. */
import * as registered from "./fluid-registry.js";
import type { FluidScheme } from "./fluid-scheme.js";

export const FLUID_SCHEMES: Readonly<Record<string, FluidScheme>> = { ...registered };
