/** How the process of a submission ends, and what its results then say. The process is a script that answers as it is told. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Exercise } from "../../../src/course/exercises/index.js";
import { type GradedSubmission, gradeOne } from "../../../src/course/submissions/grade-one.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-grade-one-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BARE = { prefix: [], namespaces: false, limits: false, permissions: false };
const exercise = {
  title: "T",
  limits: { seconds: 10, memoryMb: 100, frames: 10 },
  tests: ["one", "two"].map((name) => ({ name, points: 2, hint: `hint of ${name}` })),
} as unknown as Exercise;

let scripts = 0;

/** Grades with a process that runs `body`; `tries` is the number of processes so far. */
async function gradeWith(body: string, wallMs: number, refused?: string): Promise<GradedSubmission> {
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
process.stdin.once("data", () => { ${body} });
process.stdin.on("close", () => process.exit());
`,
  );
  const submission = { name: "ann", files: new Map(), ...(refused === undefined ? {} : { refused }) };
  const job = { exercise: {}, targets: {}, controller: [] };
  return await gradeOne(
    { submission, exercise, job, command: [process.execPath, script], isolation: BARE },
    wallMs,
  );
}

const END = 'say({ kind: "done" }); process.stdin.destroy();';
const seen = ({ tests }: GradedSubmission) => tests.map((test) => test.seen ?? "").join("\n");

describe("a process of a submission", () => {
  it("that reaches the limit of real time is tried again, and its second result counts", async () => {
    const graded = await gradeWith(
      `if (tries === 1) wait(); else { pass("one"); pass("two"); ${END} }`,
      3000,
    );
    expect(graded.points).toBe(4);
  });

  it("that reaches it twice is named so: real time, not processor time", async () => {
    const graded = await gradeWith(`pass("one"); wait();`, 1000);
    expect(graded.points).toBe(0);
    expect(graded.tests[0]!.expected).toBe("the tests end within 2 s of real time");
    expect(seen(graded)).toMatch(/stopped at this limit, at the second try/);
    expect(JSON.stringify(graded)).not.toContain("processor time");
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
    expect(graded.tests[1]!.expected).toBe("the tests end within 10 s of processor time");
  });

  it("is not started where the submission could not be read", async () => {
    const graded = await gradeWith("process.exit(3);", 60_000, "an archive that leads out of its folder");
    expect(graded).toMatchObject({ name: "ann", points: 0, of: 4 });
    expect(graded.tests.map((test) => test.seen)).toEqual(
      Array(2).fill("an archive that leads out of its folder"),
    );
  });
});
