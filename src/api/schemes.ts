/**
 * `p4loom/schemes`: the interfaces of a scheme of your own: its plan, its controllers, the policy of its hosts, and the kit that
 * its module gets. Pages: docs/own-scheme.md and docs/controllers.md.
 */
export { Random } from "../base/index.js";
export * from "../fabric/controllers/index.js";
export * from "../fabric/hosts/index.js";
export {
  type ClosedForm,
  expectedTries,
  type FabricPlan,
  hostPolicyOf,
  SCHEMES,
  type Scheme,
  type SwitchPlan,
  schemeKit,
  schemeNamed,
  triesAtQuantile,
} from "../fabric/schemes/index.js";
