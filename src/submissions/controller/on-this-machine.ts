/** Controllers for tests that our own process runs, such as those of a lab: each in a process that is kept from this machine. */
import type { StartController } from "../../grading/index.js";
import { ownCommand } from "../../loading/index.js";
import { examineIsolation, type Isolation, isolated, type ProcessLimits } from "../isolation.js";
import { controllerStarter } from "./parent.js";

/** Word after p4loom's own command that starts the process of a controller. */
export const CONTROLLER_COMMAND = "controller";

let known: Promise<Isolation> | undefined;

/** What this machine lacks to isolate a controller is left out. Finding that out takes some processes, once. */
export const isolatedController =
  (limits: ProcessLimits): StartController =>
  async (module, network) => {
    const own = ownCommand();
    known ??= examineIsolation(own);
    const command = isolated([...own, CONTROLLER_COMMAND], await known, limits, false);
    return controllerStarter(command, () => {})(module, network);
  };
