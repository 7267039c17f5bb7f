/** Seeds of host agents. */
import { Random } from "../../../../base/index.js";

/** Seed of the agent on a host. */
export function agentSeed(seed: number, host: string): number {
  return new Random(seed).fork(`agent ${host}`).uint32();
}
