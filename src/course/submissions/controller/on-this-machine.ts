/** Controllers for tests that run in our own process, such as those of a lab: each controller runs in an isolated process. */

import { ownCommand } from "../../../toolchain/loading/index.js";
import type { Exercise } from "../../exercises/index.js";
import { type StartController, StepFailure } from "../../grading/index.js";
import { examineIsolation, type Isolation, isolated, processLimits } from "../isolation.js";
import { controllerStarter } from "./parent.js";
import { type PythonStart, pythonStart } from "./python.js";

/** The subcommand of p4loom that starts the process of a controller. */
export const CONTROLLER_COMMAND = "controller";

let known: Promise<Isolation> | undefined;

/** Whether the controller of an exercise is Python, by its path. */
export const isPython = (path: string): boolean => path.endsWith(".py");

/**
 * Starts controllers with the isolation that this machine supports; without full isolation, controllers in Python do
 * not start. The first call starts some processes to find out what is supported.
 */
export function isolatedController({ limits, controller }: Exercise): StartController {
  const care = { answerMs: 1000 * limits.seconds };
  let python: Promise<PythonStart> | undefined;
  return async (module, network) => {
    if (controller !== undefined && isPython(controller)) {
      python ??= pythonStart(processLimits(limits), []);
      const start = await python;
      if ("reason" in start) throw new StepFailure("a controller in Python is isolated", start.reason);
      return controllerStarter(start.command, care)(module, network);
    }
    const own = ownCommand();
    known ??= examineIsolation(own);
    const command = isolated([...own, CONTROLLER_COMMAND], await known, processLimits(limits), false);
    return controllerStarter(command, care)(module, network);
  };
}
