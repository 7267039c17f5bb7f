/**
 * Schemes that are not part of the package. {@link ownSchemesOf} finds them in an experiment file: modules by their paths
 * (`module.ts`; `kit.ts` is what they get), and `scheme: p4`, which is a P4 program with entries (`plain-p4.ts`). Exceptions of users'
 * code, and code that never returns, become diagnostics at their place in the user's file (`guard.ts`).
 */
export { hostPolicyFrom, lateError } from "./module.js";
export { ownSchemesOf } from "./of-file.js";
