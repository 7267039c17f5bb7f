/** The schemes of this package, one line each. Each is exported under its own name, which experiment files use. */
export { conga } from "./conga/index.js";
export { dahu } from "./dahu/index.js";
export { drill } from "./drill/index.js";
export { ecmp } from "./ecmp/index.js";
export { hashing } from "./hashing/index.js";
export { hula } from "./hula/index.js";
export { multiroute } from "./multiroute/index.js";
export { none } from "./none/index.js";
export { p4te } from "./p4te/index.js";
export { pecmp } from "./pecmp/index.js";
export { plb } from "./plb/index.js";
export { presto } from "./presto/index.js";
export { prr } from "./prr/index.js";
export { repac } from "./repac/index.js";
export { reps } from "./reps/index.js";
export { spray } from "./spray/index.js";
export { wcmp } from "./wcmp/index.js";
