/**
 * An exercise with hidden tests: whatever a student can see of it has no word of a hidden test or of the solution. Every word that must
 * not be seen is a mark of its own, and everything that a student gets is searched for all of them.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exerciseTests } from "../../../src/course/lab/index.js";
import { readLabProject } from "../../../src/course/lab-server/index.js";
import { testsOnThisMachine } from "../../../src/course/submissions/index.js";
import { COMMAND } from "../../built-command.js";
import { TestLab } from "../lab/wall.js";

const root = resolve(import.meta.dirname, "../../..");
const work = mkdtempSync(join(tmpdir(), "p4loom-hidden-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const exercise = join(work, "exercise");
const submissions = join(work, "submissions");
/** The exercise as a student has it: without the folders of the teacher. */
const own = join(work, "own");

const NAME = "qqname";
const HINT = "qqhint";
const TEXT = "qqtext";
const SCRIPT = "qqscript";
const SOLUTION = "qqsolution";
const MARKS = [NAME, HINT, TEXT, SCRIPT, SOLUTION];
const hex = (text: string): string => Buffer.from(text).toString("hex");

const HIDDEN = `tests:
  - name: ${NAME} one
    points: 2
    hint: ${HINT}
    steps:
      - packet:
          from: h1
          send: [ethernet: { dst: h3, type: 0x1234 }, text: ${TEXT}]
          expect: [{ at: h3, packet: [ethernet: { dst: h3 }, text: ${TEXT}] }]
  - name: ${NAME} two
    points: 1
    stf: hidden/edge.stf
`;

const p4loom = (...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, ...args], { cwd: work, encoding: "utf8" });

beforeAll(() => {
  cpSync(join(root, "examples/course/01-forwarding"), exercise, { recursive: true });
  const file = join(exercise, "exercise.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8")}\nhidden: { tests: 2, points: 3 }\n`);
  const script = readFileSync(join(exercise, "tests/one-switch.stf"), "utf8");
  mkdirSync(join(exercise, "hidden"));
  writeFileSync(join(exercise, "hidden/tests.yaml"), HIDDEN);
  writeFileSync(join(exercise, "hidden/edge.stf"), `# ${SCRIPT}\n${script}`);
  writeFileSync(join(exercise, "hidden/words.p4"), `#error ${TEXT}\n`);
  const program = join(exercise, "solution/forwarding.p4");
  writeFileSync(program, `// ${SOLUTION}\n${readFileSync(program, "utf8")}`);
  // The teacher grades the solution, the starter, and programs that try to read what they must not.
  cpSync(exercise, own, { recursive: true });
  for (const folder of ["hidden", "solution"]) rmSync(join(own, folder), { recursive: true });
  const reader = (path: string): string => `#include "${path}"\n`;
  const handed: Record<string, string> = {
    right: readFileSync(program, "utf8").replace(/^.*\n/, ""),
    starter: readFileSync(join(exercise, "forwarding.p4"), "utf8"),
    tests: reader("hidden/tests.yaml"),
    script: reader("hidden/edge.stf"),
    words: reader("hidden/words.p4"),
    solution: reader("solution/forwarding.p4"),
    around: reader("tests/../hidden/words.p4"),
  };
  mkdirSync(submissions);
  for (const [name, text] of Object.entries(handed)) writeFileSync(join(submissions, `${name}.p4`), text);
});

function expectNoMarks(what: string, text: string): void {
  for (const mark of MARKS) {
    expect(text, what).not.toContain(mark);
    expect(text.replaceAll(/[\s:]/g, ""), what).not.toContain(hex(mark));
  }
}

/** All files below a folder, with their texts. */
function filesIn(folder: string): [path: string, text: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path, "utf8")]);
}

describe("an exercise with hidden tests", () => {
  it("shows the teacher all tests, and all that a submission does wrong", () => {
    const { stdout, status } = p4loom("grade", exercise);
    expect(status).toBe(1);
    expect(stdout).toContain(`FAILED  0/2  ${NAME} one (hidden)`);
    expect(stdout).toContain(`hint:     ${HINT}`);
    expect(stdout).toMatch(/\n0 of 10 points\n$/);
  });

  it("is in no message that a student reads", () => {
    const { stdout, stderr, status } = p4loom("grade", exercise, "--student");
    expect([status, stderr]).toEqual([1, ""]);
    expectNoMarks("grade --student", stdout);
    expect(stdout).toMatch(/\nFAILED {2}0\/3 {2}2 hidden tests, 2 failed\n0 of 10 points\n$/);
    const json = p4loom("grade", exercise, "--student", "--json").stdout;
    expectNoMarks("grade --student --json", json);
    const [view] = JSON.parse(json).submissions;
    expect(view.hidden).toEqual({ tests: 2, failed: 2, points: 0, of: 3 });
    expect(view.tests).toHaveLength(5);
  });

  it("is in no report for a student, whatever the submission includes", () => {
    const out = join(work, "out");
    const { status, stderr } = p4loom("grade", exercise, "--submissions", submissions, "--out", out);
    expect([status, stderr]).toEqual([0, ""]);
    const all = readFileSync(join(out, "results.json"), "utf8");
    for (const mark of [NAME, HINT]) expect(all).toContain(mark);
    expect(readFileSync(join(out, "results.csv"), "utf8")).toContain(`,${NAME} one (hidden),`);
    for (const folder of ["students", "gradescope"])
      for (const [path, text] of filesIn(join(out, folder))) expectNoMarks(path, text);
    expect(readFileSync(join(out, "students/right.txt"), "utf8")).toMatch(
      /passed {2}3\/3 {2}2 hidden tests, none failed\n10 of 10 points\n$/,
    );
    const scope = JSON.parse(readFileSync(join(out, "gradescope/starter/results.json"), "utf8"));
    expect(scope.tests).toHaveLength(6);
    expect(scope.tests[5]).toEqual({
      ...{ number: "6", name: "hidden tests", score: 0, max_score: 3, status: "failed" },
      ...{ output: "2 hidden tests, 2 failed", output_format: "text", visibility: "visible" },
    });
    // Programs that include a file of the teacher do not compile, also where the file would be a program.
    const points = JSON.parse(all).submissions.map((one: { name: string; points: number }) => [
      one.name,
      one.points,
    ]);
    expect(points).toEqual([
      ...[
        ["around", 0],
        ["right", 10],
        ["script", 0],
        ["solution", 0],
        ["starter", 0],
        ["tests", 0],
      ],
      ["words", 0],
    ]);
  });

  it("is in no file of a static page", () => {
    const page = join(work, "page");
    expect(p4loom("lab", "--static", page, exercise).status).toBe(0);
    const files = filesIn(page);
    for (const [path, text] of files) expectNoMarks(path, text);
    const [, project] = files.find(([path]) => path.endsWith("project-exercise.json"))!;
    expect(Object.keys(JSON.parse(project).files)).toContain("exercise.yaml");
  });

  it("is in no lab session: files, tests, messages", async () => {
    const lab = await TestLab.open((await readLabProject(exercise)).project, {
      tests: exerciseTests(testsOnThisMachine),
    });
    const said: unknown[] = [await lab.ask({ op: "describe" })];
    const list = await lab.ask({ op: "files.list" });
    for (const { path } of list.files) said.push(await lab.ask({ op: "files.read", path }));
    const closed = ["hidden/tests.yaml", "hidden/edge.stf", "hidden/words.p4", "solution/forwarding.p4"];
    for (const path of closed) {
      const reply = await lab.reply({ op: "files.read", path });
      expect(reply.ok).toBe(false);
      said.push(reply);
    }
    const text = `#include "hidden/words.p4"\n#include "solution/forwarding.p4"\n`;
    said.push(await lab.reply({ op: "files.check", path: "forwarding.p4", text }));
    const view = await lab.ask({ op: "exercise.read" });
    expect(view).toMatchObject({ hidden: { tests: 2, points: 3 } });
    said.push(view, await lab.ask({ op: "exercise.test" }), lab.events);
    said.push(await lab.reply({ op: "exercise.test", tests: [`${NAME.slice(0, 2)} one`] }));
    expectNoMarks("lab", JSON.stringify(said));
  });

  it("says to a student, and warns a teacher, that the hidden tests are not there", () => {
    const { stdout } = p4loom("grade", own);
    expect(stdout).toMatch(/\n0 of 7 points\n$/);
    const { stderr } = p4loom("grade", own, "--submissions", submissions);
    expect(stderr).toMatch(/warning\[P46316\]: 2 hidden tests with 3 points did not run: not in this folder/);
  });

  it("is not printed for a student with what has other readers", () => {
    const { stderr, status } = p4loom("grade", exercise, "--student", "--submissions", submissions);
    expect(status).toBe(2);
    expect(stderr).toMatch(/error\[P40005\]: --student prints the report of the folder's own files/);
  });
});
