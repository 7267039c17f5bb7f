/** The outcome of a unit of the kind `localise_packets`. */
import type { RunLoad } from "../../testbed/machine-load.js";
import type { NamedFailures } from "./search.js";

export interface LocaliseOnEngine {
  readonly failures: readonly NamedFailures[];
  /** Load of the machine; absent on the simulator. */
  readonly load?: RunLoad;
}
