/** The tests of each exercise reach every statement of its solution: a wrong statement that no packet reaches would keep all points. */
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { coverSolution } from "../../../src/course/audit/index.js";
import { openExerciseFolder, testsOnThisMachine } from "../../../src/course/submissions/index.js";
import { coverageOf } from "../../../src/toolchain/coverage/index.js";

const COURSE = resolve(import.meta.dirname, "../../../examples/course");
const exercises = readdirSync(COURSE).filter((name) => existsSync(join(COURSE, name, "exercise.yaml")));

it.each(exercises)("%s", { timeout: 300_000 }, async (name) => {
  const exercise = openExerciseFolder(join(COURSE, name), new Diagnostics());
  const covered = await coverSolution(exercise, testsOnThisMachine(exercise));
  const unreached = covered.flatMap(({ path, counts }) =>
    coverageOf(counts)
      .items.filter(({ kind, hits }) => kind === "statement" && hits === 0)
      .map(({ place, text }) => `${path}:${place?.line} ${text}`),
  );
  expect(unreached).toEqual([]);
  expect(covered.some(({ counts }) => coverageOf(counts).totals.statement.of > 0)).toBe(true);
});
