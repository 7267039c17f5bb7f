/**
 * The course on real switches: a starter fails, a solution gets all points. One exercise here, with clone sessions and
 * digests; all with P4LOOM_COURSE=all.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { Diagnostics, formatDiagnostic } from "../../../src/base/index.js";
import {
  findSubmissions,
  type GradedSubmission,
  gradeAll,
  openExerciseFolder,
} from "../../../src/course/submissions/index.js";
import { COMMAND } from "../../built-command.js";
import { bmv2, leftoversOf, makeFolder, whyNot } from "./machine.js";

const course = resolve(import.meta.dirname, "../../../examples/course");
const hostile = resolve(import.meta.dirname, "../../course/submissions/hostile");
const all = readdirSync(course).filter((name) => existsSync(join(course, name, "exercise.yaml")));
const few = ["07-clone-digest"];
const names = process.env["P4LOOM_COURSE"] === "all" ? all : few;
const MS = 600_000;

/** Real time without progress after which a hostile submission is stopped, in milliseconds; twice that the second time. */
const HANG_MS = 20_000;

/** Grades all submissions of a folder, by name. `limits`: other ones than those of the exercise, with {@link HANG_MS}. */
async function grade(name: string, engine: "switch" | "bmv2", submissions: string, limits?: string) {
  const folder = limits === undefined ? join(course, name) : join(makeFolder(), name);
  if (limits !== undefined) {
    cpSync(join(course, name), folder, { recursive: true });
    appendFileSync(join(folder, "exercise.yaml"), `\nlimits: ${limits}\n`);
  }
  const diagnostics = new Diagnostics();
  const exercise = openExerciseFolder(folder, diagnostics);
  const found = findSubmissions(submissions, exercise.handsIn, diagnostics);
  const testbed = { engine, ...(engine === "bmv2" && bmv2 !== undefined ? { bmv2 } : {}) };
  const graded = await gradeAll(found, exercise, folder, diagnostics, {
    ...{ workers: 1, testbed },
    ...(limits === undefined ? {} : { hangMs: HANG_MS }),
  });
  expect(diagnostics.list.map(formatDiagnostic)).toEqual([]);
  return new Map(graded.map((one) => [one.name, one]));
}

/** Starter and solution of an exercise as submissions. */
function starterAndSolution(name: string): string {
  const folder = makeFolder();
  const { handsIn } = openExerciseFolder(join(course, name), new Diagnostics());
  for (const [to, from] of [
    ["starter", "."],
    ["solution", "solution"],
  ] as const) {
    mkdirSync(join(folder, to));
    for (const path of handsIn) copyFileSync(join(course, name, from, path), join(folder, to, path));
  }
  return folder;
}

const failed = (one: GradedSubmission | undefined): unknown =>
  one?.tests.filter(({ passed }) => !passed).map((test) => [test.name, test.seen, ...test.details]);

describe.each(["switch", "bmv2"] as const)("p4loom grade --engine %s", (engine) => {
  const reason = whyNot("netns", engine, ["packet_sockets"]);
  const suffix = reason === undefined ? "" : ` (not here: ${reason})`;

  it.skipIf(reason !== undefined).each(names)(
    `%s: the starter fails, the solution gets all points${suffix}`,
    { timeout: MS },
    async (name) => {
      const graded = await grade(name, engine, starterAndSolution(name));
      const [starter, solution] = [graded.get("starter")!, graded.get("solution")!];
      expect(failed(solution)).toEqual([]);
      expect(solution.points).toBe(solution.of);
      expect(starter.points).toBeLessThan(starter.of / 2);
    },
  );
});

const reason = whyNot("netns", "switch", ["packet_sockets"]);

describe.skipIf(reason !== undefined)(
  `on real switches${reason === undefined ? "" : ` (not here: ${reason})`}`,
  () => {
    it("a hostile submission gets its points and no more, and the next one all", {
      timeout: MS,
    }, async () => {
      const folder = makeFolder();
      for (const name of ["01-packets-go-round.p4", "04-macro-bomb.p4", "07-huge-register.p4"])
        copyFileSync(join(hostile, "programs", name), join(folder, name));
      copyFileSync(join(course, "01-forwarding/solution/forwarding.p4"), join(folder, "solution.p4"));
      const graded = await grade("01-forwarding", "switch", folder, "{ frames: 5000 }");
      expect([...graded].map(([name, { points }]) => [name, points])).toEqual([
        ["01-packets-go-round", 0],
        ["04-macro-bomb", 0],
        ["07-huge-register", 0],
        ["solution", 7],
      ]);
    });

    it("a controller has no network and cannot write, and one that never ends is stopped", {
      timeout: MS,
    }, async () => {
      const folder = makeFolder();
      const [marks, submissions] = [join(folder, "marks"), join(folder, "in")];
      mkdirSync(marks);
      mkdirSync(submissions);
      for (const name of ["12-writes-and-reads-files.mjs", "16-never-ends.mjs"])
        cpSync(join(hostile, "controllers", name), join(submissions, name));
      const graded = await grade("09-controller", "switch", submissions, "{}");
      expect(failed(graded.get("12-writes-and-reads-files"))).toEqual([]);
      expect(graded.get("16-never-ends")?.points).toBe(0);
      expect(readdirSync(marks)).toEqual([]);
      expect(existsSync("/tmp/p4loom-hostile-mark")).toBe(false);
    });

    it.each(["SIGINT", "SIGKILL"] as const)(
      "leaves nothing behind after %s",
      { timeout: MS },
      async (signal) => {
        const temporary = makeFolder();
        const args = [COMMAND, "grade", join(course, "01-forwarding"), "--engine", "switch"];
        const child = spawn(process.execPath, args, {
          stdio: ["ignore", "ignore", "ignore"],
          env: { ...process.env, TMPDIR: temporary },
        });
        const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
        const runs = (): string[] =>
          readdirSync("/run/p4loom").filter((id) => {
            const record = join("/run/p4loom", id, "run.json");
            return existsSync(record) && readFileSync(record, "utf8").includes(temporary);
          });
        // The first run is the one that tries the machine.
        const seen = new Set<string>();
        await vi.waitFor(
          () => {
            for (const id of runs()) seen.add(id);
            expect(seen.size).toBe(2);
          },
          { timeout: 120_000, interval: 20 },
        );
        child.kill(signal);
        expect(await ended).toBe(signal === "SIGINT" ? 130 : null);
        await vi.waitFor(() => expect([...seen].flatMap(leftoversOf)).toEqual([]), {
          timeout: 60_000,
          interval: 200,
        });
        await vi.waitFor(
          () => expect(readdirSync(temporary).filter((name) => name.startsWith("p4loom-grade-"))).toEqual([]),
          { timeout: 20_000, interval: 200 },
        );
      },
    );
  },
);

describe("p4loom grade says before it grades", () => {
  const run = (args: readonly string[], user: readonly string[] = []) => {
    const [file, ...words] = [
      ...user,
      process.execPath,
      COMMAND,
      "grade",
      join(course, "01-forwarding"),
      ...args,
    ];
    return spawnSync(file!, words, { encoding: "utf8" });
  };

  it.each([
    [["--engine", "mininet"], 2, /error\[P40005\]: --engine mininet.*sim/s],
    [["--bmv2", "x"], 2, /error\[P40005\]: --bmv2 names the switch of --engine bmv2; the engine is sim/],
    [["--engine", "bmv2", "--bmv2", "/nowhere/simple_switch_grpc"], 1, /error\[P43103\]/],
  ])("what is wrong with %j", (args, status, message) => {
    const done = run(args);
    expect([done.status, done.stdout]).toEqual([status, ""]);
    expect(done.stderr).toMatch(message);
  });

  it("that it lacks root", (context) => {
    const user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
    if (spawnSync(user[0]!, [...user.slice(1), process.execPath, COMMAND, "--version"]).status !== 0)
      context.skip("setpriv does not work here");
    // Without it, this is the first thing that is missing.
    if (spawnSync("sh", ["-c", "command -v ethtool"]).status !== 0) context.skip("ethtool is not installed");
    const { status, stderr } = run(["--engine", "switch"], user);
    expect(status).toBe(1);
    expect(stderr).toMatch(/error\[P4310\d\]: .*\n.*try sudo/);
  });
});
