/** Whatever the order in which jobs end, on however many workers and shards, and however often they are killed: the same bytes. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { readPoints } from "../../../../src/fabric/experiment/files.js";
import type { PointRecord } from "../../../../src/fabric/experiment/results.js";
import { runSweep, type WorkerStarter } from "../../../../src/fabric/experiment/run.js";
import type { Sweep, SweepRunOptions } from "../../../../src/fabric/experiment/sweep/sweep.js";
import { runs } from "../../../fuzz-seed.js";
import { type FakeSize, fakeSweep, fakeWorker } from "./fake-sweep.js";

const sizes = fc.record({
  values: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 0, maxLength: 2 }),
  units: fc.integer({ min: 1, max: 4 }),
  seeds: fc.integer({ min: 1, max: 3 }),
});

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-sweep-test-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The text of `results.json` from one process, job by job. */
async function alone(size: FakeSize): Promise<string> {
  return await inFolder(async (out) => {
    await runSweep(fakeSweep(size), { out });
    return readFileSync(join(out, "results.json"), "utf8");
  });
}

/** Workers that end in a drawn order; some die with a job, never twice with the same one. */
function starter(sweep: Sweep, random: Random): WorkerStarter {
  return async () =>
    fakeWorker(
      sweep,
      () => random.int(6),
      () => undefined,
    );
}

describe("a sweep", () => {
  it("gives the same bytes on any number of workers, with any order of ends", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), fc.nat(), async (size, workers, seed) => {
        const sweep = fakeSweep(size);
        await inFolder(async (out) => {
          await runSweep(sweep, { out, sweep: { workers } }, starter(sweep, new Random(seed)));
          expect(readFileSync(join(out, "results.json"), "utf8")).toBe(await alone(size));
        });
      }),
      runs(20),
    );
  });

  it("gives the same bytes in shards, which end in any order; the last one makes the results", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), fc.nat(), async (size, count, seed) => {
        const sweep = fakeSweep(size);
        const random = new Random(seed);
        const order = Array.from({ length: count }, (_, i) => i + 1).sort(() => random.int(3) - 1);
        await inFolder(async (out) => {
          for (const [n, index] of order.entries()) {
            const results = await runSweep(sweep, { out, sweep: { shard: { index, count } } });
            if (n < count - 1 && results.unfinished) expect(readdirSync(out)).not.toContain("results.json");
          }
          expect(readFileSync(join(out, "results.json"), "utf8")).toBe(await alone(size));
          const gathered = await runSweep(sweep, { out, sweep: { gather: "only" } });
          expect(gathered.json).toBe(await alone(size));
        });
      }),
      runs(20),
    );
  });

  it("that is killed again and again, at any job and in the middle of a line, loses nothing, repeats nothing, and gives the same bytes", async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.array(fc.record({ after: fc.nat(12), torn: fc.nat(60), shards: fc.integer({ min: 1, max: 3 }) }), {
          maxLength: 4,
        }),
        fc.nat(),
        async (size, kills, seed) => {
          const sweep = fakeSweep(size);
          const random = new Random(seed);
          await inFolder(async (out) => {
            let kept = 0;
            for (const { after, torn, shards } of kills) {
              const stop = new AbortController();
              let done = 0;
              const shard = shards === 1 ? {} : { shard: { index: 1 + random.int(shards), count: shards } };
              const options: SweepRunOptions = { workers: 2, resume: true, gather: "never", ...shard };
              const run = runSweep(
                sweep,
                {
                  out,
                  sweep: options,
                  stop: stop.signal,
                  progress: (_d, _t, what) => {
                    if (/job/.test(what) && ++done === after) stop.abort(new Error("killed"));
                  },
                },
                starter(sweep, random),
              );
              await run.catch((error: Error) => expect(error.message).toBe("killed"));
              const records = [...readPoints(out)];
              expect(new Set(records.map(({ job }) => job)).size).toBe(records.length);
              expect(records.length).toBeGreaterThanOrEqual(kept);
              kept = records.length;
              // A kill in the middle of a write leaves the beginning of a line.
              const files = readdirSync(out).filter((name) => name.endsWith(".jsonl"));
              if (files.length > 0)
                appendFileSync(
                  join(out, files[random.int(files.length)]!),
                  '{"job":"0123456789","outcome":{"sum":1}'.slice(0, torn),
                );
            }
            await runSweep(sweep, { out, sweep: { workers: 2, resume: true } }, starter(sweep, random));
            expect(readFileSync(join(out, "results.json"), "utf8")).toBe(await alone(size));
            const jobs = [...readPoints(out)].map(({ job }) => job);
            expect(new Set(jobs).size).toBe(jobs.length);
          });
        },
      ),
      runs(20),
    );
  });
});

describe("a worker that dies with a job", () => {
  const size = { values: [3], units: 2, seeds: 2 };

  it("costs nothing when the job succeeds at its second try", async () => {
    const sweep = fakeSweep(size);
    let calls = 0;
    const told: string[] = [];
    const start: WorkerStarter = async () =>
      fakeWorker(
        sweep,
        () => 1,
        () =>
          ++calls % 4 === 1
            ? { kind: "died", why: "its worker was ended by SIGKILL", lines: ["last words"] }
            : undefined,
      );
    await inFolder(async (out) => {
      const options = { out, sweep: { workers: 1, tell: (line: string) => told.push(line) } };
      const results = await runSweep(sweep, options, start);
      expect(results.failures).toBeUndefined();
      expect(results.json).toBe(await alone(size));
      expect(told.filter((line) => line.startsWith("runs again: "))).toHaveLength(Math.ceil(calls / 4));
    });
  });

  it("is reported with point, scheme, seed and last words when it dies twice; the other jobs are kept", async () => {
    const sweep = fakeSweep(size);
    const start: WorkerStarter = async () => {
      let order: { point: number; units: readonly number[]; seed: number } | undefined;
      const worker = fakeWorker(
        sweep,
        () => 1,
        () =>
          order?.point === 1 && order.units[0] === 1 && order.seed === 2
            ? { kind: "died", why: "its worker was ended by SIGKILL", lines: ["last words"] }
            : undefined,
      );
      return {
        ...worker,
        run: (job, progress) => {
          order = job;
          return worker.run(job, progress);
        },
      };
    };
    await inFolder(async (out) => {
      const { failures, warnings } = await runSweep(sweep, { out, sweep: { workers: 2 } }, start);
      expect(failures).toHaveLength(1);
      expect(failures![0]).toMatchObject({
        code: "P43042",
        message: "1 job of the sweep failed: a: 1, s1, u1, seed 2",
        notes: [{ message: "its worker was ended by SIGKILL, twice" }, { message: "last words" }],
      });
      expect(warnings).toEqual([
        "1 of 8 jobs has no outcome and is missing from the figures: a: 1, s1, u1, seed 2.",
      ]);
      // Resumed on a sound machine, the results are whole.
      const resumed = await runSweep(
        sweep,
        { out, sweep: { workers: 1, resume: true } },
        starter(sweep, new Random(1)),
      );
      expect(resumed.json).toBe(await alone(size));
    });
  });
});

describe("the points file", () => {
  it("is read without lines that are no records, and cut to whole lines before it grows", async () => {
    const size = { values: [2], units: 2, seeds: 2 };
    const sweep = fakeSweep(size);
    await inFolder(async (out) => {
      await runSweep(sweep, { out });
      const path = join(out, "points.jsonl");
      const whole = readFileSync(path, "utf8");
      const lines = whole.trimEnd().split("\n");
      expect(lines).toHaveLength(6);
      const record = JSON.parse(lines[0]!) as PointRecord;
      expect(record).toMatchObject({ point: { a: 0 }, scheme: "s1", unit: "u1", outcome: { sum: 11 } });
      truncateSync(path, whole.length - 10);
      expect([...readPoints(out)]).toHaveLength(5);
      await runSweep(sweep, { out, sweep: { resume: true } });
      expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(6);
      appendFileSync(path, "not JSON\n");
      expect([...readPoints(out)]).toHaveLength(6);
    });
  });

  it("tells of finished jobs that are not reused, since the file has changed", async () => {
    await inFolder(async (out) => {
      await runSweep(fakeSweep({ values: [3], units: 2, seeds: 1 }), { out });
      const told: string[] = [];
      const sweep = { resume: true, tell: (line: string) => told.push(line) };
      await runSweep(fakeSweep({ values: [3], units: 2, seeds: 1 }), { out, sweep });
      expect(told.join("\n")).not.toContain("not of this sweep");
      await runSweep(fakeSweep({ values: [1], units: 2, seeds: 1 }), { out, sweep });
      expect(told.join("\n")).toContain(`2 finished jobs in ${out} are not of this sweep as it is now`);
    });
  });

  it("of an earlier run is kept beside the new one, when it is not resumed", async () => {
    const sweep = fakeSweep({ values: [2], units: 2, seeds: 2 });
    await inFolder(async (out) => {
      await runSweep(sweep, { out });
      const before = readFileSync(join(out, "points.jsonl"), "utf8");
      await runSweep(sweep, { out });
      expect(readFileSync(join(out, "points.jsonl.old"), "utf8")).toBe(before);
      expect([...readPoints(out)]).toHaveLength(6);
    });
  });
});
