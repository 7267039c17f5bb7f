import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { readExceptions } from "../../../src/course/audit/exceptions.js";
import { auditExercise, openSurvivors } from "../../../src/course/audit/index.js";
import { readExercise } from "../../../src/course/exercises/index.js";
import { testsOnThisMachine } from "../../../src/course/submissions/index.js";
import { diskFiles } from "../../../src/toolchain/loading/index.js";

const course = resolve(import.meta.dirname, "../../../examples/course");
const folder = join(course, "01-forwarding");

function audit(keep: (name: string) => boolean) {
  const diagnostics = new Diagnostics();
  const exercise = readExercise(diskFiles, folder, diagnostics)!;
  const tests = exercise.tests.filter(({ name }) => keep(name));
  const options = { ...testsOnThisMachine(exercise), mutants: 100, seed: 1, packets: 300 };
  return auditExercise({ ...exercise, tests }, diagnostics, options);
}

it("detects each change of the first exercise by a test", async () => {
  const { mutants } = await audit(() => true);
  expect(mutants.length).toBeGreaterThan(8);
  expect(mutants.map(({ outcome }) => outcome)).not.toContain("survived");
});

it("lists a change that no test detects, with its place and a packet that shows it", async () => {
  const report = await audit((name) => name === "h1, h2 and h3 reach each other");
  const [missing] = openSurvivors(report).filter(({ change }) => change.includes("default_action"));
  expect(missing).toMatchObject({ outcome: "survived", line: 49, kind: "property" });
  expect(missing!.difference).toMatchObject({ first: "nothing" });
});

const exercises = readdirSync(course).filter((name) => existsSync(join(course, name, "exercise.yaml")));

it("samples all exercises of the course", () => {
  expect(exercises.length).toBe(21);
});

it.each(exercises)(
  "finds no change in a sample of %s that keeps all points and is not listed",
  async (name) => {
    const diagnostics = new Diagnostics();
    const exercise = readExercise(diskFiles, join(course, name), diagnostics)!;
    // A controller is a process of its own in each test.
    const mutants = exercise.controller === undefined ? 8 : 4;
    const sample = { mutants, seed: 1, packets: 0, quick: true };
    const report = await auditExercise(exercise, diagnostics, { ...testsOnThisMachine(exercise), ...sample });
    expect(report.mutants.length).toBe(mutants);
    expect(openSurvivors(report).map((one) => one.name)).toEqual([]);
    expect(diagnostics.list).toEqual([]);
    const listed = [...readExceptions(exercise, diagnostics).values()].map(({ kind }) => kind);
    const counted = report.known - listed.filter((kind) => kind === "equivalent").length;
    expect(listed.filter((kind) => kind === "untested").length / counted).toBeLessThanOrEqual(0.05);
  },
);
