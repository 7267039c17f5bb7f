/** How the process of a submission ends, and what its results then say. The process is a script that answers as it is told. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { given } from "../../../src/base/index.js";
import type { Exercise } from "../../../src/course/exercises/index.js";
import { type GradedSubmission, gradeOne } from "../../../src/course/submissions/grade-one.js";
import type { Isolation } from "../../../src/course/submissions/isolation.js";
import type { TestbedJob } from "../../../src/course/submissions/job.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-grade-one-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BARE: Isolation = { prefix: [], namespaces: false, limits: false, permissions: false };
const exercise = {
  title: "T",
  limits: { seconds: 60, memoryMb: 100, frames: 10, events: 10 },
  tests: ["one", "two"].map((name) => ({ name, points: 2, hint: `hint of ${name}` })),
} as unknown as Exercise;

let scripts = 0;

interface More {
  readonly refused?: string;
  readonly files?: ReadonlyMap<string, string>;
  readonly similar?: ReadonlyMap<string, string>;
  readonly abandon?: AbortSignal;
  readonly controller?: string;
  readonly isolation?: Isolation;
  readonly testbed?: TestbedJob;
}

/** Grades with a process that runs `body`; `tries` is the number of processes so far, `job` what it is given. */
async function gradeWith(body: string, hangMs?: number, more: More = {}): Promise<GradedSubmission> {
  const [script, count] = [join(folder, `${++scripts}.cjs`), join(folder, `${scripts}.count`)];
  writeFileSync(count, "");
  writeFileSync(
    script,
    `const { appendFileSync, readFileSync } = require("node:fs");
appendFileSync(${JSON.stringify(count)}, "x");
const tries = readFileSync(${JSON.stringify(count)}, "utf8").length;
const say = (one) => process.stdout.write(JSON.stringify(one) + "\\n");
const pass = (name) => say({ kind: "result", result: { name, passed: true, points: 2, of: 2, details: [], story: [] } });
const wait = () => setInterval(() => {}, 1000);
require("node:readline").createInterface({ input: process.stdin }).once("line", (line) => {
  const job = JSON.parse(line);
  ${body}
});
process.stdin.on("close", () => process.exit());
`,
  );
  const { controller, isolation = BARE, abandon, testbed, ...handedIn } = more;
  const submission = { name: "ann", files: new Map(), ...handedIn };
  const job = { exercise: { "a.txt": "a" }, targets: {}, controller: ["node", "x"], ...given({ testbed }) };
  return await gradeOne({
    ...{ submission, job, command: [process.execPath, script], isolation, ...given({ abandon }) },
    exercise: { ...exercise, ...given({ controller }) },
    ...given({ hangMs }),
  });
}

const END = 'say({ kind: "done" }); process.stdin.destroy();';
const seen = ({ tests }: GradedSubmission) => tests.map((test) => test.seen ?? "").join("\n");

describe("a process of a submission", () => {
  it("that hangs is tried again, and its second result counts", async () => {
    const graded = await gradeWith(
      `if (tries === 1) wait(); else { pass("one"); pass("two"); ${END} }`,
      3000,
    );
    expect(graded.points).toBe(4);
  });

  it("that hangs twice is named so, keeps its earlier tests, and has no limit of processor time", async () => {
    const graded = await gradeWith(`pass("one"); wait();`, 1000);
    expect(graded.points).toBe(2);
    expect(graded.tests[1]).toMatchObject({
      expected: "a test goes on within 2 s of real time",
      seen: "it hangs, at the second try too",
    });
    expect(JSON.stringify(graded)).not.toContain("processor time");
  });

  it("that goes on is not stopped, however long it takes", async () => {
    const graded = await gradeWith(
      `let n = 0;
       const timer = setInterval(() => {
         say({ kind: "alive" });
         if (++n === 10) { clearInterval(timer); if (tries === 1) { pass("one"); pass("two"); } ${END} }
       }, 400);`,
      2000,
    );
    expect(graded.points).toBe(4);
  });

  it("that goes on for ever is stopped too", async () => {
    const graded = await gradeWith(`setInterval(() => say({ kind: "alive" }), 20);`, 100);
    expect(graded.points).toBe(0);
    expect(graded.tests[0]!.seen).toBe("it hangs, at the second try too");
  });

  it("that is killed is named so, and not a limit of time", async () => {
    const graded = await gradeWith(
      `pass("one"); setTimeout(() => process.kill(process.pid, "SIGKILL"), 50);`,
      60_000,
    );
    expect(graded.points).toBe(2);
    expect(seen(graded)).toMatch(
      /killed \(SIGKILL\), by the controller of the submission or by this machine/,
    );
    expect(JSON.stringify(graded)).not.toMatch(/within|limit/);
  });

  it("that the kernel stops at its processor time is named so", async () => {
    const graded = await gradeWith(
      `pass("one"); setTimeout(() => process.kill(process.pid, "SIGXCPU"), 50);`,
      60_000,
    );
    expect(graded.tests[1]!.expected).toBe("the tests end within 1200 s of processor time");
  });

  it("is not started where the submission could not be read", async () => {
    const graded = await gradeWith("process.exit(3);", 60_000, {
      refused: "an archive that leads out of its folder",
    });
    expect(graded).toMatchObject({ name: "ann", points: 0, of: 4 });
    expect(graded.tests.map((test) => test.seen)).toEqual(
      Array(2).fill("an archive that leads out of its folder"),
    );
  });
});

describe("what a process of a submission is given", () => {
  const show = (what: string) =>
    `say({ kind: "result", result: { name: JSON.stringify(${what}), passed: true, points: 2, of: 2, details: [], story: [] } }); pass("two"); ${END}`;
  const shown = ({ tests }: GradedSubmission) => JSON.parse(tests[0]!.name);

  it("is the job with the files that were handed in, and no environment but the search path", async () => {
    const files = new Map([["a.p4", "text"]]);
    const similar = new Map([["b.p4", "B.p4"]]);
    process.env["P4LOOM_SECRET"] = "secret";
    const graded = await gradeWith(show("[job, Object.keys(process.env).sort()]"), undefined, {
      files,
      similar,
    });
    delete process.env["P4LOOM_SECRET"];
    const [job, environment] = shown(graded);
    expect(job).toEqual({
      ...{ exercise: { "a.txt": "a" }, targets: {}, controller: ["node", "x"] },
      ...{ handedIn: { "a.p4": "text" }, similar: { "b.p4": "B.p4" } },
    });
    expect(environment.filter((name: string) => name !== "P4LOOM_COMMAND")).toEqual(["PATH"]);
    expect(graded).toMatchObject({ points: 4, of: 4 });
    expect(shown(await gradeWith(show("Object.keys(job)")))).not.toContain("similar");
  });

  it("is its isolation; a Python controller creates namespaces itself, and so does a testbed", async () => {
    const isolation: Isolation = { ...BARE, prefix: ["env", "P4LOOM_PREFIX=1"] };
    const prefix = show("process.env.P4LOOM_PREFIX ?? 0");
    expect(shown(await gradeWith(prefix, undefined, { isolation }))).toBe("1");
    expect(shown(await gradeWith(prefix, undefined, { isolation, controller: "c.mjs" }))).toBe("1");
    expect(shown(await gradeWith(prefix, undefined, { isolation, controller: "c.py" }))).toBe(0);
    const testbed: TestbedJob = { engine: "switch", folder };
    expect(shown(await gradeWith(prefix, undefined, { isolation, testbed }))).toBe(0);
    expect(shown(await gradeWith(show("process.execArgv"), undefined, { testbed }))).toContain(
      "--max-old-space-size=100",
    );
  });
});

describe("the tests that a process does not end", () => {
  const results = ({ tests }: GradedSubmission) => tests.map(({ expected, seen: why }) => [expected, why]);

  it("say why, and later ones that they were not run; each has the hint of its test and no points", async () => {
    const graded = await gradeWith("process.exit(3);");
    const ended = "their process ended with status 3";
    expect(results(graded)).toEqual([
      ["the tests end normally", ended],
      ["the tests end normally", `not run, because an earlier test did not end normally: ${ended}`],
    ]);
    expect(graded.tests[1]).toMatchObject({
      ...{ name: "two", passed: false, points: 0, of: 2, hint: "hint of two", details: [], story: [] },
    });
  });

  it("have the last line of the process's errors", async () => {
    const graded = await gradeWith(`process.stderr.write("first\\nlast\\n\\n", () => process.exit(1));`);
    expect(graded.tests[0]!.seen).toBe("their process ended with status 1: last");
  });

  it.each([
    ["a signal of V8 without memory", `process.kill(process.pid, "SIGTRAP");`],
    [
      "an allocation that failed",
      `process.stderr.write("RangeError: Array buffer allocation failed", () => process.exit(1));`,
    ],
    [
      "an array that is too long",
      `process.stderr.write("RangeError: Invalid array length", () => process.exit(1));`,
    ],
  ])("need too much memory: %s", async (_, body) => {
    const [[expected, why]] = results(await gradeWith(body)) as [[string, string]];
    expect([expected, why]).toEqual(["the tests need at most 100 MB", "they need more"]);
  });

  it("were stopped by the controller of an earlier test, whose result says so", async () => {
    const graded = await gradeWith(
      `pass("one"); say({ kind: "stopped", expected: "the controller waits", seen: "it does not" }); process.stdin.destroy();`,
    );
    expect(results(graded)[1]).toEqual([
      "the controller waits",
      "not run, because an earlier test did not end normally: it does not",
    ]);
    expect(graded.points).toBe(2);
    expect(graded.fault).toBeUndefined();
  });

  it("could not be run on this machine: the points then mean nothing", async () => {
    const graded = await gradeWith(
      `say({ kind: "fault", message: "no namespaces" }); process.stdin.destroy();`,
    );
    expect(graded.fault).toBe("no namespaces");
    expect(results(graded)[0]).toEqual([
      "the network of real switches starts",
      "it does not start on this machine",
    ]);
  });

  it("write more than 8 MiB", async () => {
    const graded = await gradeWith(
      `for (let i = 0; i < 9; i++) process.stdout.write("x".repeat(1 << 20)); wait();`,
    );
    expect(results(graded)[0]).toEqual(["results of at most 8388608 bytes", "more"]);
  });

  it("keep their results where the process had said that it is done", async () => {
    const graded = await gradeWith(`pass("one"); pass("two"); say({ kind: "done" }); wait();`, 2000);
    expect(graded).toMatchObject({ points: 4, tests: [{ passed: true }, { passed: true }] });
  });

  it("are of a command that cannot be started", async () => {
    const isolation: Isolation = { ...BARE, prefix: [join(folder, "nowhere")] };
    expect((await gradeWith(END, undefined, { isolation })).tests[0]!.seen).toBe(
      "their process ended with status 127",
    );
  });
});

describe("a grading that is abandoned", () => {
  it("ends the process, and is no result", async () => {
    const abandon = new AbortController();
    const path = join(folder, "pid");
    const grading = gradeWith(
      `require("node:fs").writeFileSync(${JSON.stringify(path)}, String(process.pid)); wait();`,
      undefined,
      { abandon: abandon.signal },
    );
    const pid = await vi.waitFor(() => /^\d+$/.exec(readFileSync(path, "utf8"))![0], { timeout: 60_000 });
    abandon.abort(new Error("Ctrl-C"));
    await expect(grading).rejects.toThrow("Ctrl-C");
    expect(() => process.kill(Number(pid), 0)).toThrow();
  });
});
