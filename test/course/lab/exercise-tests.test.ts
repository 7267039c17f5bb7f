/** The tests of an exercise as a lab runs them: what a page sees of them, and which run. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { DiagnosticError } from "../../../src/base/index.js";
import { exerciseTests, type TestResultView } from "../../../src/course/lab/index.js";
import { folderProject, ROOT } from "./wall.js";

const FOLDER = "examples/course/01-forwarding";
const { files } = folderProject(FOLDER);
const solved = {
  ...files,
  "forwarding.p4": readFileSync(join(ROOT, FOLDER, "solution/forwarding.p4"), "utf8"),
};
let turns = 0;
const tests = exerciseTests(() => ({
  turn: async () => {
    turns++;
  },
}));

const failureOf = async (work: () => unknown): Promise<string[]> => {
  try {
    await work();
  } catch (error) {
    return (error as DiagnosticError).diagnostics.flatMap(({ code, message, notes = [] }) => [
      `${code} ${message}`,
      ...notes.map((note) => (typeof note === "string" ? note : note.message)),
    ]);
  }
  throw new Error("no failure");
};

it("describes the exercise: its text, its tests with points, and the file to begin with", () => {
  const view = tests.read(files)!;
  expect(view).toMatchObject({
    title: expect.stringMatching(/\w/),
    text: files["README.md"],
    start: "forwarding.p4",
  });
  expect(view.tests.length).toBeGreaterThan(1);
  for (const { name, title, points } of view.tests) {
    expect(title).toBe(name);
    expect(points).toBeGreaterThan(0);
  }
  const { "README.md": _, ...bare } = files;
  expect(tests.read(bare)!.text).not.toBe(files["README.md"]);
  expect(tests.read(bare)!.text.length).toBeGreaterThan(0);
});

it("knows a project without an exercise", async () => {
  expect([tests.has(files), tests.has({})]).toEqual([true, false]);
  expect(tests.read({})).toBeUndefined();
  expect(await failureOf(() => tests.run({}, undefined, () => {}))).toEqual([
    "P46003 this project has no tests: it is not an exercise",
  ]);
});

it("fails with the errors of exercise.yaml", async () => {
  const wrong = { ...files, "exercise.yaml": `${files["exercise.yaml"]}\nnothing: 1\n` };
  const [message] = await failureOf(() => tests.read(wrong));
  expect(message).toContain("nothing");
});

it("runs the tests that a page names, with their state before and after", async () => {
  const names = tests.read(files)!.tests.map(({ name }) => name);
  const told: TestResultView[] = [];
  turns = 0;
  const results = await tests.run(solved, [names[0]!], (result) => void told.push(result));
  const { points } = tests.read(files)!.tests[0]!;
  expect(told).toEqual([{ name: names[0], state: "running", points: 0, of: points, lines: [] }, results[0]]);
  expect(results).toEqual([{ name: names[0], state: "passed", points, of: points, lines: [] }]);
  expect(turns).toBeGreaterThan(0);
  expect(await failureOf(() => tests.run(files, ["none"], () => {}))).toEqual([
    'P46003 the exercise has no test "none"',
    `its tests: ${names.join("; ")}`,
  ]);
});

it("gives all results of the starter, with what was expected and seen, and a hint", async () => {
  const results = await tests.run(files, undefined, () => {});
  expect(results.map(({ name }) => name)).toEqual(tests.read(files)!.tests.map(({ name }) => name));
  const failed = results.filter(({ state }) => state === "failed");
  expect(failed.length).toBeGreaterThan(0);
  for (const { lines, points, of } of failed) {
    expect(points).toBeLessThan(of);
    expect(lines.map(({ part }) => part)).toEqual(expect.arrayContaining(["expected", "seen", "hint"]));
  }
});

it("fails where a file to hand in is missing", async () => {
  const { "forwarding.p4": _, ...without } = files;
  const [message] = await failureOf(() => tests.run(without, undefined, () => {}));
  expect(message).toBe("P46301 there is no file forwarding.p4");
});
