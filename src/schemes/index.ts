/**
 * Traffic-control schemes. Each is one {@link Scheme}: parameters, the programs and state of its switches
 * (control plane), and the behaviour of its hosts.
 */
import { ecmp } from "./ecmp/index.js";
import { pecmp } from "./pecmp/index.js";
import { prr } from "./prr/index.js";
import type { Scheme } from "./scheme.js";

export { type EcmpParameters, ecmp } from "./ecmp/index.js";
export { hostPolicyOf } from "./host-policy.js";
export {
  alwaysMoves,
  bitsFor,
  type CompiledMatrix,
  type CompiledSwitch,
  type Control,
  type ControlMatrix,
  compileFabric,
  compileMatrices,
  controlMatrix,
  DEFAULT_REPORT,
  type Demand,
  demandOf,
  FAILOVERS,
  type Failover,
  type FanOut,
  type FanOuts,
  fanOutsOf,
  formatReport,
  formatSwitchReport,
  groupSizes,
  HOPS,
  type Hop,
  layOut,
  makeRerouter,
  matrixRow,
  matrixRows,
  memberCount,
  missingBits,
  modelOf,
  nextHop,
  type OffsetRule,
  type OffsetSet,
  offsetSet,
  type PecmpFabric,
  type PecmpParameters,
  pecmp,
  pecmpHosts,
  pecmpParameters,
  type RepathLoad,
  type ReportOptions,
  type ReportRow,
  readSlice,
  repathLoad,
  reportOf,
  rowCount,
  ruleFor,
  type SelectorLayout,
  SWITCH_MODELS,
  type SwitchModel,
  selectorValues,
  table2Report,
  usableSpace,
  VERSION_BITS,
  type VersionBit,
  type Weights,
  writeSlice,
} from "./pecmp/index.js";
export { type PrrParameters, prr } from "./prr/index.js";
export type { FabricPlan, Repathing, Scheme, SchemeHosts, SwitchPlan } from "./scheme.js";

/** All schemes, by name. */
export const SCHEMES = { ecmp, pecmp, prr } as const;

export type SchemeName = keyof typeof SCHEMES;

/** The names that an experiment file may use: those of all schemes, and `none` for hosts that do not re-path. */
export const NAMED_SCHEMES = { ...SCHEMES, none: { ...ecmp, title: "no re-pathing" } } as const;

/** The scheme of that name, if there is one. Its parameters must have been parsed by its own schema. */
export function schemeNamed(name: string): Scheme | undefined {
  return Object.hasOwn(SCHEMES, name) ? (SCHEMES[name as SchemeName] as Scheme) : undefined;
}
