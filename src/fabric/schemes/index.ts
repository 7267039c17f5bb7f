/**
 * Traffic-control schemes. Each is one {@link Scheme}: parameters, the programs and state of its switches
 * (control plane), and the behaviour of its hosts.
 */
export { calculationName } from "./calculation-name.js";
export {
  type ClosedForm,
  DRAWS_BOTH_DIRECTIONS,
  expectedTries,
  type FailureCase,
  LEAVES_FOR_SURE,
  NEVER_LEAVES,
  successProbability,
  type Tries,
  triesAtQuantile,
} from "./closed-form.js";
export { type FirstTries, type FirstTry, firstTries } from "./first-tries.js";
export { fixedHosts } from "./fixed-hosts.js";
export { FLUID_SCHEMES } from "./fluid-registry.js";
export type { FluidScheme } from "./fluid-scheme.js";
export type { HashAssignment, NamedSetting } from "./hash-assignment.js";
export { hostPolicyOf, SCHEMES, schemeNamed } from "./host-policy.js";
export { schemeKit } from "./kit.js";
export type {
  FabricPlan,
  KnownFlow,
  ReportText,
  Scheme,
  SchemeReport,
  SwitchPlan,
  SwitchSetting,
} from "./scheme.js";
export { type HostFlow, type SelectorPath, SelectorPaths } from "./selector-paths.js";
