/** What tests need of the machine when they run in this process, as those of a lab do. */
import { setImmediate } from "node:timers/promises";
import { SourceFile } from "../../base/index.js";
import type { Exercise } from "../exercises/index.js";
import type { RunTestOptions } from "../grading/index.js";
import { isolatedController } from "./controller/on-this-machine.js";
import { targetTexts } from "./exercise-folder.js";

/** The package's targets of the fit checker, and each controller in a process of its own. */
export function testsOnThisMachine(
  exercise: Exercise,
): RunTestOptions & Required<Pick<RunTestOptions, "target" | "startController">> {
  return {
    turn: () => setImmediate(),
    target: (name) => {
      const text = targetTexts()[name];
      return text === undefined ? undefined : new SourceFile(`${name}.yaml`, text);
    },
    startController: isolatedController(exercise),
  };
}
