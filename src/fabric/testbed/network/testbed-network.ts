/** What a testbed needs of a network, whichever program makes its namespaces and links. */
import type { TestbedSpec } from "../testbed-spec.js";

export interface Network {
  /** Namespaces, hosts and links; no addresses yet, all interfaces down. */
  build(id: string, spec: TestbedSpec, stop: AbortSignal): Promise<void>;
  /** Ends the processes that the network needs, if there are any; the janitor removes namespaces. */
  end(): Promise<void>;
}
