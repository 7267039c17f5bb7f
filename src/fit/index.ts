/**
 * Does a program fit a switch chip? `fitProgram` builds the model of a program's tables (model/), finds what must
 * come after what (dependencies), lays out memories (memory/) and packet fields (phv/), and places tables in stages
 * (place/). Targets are data: `parseTarget` checks what a target file says.
 */
export { conclude, type FitOptions, type FitResult, fitProgram, type Verdict } from "./fit.js";
export { parseTarget, type Target, targetSchema } from "./target.js";
