/** The context that the agent gives to a host policy. */
import { Random } from "../../base/index.js";
import type { HostContext } from "../hosts/index.js";
import { monotonicNs } from "./clock.js";
import type { AgentEvent } from "./events.js";
import type { StartRequest } from "./requests.js";
import type { Timers } from "./timers.js";

export function contextOf(
  { name, nics, seed }: StartRequest,
  timers: Timers,
  tell: (event: AgentEvent) => void,
): HostContext {
  return {
    name,
    nics: nics.length,
    clock: {
      now: monotonicNs,
      at: (time, fn) => {
        let isCancelled = false;
        timers.at(time, () => {
          if (!isCancelled) fn();
        });
        return () => {
          isCancelled = true;
        };
      },
    },
    random: new Random(seed).fork("policy"),
    tell: (message) => tell({ event: "told", message }),
  };
}
