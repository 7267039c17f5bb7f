/** Jobs of a sweep: what they depend on, their order, and workers that end. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../../src/base/index.js";
import type { PointRecord } from "../../../../src/fabric/experiment/results.js";
import {
  breather,
  dependenciesOf,
  diagnosticText,
  isFinished,
  type JobEnd,
  jobsOf,
  jobsOfShard,
  likeRecord,
  longestFirst,
  recordsOfJob,
  runPool,
} from "../../../../src/fabric/experiment/sweep/jobs.js";
import type { Job, Sweep } from "../../../../src/fabric/experiment/sweep/sweep.js";
import { jobContext } from "../job-context.js";
import { fakeSweep } from "./fake-sweep.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-jobs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = { seed: 1, runs: undefined, p4c: undefined, breathe: async () => {} };
const means = { ...jobContext(0), progress: () => {} };

describe("the jobs", () => {
  it("are each unit of each point under each seed; equal ones run once", async () => {
    const { jobs, work, seeds, points } = await jobsOf(
      fakeSweep({ values: [2, 3], units: 2, seeds: 2 }),
      options,
    );
    expect([jobs.length, seeds, points.length]).toEqual([24, [1, 2], 6]);
    expect(jobs.map(({ number }) => number)).toEqual(Array.from({ length: 24 }, (_, i) => i));
    expect(jobs.slice(0, 4).map(({ name, steps }) => [name, steps])).toEqual([
      ["a: 0, b: 0, s0, u0, seed 1", 1],
      ["a: 0, b: 0, s0, u0, seed 2", 1],
      ["a: 0, b: 0, s1, u1, seed 1", 2],
      ["a: 0, b: 0, s1, u1, seed 2", 2],
    ]);
    // The first unit does not depend on `b`: 2 values of `a` and 2 seeds; the other one depends on all.
    expect(work).toHaveLength(4 + 12);
    expect(work.map(({ number }) => number)).toEqual(Array.from({ length: 16 }, (_, i) => i));
  });

  it("have keys of their seed, compiler and engine", async () => {
    const sweep = fakeSweep({ values: [1], units: 1, seeds: 1 });
    const key = async (more: object) => (await jobsOf(sweep, { ...options, ...more })).jobs[0]!.keys[0]!;
    const all = [{}, { seed: 2 }, { p4c: "p4c" }, { engine: "switch" }, { engine: "bmv2" }];
    const each = await Promise.all(all.map(key));
    expect(new Set(each).size).toBe(all.length);
    expect(await key({ engine: "sim" })).toBe(each[0]);
    expect(each[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it("of a single run are the units of a scheme, or all on a testbed", async () => {
    const sweep: Sweep = { ...fakeSweep({ values: [], units: 3, seeds: 1 }), isOneRun: true };
    const of = async (engine: "sim" | "switch") =>
      (await jobsOf(sweep, { ...options, engine })).jobs.map(({ units, steps }) => [units, steps]);
    expect(await of("sim")).toEqual([
      [[0, 2], 4],
      [[1], 2],
    ]);
    expect(await of("switch")).toEqual([[[0, 1, 2], 6]]);
  });

  it("go to shards in turn, and are finished when all of their keys are known", async () => {
    const { work } = await jobsOf(fakeSweep({ values: [2], units: 3, seeds: 1 }), options);
    const numbers = (index: number, count: number) =>
      jobsOfShard(work, { index, count }).map(({ number }) => number);
    expect([numbers(1, 2), numbers(2, 2)]).toEqual([
      [0, 2, 4],
      [1, 3],
    ]);
    expect(jobsOfShard(work, undefined)).toBe(work);
    const two = { keys: ["a", "b"] };
    expect([isFinished(two, new Set("a")), isFinished(two, new Set("ab"))]).toEqual([false, true]);
  });

  it("start with the longest by measured times of like jobs, or else by their steps", () => {
    const job = (name: string, steps: number) => ({ name, steps }) as Job;
    const jobs = [job("x, seed 1", 1), job("y, seed 1", 3), job("x, seed 12", 2)];
    const order = (known: ReadonlyMap<string, number>) => longestFirst(jobs, known).map(({ steps }) => steps);
    expect(order(new Map([["x", 9]]))).toEqual([3, 2, 1]);
    expect(
      order(
        new Map([
          ["x", 9],
          ["y", 5],
        ]),
      ),
    ).toEqual([1, 2, 3]);
    const record = { point: { load: 1 }, scheme: "ecmp", unit: "" } as unknown as PointRecord;
    expect(likeRecord(record)).toBe("load: 1, ecmp");
  });

  it("lets others run after 50 ms, and ends where the sweep is stopped", async () => {
    const stop = new AbortController();
    const breathe = breather(stop.signal);
    stop.abort(new Error("stopped"));
    await breathe();
    const until = performance.now() + 60;
    while (performance.now() < until);
    await expect(breathe()).rejects.toThrow("stopped");
  });
});

describe("a record", () => {
  const sweep = fakeSweep({ values: [2], units: 3, seeds: 1 });

  it("has the point, the unit and the outcome; a job of several units has a line for each", async () => {
    const { jobs } = await jobsOf({ ...sweep, isOneRun: true }, options);
    const shares: number[] = [];
    const progress = (share: number) => shares.push(share);
    const point = sweep.point(1);
    const ran = {
      ...point,
      run: async (numbers: readonly number[], context: { progress(n: number, what: string): void }) => {
        context.progress(1, "");
        context.progress(3, "");
        const logs = [{ label: "s0", lines: ["x"] }];
        return { outcomes: numbers.map((unit) => ({ unit })), logs, notes: ["n"] };
      },
    } as unknown as typeof point;
    const order = jobs.find(({ point: number, units }) => number === 1 && units.length === 2)!;
    const lines = (await recordsOfJob(sweep, ran, order, { ...means, progress })).split("\n");
    const records = lines.map((line) => JSON.parse(line));
    expect(records).toMatchObject([
      { point: { a: 1 }, scheme: "s0", unit: "u0", seed: 1, notes: ["n"], outcome: { unit: 0 } },
      { point: { a: 1 }, scheme: "s0", unit: "u2", seed: 1, log: ["x"], outcome: { unit: 2 } },
    ]);
    expect(records.map(({ log, notes }) => [log, notes])).toEqual([
      [undefined, ["n"]],
      [["x"], undefined],
    ]);
    expect(records.map(({ job }) => job)).toEqual(order.keys);
    expect(shares).toEqual([0.25, 1]);
  });

  it("is not made when a file has changed since the jobs were listed", async () => {
    const { jobs } = await jobsOf(sweep, options);
    const changed = { ...sweep.point(0), dependencies: () => "other" };
    const error = await recordsOfJob(sweep, changed, jobs[0]!, means).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DiagnosticError);
    expect(diagnosticText(error)).toContain("error[P43044]: a file that fake.yaml uses has changed");
    expect(diagnosticText(new Error("x"))).toBeUndefined();
  });
});

describe("what a job depends on", () => {
  const unit = { scheme: { label: "x" }, name: "u", steps: 1 } as never;
  const of = (settings: object, kind = "load") => dependenciesOf(kind, settings, unit, { own: 1n });

  it("are the settings, but for those that have no effect inside of a unit", () => {
    expect(of({ load: 1 })).not.toBe(of({ load: 2 }));
    expect(of({ load: 1 })).not.toBe(of({ load: 1 }, "failover"));
    const others = {
      name: "x",
      title: "y",
      output: "z",
      sweep: {},
      seed: 3,
      engine: "sim",
      schemes: [],
      runs: 3,
    };
    expect(of({ load: 1, ...others })).toBe(of({ load: 1 }));
  });

  it("are the files of a scheme's module, with those that they name, wherever they are", () => {
    const inFolder = (name: string, files: Record<string, string>) => {
      const at = mkdtempSync(join(folder, name));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(at, file), text);
      return at;
    };
    const text = (at: string) => {
      const plan = { place: { file: { path: join(at, "scheme.mjs") } }, programs: [{ own: undefined }] };
      const scheme = { label: "x", scheme: "own", runs: 1, parameters: {}, plan };
      return dependenciesOf("load", {}, { scheme, name: "u", steps: 1 } as never, {});
    };
    const files = {
      "scheme.mjs": 'import x from "./a.mjs"; // require("./gone.cjs")\n',
      "a.mjs": '#include "b.p4"\nexport { y } from "./scheme.mjs";\n',
      "b.p4": "b",
      "other.mjs": "x",
    };
    const first = text(inFolder("one", files));
    expect(text(inFolder("two", { ...files, "other.mjs": "y" }))).toBe(first);
    expect(text(inFolder("three", { ...files, "b.p4": "c" }))).not.toBe(first);
    expect(text(inFolder("four", { ...files, "a.mjs": "" }))).not.toBe(first);
  });
});

describe("a pool of workers", () => {
  const pool = async (ends: JobEnd[], jobs: number, workers: number, more = {}) => {
    const told: string[] = [];
    let started = 0;
    const failed = await runPool({
      ...{ jobs: Array.from({ length: jobs }, (_, i) => i), workers },
      start: async () => {
        started++;
        return { run: async () => ends.shift()!, end: async () => void told.push("end") };
      },
      done: (job, line) => told.push(`${job} ${line}`),
      progress: () => {},
      again: (job, why) => told.push(`${job} again: ${why}`),
      stop: new AbortController().signal,
      ...more,
    });
    return { failed, told, started };
  };
  const done = (line: string): JobEnd => ({ kind: "done", line });
  const died: JobEnd = { kind: "died", why: "it died", lines: ["last"] };

  it("starts no more workers than jobs, and none for no jobs", async () => {
    expect((await pool([done("a")], 1, 4)).started).toBe(1);
    expect(await pool([], 0, 4)).toEqual({ failed: [], told: [], started: 0 });
  });

  it("runs a job again on another worker before the next one, and gives it up when that dies too", async () => {
    const { failed, told, started } = await pool([died, died, done("b")], 2, 1);
    expect(failed).toEqual([{ job: 0, why: "it died, twice", lines: ["last"] }]);
    expect([told, started]).toEqual([["end", "0 again: it died", "end", "1 b", "end"], 3]);
  });

  it("keeps a worker after a mistake of the user, which is not repeated", async () => {
    const { failed, told, started } = await pool([{ kind: "wrong", text: "no" }, done("b")], 2, 1);
    expect([failed, told, started]).toEqual([[{ job: 0, why: "no", lines: [] }], ["1 b", "end"], 1]);
  });

  it("ends with what stops it, with what a worker cannot start by, and with what its results cause", async () => {
    const stop = new AbortController();
    stop.abort(new Error("stopped"));
    await expect(pool([], 1, 1, { stop: stop.signal })).rejects.toThrow("stopped");
    const start = () => Promise.reject(new Error("no worker"));
    await expect(pool([], 1, 1, { start })).rejects.toThrow("no worker");
    const full = () => {
      throw new Error("disk full");
    };
    await expect(pool([done("a"), done("b")], 2, 2, { done: full })).rejects.toThrow("disk full");
    const late = new AbortController();
    const abort = () => late.abort(new Error("late"));
    await expect(pool([done("a"), done("b")], 2, 1, { stop: late.signal, done: abort })).rejects.toThrow(
      "late",
    );
  });
});
