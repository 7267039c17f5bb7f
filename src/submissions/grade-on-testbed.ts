/** Grades submissions on real switches, one after the other: all of them use the same interfaces and processors. */
import { setImmediate } from "node:timers/promises";
import { SourceFile } from "../base/index.js";
import { type Exercise, maximumPoints } from "../exercises/index.js";
import { runTests } from "../grading/index.js";
import { ownCommand } from "../loading/index.js";
import { controllerStarter } from "./controller/parent.js";
import { targetTexts } from "./exercise-folder.js";
import type { FoundSubmission } from "./find.js";
import { controllerCommand } from "./grade-all.js";
import type { GradedSubmission } from "./grade-one.js";
import { examineIsolation } from "./isolation.js";
import { startTestbedNetwork, type TestbedOptions } from "./testbed-network.js";

/** There is no story of packets: real switches do not tell one. Times are real, so the results of a meter may differ. */
export async function gradeOnTestbed(
  submissions: readonly FoundSubmission[],
  exercise: Exercise,
  testbed: TestbedOptions,
): Promise<GradedSubmission[]> {
  const own = ownCommand();
  const controller = controllerCommand(own, examineIsolation(own), exercise.limits);
  const results: GradedSubmission[] = [];
  for (const { name, files } of submissions) {
    const tests = await runTests(exercise, files, {
      turn: () => setImmediate() as Promise<void>,
      target: (target) => {
        const text = targetTexts()[target];
        return text === undefined ? undefined : new SourceFile(`${target}.yaml`, text);
      },
      startController: controllerStarter(controller, () => {}),
      network: () => startTestbedNetwork(exercise.topology, testbed),
    });
    const points = tests.reduce((sum, one) => sum + one.points, 0);
    results.push({ name, points, of: maximumPoints(exercise), tests });
  }
  return results;
}
