/**
 * Submissions that attack: programs in `hostile/programs`, controllers in `hostile/controllers` and `hostile/python`. Each
 * gets the points of the tests that it passes, and leaves no files or processes. Isolation that this machine lacks is not
 * tested.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { pythonStart } from "../../../src/course/submissions/controller/python.js";
import {
  findSubmissions,
  type GradedSubmission,
  gradeAll,
  openExerciseFolder,
} from "../../../src/course/submissions/index.js";
import { examineIsolation } from "../../../src/course/submissions/isolation.js";
import { ownCommand } from "../../../src/toolchain/loading/index.js";
import "../../built-command.js";

const course = resolve(import.meta.dirname, "../../../examples/course");
const hostile = join(import.meta.dirname, "hostile");
const work = mkdtempSync(join(tmpdir(), "p4loom-hostile-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const isolation = await examineIsolation(ownCommand());
const python = await pythonStart({ seconds: 4, memoryMb: 192 }, []);
/** Real time after which what hangs is stopped: some times what the start of a process takes on a busy machine. */
const HANG_MS = 20_000;
const contained = isolation.namespaces && isolation.limits && isolation.permissions;

/** Grades all submissions in a folder with small limits. `controller`: replaces the controller of the exercise. */
async function grade(
  name: string,
  submissions: string,
  controller?: string,
): Promise<ReadonlyMap<string, GradedSubmission>> {
  const folder = join(work, `${name}-${basename(submissions)}`);
  cpSync(join(course, name), folder, { recursive: true });
  if (controller !== undefined) writeFileSync(join(folder, controller), "");
  const text = readFileSync(join(folder, "exercise.yaml"), "utf8");
  const yaml = controller === undefined ? text : text.replaceAll("controller.mjs", controller);
  writeFileSync(join(folder, "exercise.yaml"), `limits: { memory_mb: 192, frames: 5000 }\n${yaml}`);
  const diagnostics = new Diagnostics();
  const exercise = openExerciseFolder(folder, diagnostics);
  const found = findSubmissions(submissions, exercise.handsIn, diagnostics);
  const graded = await gradeAll(found, exercise, folder, diagnostics, { workers: 3, hangMs: HANG_MS });
  return new Map(graded.map((one) => [one.name.slice(0, 2), one]));
}

const seen = (one: GradedSubmission | undefined): string =>
  (one?.tests ?? []).flatMap((test) => [test.seen ?? "", ...test.details]).join("\n");

describe("programs", () => {
  let graded: ReadonlyMap<string, GradedSubmission>;

  beforeAll(async () => {
    const submissions = join(work, "programs");
    cpSync(join(hostile, "programs"), submissions, { recursive: true });
    mkdirSync(join(submissions, "20-link"));
    symlinkSync(
      join(course, "01-forwarding/solution/forwarding.p4"),
      join(submissions, "20-link/forwarding.p4"),
    );
    mkdirSync(join(submissions, "21-long"));
    writeFileSync(join(submissions, "21-long/forwarding.p4"), "/".repeat((1 << 20) + 1));
    graded = await grade("01-forwarding", submissions);
  });

  it.each([
    ["01", 0, /nothing arrives|more frames/],
    ["02", 0, /no such packet left/],
    ["03", 0, /files include each other more than 200 deep/],
    ["04", 0, /macros expand to more than/],
    ["05", 0, /cannot find the file 'solution\/forwarding\.p4'/],
    ["06", 0, /cannot find the file '\/etc\/passwd'/],
    ["07", 0, /the switch gives a program 1024 MB/],
    ["08", 7, /^\n*$/],
    ["09", 0, /nested more than 500 levels deep/],
    ["10", 0, /never reaches accept or reject/],
    ["20", 0, /forwarding\.p4 is missing/],
    ["21", 0, /forwarding\.p4 is missing/],
  ])("%s gets %i points", (name, points, why) => {
    const one = graded.get(name);
    expect(one?.points).toBe(points);
    expect(one?.of).toBe(7);
    expect(seen(one)).toMatch(why);
    expect(seen(one)).not.toContain("root:");
  });
});

describe.runIf(contained)("controllers", () => {
  let graded: ReadonlyMap<string, GradedSubmission>;
  let connections = 0;
  const marks = join(work, "marks");
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });

  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    mkdirSync(marks);
    writeFileSync(join(marks, "secret"), "");
    const submissions = join(work, "controllers");
    mkdirSync(submissions);
    for (const name of readdirSync(join(hostile, "controllers"))) {
      const text = readFileSync(join(hostile, "controllers", name), "utf8");
      const aimed = text.replaceAll("MARKS", marks).replaceAll("PORT", String(port));
      writeFileSync(join(submissions, name), aimed.replaceAll("GRADER", String(process.pid)));
    }
    graded = await grade("09-controller", submissions);
  });
  afterAll(() => void server.close());

  it.each([
    ["11", "prints results", 9],
    ["12", "writes and reads files", 9],
    ["13", "starts processes", 9],
    ["14", "opens connections", 9],
    ["15", "kills others", 0],
    ["16", "never ends", 0],
    ["17", "exhausts memory", 0],
    ["18", "asks without end", 0],
    ["19", "speaks for our code", 0],
  ])("%s, which %s, gets %i points", (name, _, points) => {
    const one = graded.get(name);
    expect([one?.points, one?.of, one?.tests.length], seen(one)).toEqual([points, 9, 4]);
  });

  it("leaves no files or processes", () => {
    expect(connections).toBe(0);
    expect(readdirSync(marks)).toEqual(["secret"]);
    for (const folder of ["/tmp", "/var/tmp", "/dev/shm", "/", "."])
      expect(existsSync(join(folder, "p4loom-hostile-mark")), folder).toBe(false);
  });
});

const noPython = "reason" in python ? ` (not here: ${python.reason})` : "";

describe.skipIf("reason" in python)(`controllers in Python${noPython}`, () => {
  let graded: ReadonlyMap<string, GradedSubmission>;
  let connections = 0;
  const marks = join(work, "python-marks");
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  const learns = readFileSync(join(import.meta.dirname, "python/learns.py"), "utf8");

  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    mkdirSync(marks);
    writeFileSync(join(marks, "secret"), "");
    const submissions = join(work, "python");
    mkdirSync(submissions);
    writeFileSync(join(submissions, "30-learns.py"), learns);
    for (const name of readdirSync(join(hostile, "python"))) {
      const text = readFileSync(join(hostile, "python", name), "utf8")
        .replaceAll("MARKS", marks)
        .replaceAll("SOLUTION", join(course, "09-controller/solution"))
        .replaceAll("PORT", String(port))
        .replaceAll("GRADER", String(process.pid));
      // An attack that succeeds throws an error, so that the submission loses its points.
      writeFileSync(join(submissions, name), `${text}\n${learns}`);
    }
    graded = await grade("09-controller", submissions, "controller.py");
  }, 240_000);
  afterAll(() => void server.close());

  it.each([
    ["30", "learns", 9, /^\n*$/],
    ["31", "reads and writes files", 9, /^\n*$/],
    ["32", "starts processes", 9, /^\n*$/],
    ["33", "opens connections", 9, /^\n*$/],
    ["34", "kills others", 9, /^\n*$/],
    ["35", "makes namespaces", 9, /^\n*$/],
    ["36", "never ends", 0, /it hangs, at the second try too/],
    ["37", "exhausts memory", 0, /MemoryError/],
    ["38", "speaks for our code", 0, /something else: |ends its process/],
  ])("%s, which %s, gets %i points", (name, _, points, why) => {
    const one = graded.get(name);
    expect([one?.points, one?.of, one?.tests.length], seen(one)).toEqual([points, 9, 4]);
    expect(seen(one)).toMatch(why);
  });

  it("leaves no files or processes", () => {
    expect(connections).toBe(0);
    expect(readdirSync(marks)).toEqual(["secret"]);
    for (const folder of ["/tmp", "/var/tmp", "/usr/lib", "/", "."])
      expect(existsSync(join(folder, "p4loom-hostile-mark")), folder).toBe(false);
  });

  it("is not started if the interpreter's folders contain the exercise", async () => {
    const { command } = python as { command: readonly string[] };
    const shown = command[command.indexOf("--") - 1]!;
    const refused = await pythonStart({ seconds: 4, memoryMb: 192 }, [shown]);
    expect(refused).toEqual({
      reason: expect.stringMatching(/^\/.*, which Python needs, contains files of the exercise$/),
    });
  });
});
