/** The schemes of the flow simulator, one line each. Each is exported under its own name, which experiment files use. */
export { dahuFluid as dahu } from "./dahu/fluid/index.js";
export { ecmpFluid as ecmp } from "./ecmp/fluid.js";
