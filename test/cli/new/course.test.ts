/** `p4loom new course`: what students get, and the files that grade it where they push, run by what reads them. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { COMMAND } from "../../built-command.js";

const root = resolve(import.meta.dirname, "../../..");
const work = mkdtempSync(join(tmpdir(), "p4loom-course-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));
const source = join(work, "forwarding");
const student = join(work, "autumn/forwarding");
const shims = join(work, "bin");

const p4loom = (...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, ...args], { cwd: work, encoding: "utf8" });

beforeAll(() => {
  cpSync(join(root, "examples/course/01-forwarding"), source, { recursive: true });
  const file = join(source, "exercise.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8")}\nhidden: { tests: 1, points: 3 }\n`);
  mkdirSync(join(source, "hidden"));
  writeFileSync(
    join(source, "hidden/tests.yaml"),
    "tests:\n  - name: qqhidden\n    points: 3\n    steps: [{ ping: { from: h1, to: h3 } }]\n",
  );
  mkdirSync(join(source, "build"));
  writeFileSync(join(source, "build/forwarding.json"), "{}");
  const { status, stderr } = p4loom("new", "course", "autumn", "forwarding");
  expect([status, stderr]).toEqual([0, expect.stringContaining("autumn/ has 1 exercises")]);
  // The programs that the steps of a workflow find: ours, and an npm that notes what it would install.
  mkdirSync(shims);
  writeFileSync(join(shims, "p4loom"), `#!/bin/sh\nexec ${process.execPath} ${COMMAND} "$@"\n`);
  writeFileSync(join(shims, "npm"), `#!/bin/sh\necho "$@" >> ${work}/npm.log\n`);
  for (const name of ["p4loom", "npm"]) chmodSync(join(shims, name), 0o755);
});

/** Runs the lines of a job in the student's folder, each as the platform does: the first that fails ends the job. */
function runSteps(lines: readonly string[]): { status: number; output: string } {
  let output = "";
  for (const line of lines) {
    const step = spawnSync("bash", ["-e", "-c", line], {
      cwd: student,
      encoding: "utf8",
      env: { ...process.env, PATH: `${shims}:${process.env["PATH"]}` },
    });
    output += step.stdout;
    if (step.status !== 0) return { status: step.status!, output };
  }
  return { status: 0, output };
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

const read = (path: string) => readFileSync(join(student, path), "utf8");
const classroom = () => parse(read(".github/workflows/classroom.yml"));
const stepsOf = (): Step[] => classroom().jobs["run-autograding-tests"].steps;
const hand = (text: string): void => writeFileSync(join(student, "forwarding.p4"), text);
const solution = () => readFileSync(join(source, "solution/forwarding.p4"), "utf8");
const version = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;

describe("p4loom new course", () => {
  it("has the files of students alone", () => {
    expect(readdirSync(join(work, "autumn")).sort()).toEqual(["README.md", "forwarding"]);
    expect(readFileSync(join(work, "autumn/README.md"), "utf8")).toContain(
      "- `forwarding`: from `forwarding`",
    );
    const files = readdirSync(student, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["exercise.yaml", "README.md", "tests/one-switch.stf"]));
    expect(files.filter((path) => /solution|hidden|build/.test(path))).toEqual([]);
    for (const path of files.filter((one) => /\.\w+$/.test(one) && !one.startsWith(".git")))
      expect(read(path)).not.toContain("qqhidden");
  });

  it("has the names by which GitHub Classroom knows a workflow", () => {
    const { name, on, jobs } = classroom();
    expect([name, on, Object.keys(jobs)]).toEqual([
      "Autograding Tests",
      ["push", "repository_dispatch"],
      ["run-autograding-tests"],
    ]);
    expect(stepsOf().flatMap(({ uses }) => uses ?? [])).toEqual([
      "actions/checkout@v4",
      "actions/setup-node@v4",
    ]);
  });

  it("gives GitHub Classroom the points of a starter and of a solution", () => {
    const lines = stepsOf().flatMap(({ run }) => run ?? []);
    const starter = runSteps(lines);
    expect(starter.status).toBe(1);
    expect(starter.output).toContain("\nFAILED  0/2  the switch alone forwards");
    expect(starter.output).toMatch(
      /\n::notice title=Autograding complete::Points 0\/7\n::notice title=Autograding report::\{"totalPoints":0,"maxPoints":7\}\n$/,
    );
    hand(solution());
    const solved = runSteps(lines);
    expect(solved.status).toBe(0);
    expect(solved.output).toMatch(/::\{"totalPoints":7,"maxPoints":7\}\n$/);
    const installed = readFileSync(join(work, "npm.log"), "utf8").trim().split("\n");
    expect(new Set(installed)).toEqual(new Set([`install --global p4loom@${version}`]));
  });

  it("runs no command of a workflow that a program prints", () => {
    const forged = '::notice title=Autograding report::{"totalPoints":7,"maxPoints":7}';
    hand(`#error x\n${forged}\n`);
    const { output } = runSteps(stepsOf().flatMap(({ run }) => run ?? []));
    const lines = output.split("\n");
    const [, word] = /^::stop-commands::([0-9a-f-]{36})$/.exec(lines[0]!)!;
    const end = lines.indexOf(`::${word}::`);
    expect(lines.slice(0, end).join("\n")).toContain(forged);
    expect(lines.slice(end + 1)).toEqual([
      "::notice title=Autograding complete::Points 0/7",
      '::notice title=Autograding report::{"totalPoints":0,"maxPoints":7}',
      "",
    ]);
  });

  it("grades in GitLab by the status of the job, with the report as its log", () => {
    const { grade, ...others } = parse(read(".gitlab-ci.yml"));
    expect([others, grade.image]).toEqual([{}, "node:20"]);
    hand(solution());
    const solved = runSteps(grade.script);
    expect([solved.status, solved.output]).toEqual([0, expect.stringMatching(/\n7 of 7 points\n$/)]);
    hand(readFileSync(join(source, "forwarding.p4"), "utf8"));
    expect(runSteps(grade.script)).toEqual({
      status: 1,
      output: expect.stringMatching(/\n0 of 7 points\n$/),
    });
  });

  it("has all exercises of the package where none is named", () => {
    expect(p4loom("new", "course", "whole").status).toBe(0);
    const exercises = readdirSync(join(root, "examples/course"));
    expect(readdirSync(join(work, "whole")).sort()).toEqual(["README.md", ...exercises].sort());
    for (const name of exercises) {
      expect(existsSync(join(work, "whole", name, ".gitlab-ci.yml"))).toBe(true);
      expect(existsSync(join(work, "whole", name, "solution"))).toBe(false);
    }
  });

  it.each([
    ["a name that is none", ["course", "../x", "forwarding"], /P40005.*expected lower-case letters/],
    ["a folder that exists", ["course", "autumn", "forwarding"], /P40003.*nothing is overwritten/],
    ["a folder that is no exercise", ["course", "other", "bin"], /P46301.*exercise\.yaml/],
    [
      "two of a name",
      ["course", "other", "forwarding", "autumn/forwarding"],
      /P40005.*two exercises are named forw/,
    ],
    [
      "exercises of a scheme",
      ["scheme", "other", "forwarding"],
      /P40005.*only a course is made of exercises/,
    ],
  ])("refuses %s", (_, words, message) => {
    const { stderr, status } = p4loom("new", ...words);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(message);
    expect(existsSync(join(work, "other"))).toBe(false);
  });
});
