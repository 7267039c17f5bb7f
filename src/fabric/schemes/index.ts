/**
 * Traffic-control schemes. Each is one {@link Scheme}: parameters, the programs and state of its switches
 * (control plane), and the behaviour of its hosts.
 */
export {
  type ClosedForm,
  expectedTries,
  type FailureCase,
  type Tries,
  triesAtQuantile,
} from "./closed-form.js";
export { fixedHosts } from "./fixed-hosts.js";
export { FLOW_SIM_SCHEMES } from "./flow-sim-registry.js";
export type { FlowSimScheme } from "./flow-sim-scheme.js";
export { hostPolicyOf, SCHEMES, schemeNamed } from "./host-policy.js";
export { schemeKit } from "./kit.js";
export type {
  FabricPlan,
  HashAssignment,
  KnownFlow,
  NamedSetting,
  ReportText,
  Scheme,
  SchemeReport,
  SwitchPlan,
  SwitchSetting,
} from "./scheme.js";
export { calculationName } from "./scheme.js";
export { type HostFlow, type SelectorPath, SelectorPaths } from "./selector-paths.js";
