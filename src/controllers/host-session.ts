/** What a run hands in for each host: the channel between controllers and the policy of the host. */
import type { Json } from "../base/index.js";

export interface HostSession {
  /** The answer of the host's policy; rejects with DeviceError UNIMPLEMENTED where the policy takes no messages. */
  ask(message: Json): Promise<Json>;
  /** Calls back with what the host's policy tells; returns how to stop. */
  watch(listener: (message: Json) => void): () => void;
}
