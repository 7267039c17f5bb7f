/** Controllers for tests that our own process runs, such as those of a lab: each in a process that is kept from this machine. */
import type { Exercise } from "../../exercises/index.js";
import { type StartController, StepFailure } from "../../grading/index.js";
import { ownCommand } from "../../loading/index.js";
import { examineIsolation, type Isolation, isolated } from "../isolation.js";
import { controllerStarter } from "./parent.js";
import { type PythonStart, pythonStart } from "./python.js";

/** Word after p4loom's own command that starts the process of a controller. */
export const CONTROLLER_COMMAND = "controller";

let known: Promise<Isolation> | undefined;

/** Whether the controller of an exercise is Python, by its path. */
export const isPython = (path: string): boolean => path.endsWith(".py");

/** What this machine lacks to isolate a controller is left out; one in Python does not start then. Finding that out takes some processes, once. */
export function isolatedController({ limits, controller }: Exercise): StartController {
  let python: Promise<PythonStart> | undefined;
  return async (module, network) => {
    if (controller !== undefined && isPython(controller)) {
      python ??= pythonStart(limits, []);
      const start = await python;
      if ("reason" in start) throw new StepFailure("a controller in Python is contained", start.reason);
      return controllerStarter(start.command, () => {})(module, network);
    }
    const own = ownCommand();
    known ??= examineIsolation(own);
    const command = isolated([...own, CONTROLLER_COMMAND], await known, limits, false);
    return controllerStarter(command, () => {})(module, network);
  };
}
