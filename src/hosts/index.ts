/**
 * What hosts do under a scheme, both in the simulator and in the agent on a real host. A {@link HostPolicy}
 * chooses selectors and NICs, and a {@link SelectorField} says which header bits carry a selector.
 */
export {
  type FlowKey,
  fixedPath,
  type HostPolicy,
  type PathChooser,
  type PolicyDescription,
  type SegmentMarks,
} from "./host-policy.js";
export { MovingPath, ProbingPath, type ReceiverRule, type Rerouter } from "./re-pathing.js";
export {
  FIELD_BITS,
  SELECTOR_FIELDS,
  type SelectorField,
  type SelectorHeaders,
  selectorHeaders,
  selectorOf,
} from "./selector-field.js";
