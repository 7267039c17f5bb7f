/** What a unit of the kind `localise_packets` yields. */
import type { RunLoad } from "../../testbed/machine-load.js";
import type { NamedFailures } from "./search.js";

export interface LocaliseOnEngine {
  readonly failures: readonly NamedFailures[];
  /** How busy the machine was; absent on the simulator. */
  readonly load?: RunLoad;
}
