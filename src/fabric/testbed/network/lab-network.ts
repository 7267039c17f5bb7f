/** What a lab needs of a network, whichever program makes its namespaces and links. */
import type { LabSpec } from "../lab-spec.js";

export interface Network {
  /** Namespaces, hosts and links; no addresses yet, all interfaces down. */
  build(id: string, spec: LabSpec, stop: AbortSignal): Promise<void>;
  /** Ends the processes that the network needs, if there are any; the janitor removes namespaces. */
  end(): Promise<void>;
}
