/** Every exercise of the course on the simulated network: the starter fails with hints, the solution has all points. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { EXERCISE_FILE, maximumPoints, readExercise } from "../../../src/course/exercises/index.js";
import { runTests, type TestResult } from "../../../src/course/grading/index.js";
import { readHandedIn } from "../../../src/course/submissions/index.js";
import { diskFiles } from "../../../src/toolchain/loading/index.js";
import { localController } from "./local-controller.js";

const course = resolve(import.meta.dirname, "../../../examples/course");
const folders = readdirSync(course).filter((name) => existsSync(join(course, name, EXERCISE_FILE)));
const page = readFileSync(resolve(import.meta.dirname, "../../../docs/course.md"), "utf8");

const options = {
  turn: () => new Promise<void>((done) => setImmediate(done)),
  target: (name: string) => {
    const path = resolve(import.meta.dirname, `../../../data/targets/${name}.yaml`);
    return new SourceFile(path, readFileSync(path, "utf8"));
  },
  startController: localController,
};

/** The column `sim` of the table of points: starter, solution, maximum. */
const inTable = (name: string) => new RegExp(`^\\| ${name} \\| (\\d+), (\\d+) of (\\d+) \\|`, "m").exec(page);

it("has 21 exercises, and a page that teaches them in order", () => {
  expect(folders).toHaveLength(21);
  const linked = [...page.matchAll(/\]\(\.\.\/examples\/course\/([^/]+)\/README\.md\)/g)].map(
    ([, name]) => name,
  );
  expect(linked).toEqual(folders);
});

describe.each(folders)("%s", (name) => {
  const folder = join(course, name);
  const diagnostics = new Diagnostics();
  const exercise = readExercise(diskFiles, folder, diagnostics)!;
  const grade = (from: string): Promise<TestResult[]> =>
    runTests(exercise, readHandedIn(from, exercise.handsIn, diagnostics).files, options);

  it("has no error, and a hint for each test", () => {
    expect(diagnostics.list.map(formatDiagnostic)).toEqual([]);
    for (const test of exercise.tests) expect(test.hint, test.name).toBeDefined();
    expect(maximumPoints(exercise)).toBeGreaterThan(5);
  });

  it("marks the tasks in its starter", () => {
    const todo = exercise.handsIn.map((path) => readFileSync(join(folder, path), "utf8")).join("\n");
    const solved = exercise.handsIn
      .map((path) => readFileSync(join(folder, "solution", path), "utf8"))
      .join("\n");
    expect(todo).toContain("TODO");
    expect(solved).not.toContain("TODO");
  });

  it("gives the starter few points, with the expected and the observed behaviour", async () => {
    const results = await grade(folder);
    const points = results.reduce((sum, one) => sum + one.points, 0);
    expect(inTable(name)?.[1], "points of the starter in docs/course.md").toBe(String(points));
    expect(points).toBeLessThan(maximumPoints(exercise) / 2);
    for (const { passed, expected, seen, hint } of results)
      if (!passed) expect([expected, seen, hint]).not.toContain(undefined);
  });

  it("gives the solution all points, twice with the same bytes", async () => {
    const results = await grade(join(folder, "solution"));
    expect(results.filter(({ passed }) => !passed)).toEqual([]);
    const all = String(maximumPoints(exercise));
    expect(inTable(name)?.slice(2), "points of the solution in docs/course.md").toEqual([all, all]);
    expect(JSON.stringify(await grade(join(folder, "solution")))).toBe(JSON.stringify(results));
  });
});
