/** Many submissions: their order, how many run at a time, and what this machine does not isolate. A script stands in for the grading process. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics, given } from "../../../src/base/index.js";
import type { Exercise } from "../../../src/course/exercises/index.js";
import { gradeAll } from "../../../src/course/submissions/grade-all.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-grade-all-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { PATH, P4LOOM_COMMAND } = process.env;
let bin = "";
let count = 0;
beforeEach(() => {
  bin = join(folder, `bin-${count++}`);
  mkdirSync(bin);
  process.env["PATH"] = bin;
});
afterEach(() => {
  process.env["PATH"] = PATH;
  if (P4LOOM_COMMAND === undefined) delete process.env["P4LOOM_COMMAND"];
  else process.env["P4LOOM_COMMAND"] = P4LOOM_COMMAND;
});

function program(name: string, text: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
}

interface Run {
  /** What the grading process does with its job, as JavaScript. */
  readonly work?: string;
  readonly names?: readonly string[];
  readonly workers?: number;
  readonly controller?: string;
  readonly stop?: AbortSignal;
  readonly engine?: "switch" | "bmv2";
  /** Extension of the command: Node can forbid writes of a built one. */
  readonly ending?: "cjs" | "mjs";
}

const PASS = 'pass(); say({ kind: "done" }); process.stdin.destroy();';

async function grade({
  work = PASS,
  names = ["ann"],
  workers = 1,
  controller,
  stop,
  engine,
  ending = "mjs",
}: Run = {}) {
  const command = join(bin, `main.${ending}`);
  const imports =
    ending === "mjs"
      ? 'import { appendFileSync } from "node:fs"; import { createInterface } from "node:readline";'
      : 'const { createInterface } = require("node:readline");';
  writeFileSync(
    command,
    `${imports}
if (process.argv.includes("--version")) process.exit(0);
const say = (one) => process.stdout.write(JSON.stringify(one) + "\\n");
createInterface({ input: process.stdin }).once("line", (line) => {
  const job = JSON.parse(line);
  const name = job.handedIn["a.p4"];
  const pass = () => say({ kind: "result", result: { name: process.argv[2], passed: true, points: 1, of: 1, details: [], story: [] } });
  ${work}
});
`,
  );
  process.env["P4LOOM_COMMAND"] = command;
  const exercise = {
    ...{
      title: "T",
      engines: ["sim", "switch"],
      limits: { seconds: 100, memoryMb: 100, frames: 10 },
      tests: [{ name: "t", points: 1 }],
    },
    ...given({ controller }),
  } as unknown as Exercise;
  const texts = join(folder, "exercise");
  mkdirSync(texts, { recursive: true });
  writeFileSync(join(texts, "exercise.yaml"), "text");
  const diagnostics = new Diagnostics();
  const told: [string, number][] = [];
  const results = await gradeAll(
    names.map((name) => ({ name, files: new Map([["a.p4", name]]) })),
    exercise,
    texts,
    diagnostics,
    {
      workers,
      ...given({ stop, testbed: engine && { engine } }),
      graded: ({ name }, n) => told.push([name, n]),
    },
  );
  const warnings = diagnostics.list.map(({ code, message, notes }) => [
    code,
    message,
    ...(notes ?? []).map((note) => note.message),
  ]);
  return { results, told, warnings };
}

describe("submissions", () => {
  it("are graded by the subcommand of p4loom, with the texts of the exercise and the targets", async () => {
    const work = `say({ kind: "result", result: { name: JSON.stringify([job, process.argv.slice(2)]), passed: true, points: 1, of: 1, details: [], story: [] } });
say({ kind: "done" }); process.stdin.destroy();`;
    const { tests } = (await grade({ work })).results[0]!;
    const [job, words] = JSON.parse(tests[0]!.name);
    expect(words).toEqual(["grader"]);
    expect(job).toMatchObject({ exercise: { "exercise.yaml": "text" }, handedIn: { "a.p4": "ann" } });
    expect(Object.keys(job.targets)).toContain("tofino");
    expect(job.controller.at(-1)).toBe("controller");
    expect(job.testbed).toBeUndefined();
  });

  it("keep their order, whichever ends first, and each is told when it is graded", async () => {
    const work = `setTimeout(() => { ${PASS} }, name === "ann" ? 1500 : 0);`;
    const { results, told } = await grade({ work, names: ["ann", "bob"], workers: 2 });
    expect(results.map(({ name, points }) => [name, points])).toEqual([
      ["ann", 1],
      ["bob", 1],
    ]);
    expect(told).toEqual([
      ["bob", 1],
      ["ann", 2],
    ]);
  });

  it("run at most as many at a time as there are workers, and all of them run", async () => {
    const log = join(bin, "log");
    const at = (what: string) => `appendFileSync(${JSON.stringify(log)}, "${what}");`;
    const work = `${at("+")} setTimeout(() => { ${at("-")} ${PASS} }, 50);`;
    const { results } = await grade({ work, names: ["a", "b", "c"], workers: 1 });
    expect(results).toHaveLength(3);
    expect(readFileSync(log, "utf8")).toBe("+-+-+-");
    expect((await grade({ names: [], workers: 4 })).results).toEqual([]);
  });

  it("that this machine could not grade are warnings with the reason", async () => {
    const work = `say({ kind: "fault", message: "no namespaces" }); process.stdin.destroy();`;
    const { warnings } = await grade({ work });
    expect(warnings).toContainEqual(["P46314", "ann could not be graded", "no namespaces"]);
  });

  it("are not graded on an engine that does not run the exercise's programs", async () => {
    const error = await grade({ engine: "bmv2" }).catch((one: unknown) => one);
    const [{ code, message, notes }] = (error as DiagnosticError).diagnostics as [
      DiagnosticError["diagnostics"][0],
    ];
    expect([code, message, notes[0]?.message]).toEqual([
      "P46317",
      '--engine bmv2: the programs of the exercise "T" do not run on it',
      "engines: sim, switch (exercise.yaml)",
    ]);
  });

  it("are not started after a stop", async () => {
    const stop = AbortSignal.abort(new Error("Ctrl-C"));
    await expect(grade({ stop })).rejects.toThrow("Ctrl-C");
  });
});

describe("a machine that does not isolate", () => {
  const NO_LIMITS = [
    "P46312",
    "this machine has no prlimit: only real time is limited, not memory and processor time",
  ];
  const network = (more: string) => [
    "P46312",
    "namespaces are not available: controllers of submissions can reach the network",
    more,
  ];

  it("has a warning of limits, and none of namespaces where there is no controller", async () => {
    expect((await grade()).warnings).toEqual([NO_LIMITS]);
    program("prlimit", 'while :; do case "$1" in --*) shift ;; *) exec "$@" ;; esac; done');
    program("true", "exit 0");
    expect((await grade()).warnings).toEqual([]);
  });

  it("has a warning of what controllers can do", async () => {
    const { warnings } = await grade({ controller: "c.mjs" });
    expect(warnings).toEqual([NO_LIMITS, network("they can also write files and start processes")]);
    const built = await grade({ controller: "c.mjs", ending: "cjs" });
    expect(built.warnings).toEqual([NO_LIMITS, network("they cannot write files or start processes")]);
  });

  it("grades no controller in Python, which nothing else isolates", async () => {
    const error = await grade({ controller: "c.py" }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DiagnosticError);
    const { code, message, notes } = (error as DiagnosticError).diagnostics[0]!;
    expect([code, message]).toEqual([
      "P46315",
      expect.stringMatching(/^c\.py cannot be isolated on this machine: ./),
    ]);
    expect(notes![0]!.message).toContain("only the author of a controller in Python should run it");
  });
});
