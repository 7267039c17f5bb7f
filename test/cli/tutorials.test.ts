/** The exercises of the P4 tutorials, where P4LOOM_TUTORIALS names a checkout: see bench/course/exercises.ts. */
import { describe, expect, it } from "vitest";
import { EXERCISES, runExercise, whyNoTutorials } from "../../bench/course/exercises.js";
import { COMMAND } from "../built-command.js";
import { bmv2, whyNot } from "../fabric/testbed/machine.js";

const checkout = whyNoTutorials();

for (const engine of ["switch", "bmv2"] as const) {
  const reason = checkout ?? whyNot("netns", engine, ["ping", "iperf3"]);
  describe.skipIf(reason !== undefined)(
    `the tutorials on ${engine}${reason ? ` (not here: ${reason})` : ""}`,
    () => {
      it.each(EXERCISES)(
        "$name works with its own scripts",
        async (exercise) => {
          const { missing, output } = await runExercise(exercise, engine, [process.execPath, COMMAND]);
          expect(missing, `${bmv2 ?? ""}\n${output}`).toEqual([]);
        },
        240_000,
      );
    },
  );
}
