/** As many seeds as a rule asks for: the same seeds, and the same bytes, in one process, on workers, in shards, resumed and by Slurm. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, Random, SourceFile } from "../../../../src/base/index.js";
import { loadExperimentFile } from "../../../../src/fabric/experiment/index.js";
import type { FinishedSweep } from "../../../../src/fabric/experiment/kinds/kind.js";
import { runSweep } from "../../../../src/fabric/experiment/run.js";
import type { Sweep } from "../../../../src/fabric/experiment/sweep/sweep.js";
import { meanInterval } from "../../../../src/fabric/statistics/index.js";
import { runs } from "../../../fuzz-seed.js";
import { fakeSweep, fakeWorker } from "./fake-sweep.js";

const RULE = { confidence: 0.95, within: 0.05, least: 5, most: 40 };

interface Drawn {
  /** For each point, the coefficient of variation of its units' figures. */
  readonly spreads: readonly number[];
  readonly units: number;
}

/** A sweep whose units draw their figures by point, unit and seed. */
function drawnSweep({ spreads, units }: Drawn, failing?: number): Sweep {
  const base = fakeSweep({ values: [spreads.length], units, seeds: 1 });
  const figure = (point: number, unit: number, seed: number) => {
    const random = new Random(`${point} ${unit} ${seed}`);
    return 1 + spreads[point]! * ((random.uint32() / 2 ** 32) * 2 - 1);
  };
  return {
    ...base,
    until: RULE,
    point: (number) => ({
      ...base.point(number),
      dependencies: (unit) => `${number} ${unit}`,
      until: { rule: RULE, figure: (_unit, outcome) => (outcome as { figure?: number }).figure },
      run: async ([unit], { seed }) => {
        if (seed === failing && number === 0 && unit === 0) throw new Error("it fails");
        return { outcomes: [{ figure: figure(number, unit!, seed) }], logs: [], notes: [] };
      },
    }),
  };
}

const drawn = fc.record({
  spreads: fc.array(fc.constantFrom(0, 0.05, 0.15, 0.3, 2), { minLength: 1, maxLength: 3 }),
  units: fc.integer({ min: 1, max: 3 }),
});

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-until-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const resultsOf = (out: string) => readFileSync(join(out, "results.json"), "utf8");
const alone = (sweep: Sweep) =>
  inFolder(async (out) => {
    await runSweep(sweep, { out });
    return resultsOf(out);
  });

/** Number of seeds of each point, and whether all units have the same. */
async function seedsOf(sweep: Sweep): Promise<number[]> {
  const { points } = JSON.parse(await alone(sweep)) as { points: { outcomes: { seed: number }[][] }[] };
  return points.map(({ outcomes }) => {
    const lists = outcomes.map((unit) => unit.map(({ seed }) => seed));
    for (const list of lists) expect(list).toEqual(lists[0]!.map((_, i) => 1 + i));
    expect(new Set(lists.map(({ length }) => length)).size).toBe(1);
    return lists[0]!.length;
  });
}

describe("a sweep with a rule for its seeds", () => {
  it("runs the seeds that each point needs: at least two looks, at most the cap", async () => {
    expect(await seedsOf(drawnSweep({ spreads: [0, 2], units: 2 }))).toEqual([7, 40]);
    const [few, more] = await seedsOf(drawnSweep({ spreads: [0.05, 0.3], units: 3 }));
    expect(few).toBeLessThan(more!);
  });

  it("stops where the intervals are small", async () => {
    await inFolder(async (out) => {
      let finished: FinishedSweep | undefined;
      const sweep = drawnSweep({ spreads: [0.15], units: 3 });
      await runSweep({ ...sweep, output: (all) => sweep.output((finished = all)) }, { out });
      for (const unit of finished!.points[0]!.outcomes) {
        const { mean, halfWidth } = meanInterval(
          unit.map(({ outcome }) => (outcome as { figure: number }).figure),
        );
        expect(unit.length).toBeLessThan(RULE.most);
        expect(halfWidth! / mean).toBeLessThanOrEqual(RULE.within);
      }
    });
  });

  it("gives the same bytes on workers, in shards of several passes, and when it is resumed", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.integer({ min: 1, max: 4 }), fc.nat(), async (size, count, seed) => {
        const sweep = drawnSweep(size);
        const expected = await alone(sweep);
        const random = new Random(seed);
        const start = async () =>
          fakeWorker(
            sweep,
            () => random.int(4),
            () => undefined,
          );
        await inFolder(async (out) => {
          await runSweep(sweep, { out, sweep: { workers: count } }, start);
          expect(resultsOf(out)).toBe(expected);
          // Some of the finished jobs are lost.
          const path = join(out, "points.jsonl");
          const lines = readFileSync(path, "utf8").trimEnd().split("\n");
          writeFileSync(path, `${lines.filter(() => random.int(3) > 0).join("\n")}\n`);
          await runSweep(sweep, { out, sweep: { resume: true } });
          expect(resultsOf(out)).toBe(expected);
        });
        await inFolder(async (out) => {
          let ended = false;
          for (let pass = 0; !ended; pass++) {
            expect(pass).toBeLessThan(30);
            for (let index = 1; index <= count && !ended; index++) {
              const shard = { index, count };
              const { unfinished } = await runSweep(sweep, { out, sweep: { shard, resume: pass > 0 } });
              ended = unfinished !== true;
            }
          }
          expect(resultsOf(out)).toBe(expected);
          await runSweep(sweep, { out, sweep: { gather: "only" } });
          expect(resultsOf(out)).toBe(expected);
        });
      }),
      runs(10),
    );
  });

  it("runs no job of a seed that nothing asks for, and none twice", async () => {
    await inFolder(async (out) => {
      await runSweep(drawnSweep({ spreads: [0, 2], units: 2 }), { out });
      const lines = readFileSync(join(out, "points.jsonl"), "utf8").trimEnd().split("\n");
      expect(lines).toHaveLength(2 * 7 + 2 * 40);
      expect(new Set(lines.map((line) => (JSON.parse(line) as { job: string }).job)).size).toBe(94);
    });
  });

  it("goes on with the other points where a job fails, and says that its point has not converged", async () => {
    await inFolder(async (out) => {
      const sweep = drawnSweep({ spreads: [0, 0], units: 1 }, 3);
      const start = async () =>
        fakeWorker(
          sweep,
          () => 0,
          () => undefined,
        );
      const failing = async () => {
        const worker = await start();
        return {
          ...worker,
          run: async (...[order, progress]: Parameters<typeof worker.run>) =>
            order.point === 0 && order.seed === 3
              ? ({ kind: "wrong", text: "it fails" } as const)
              : await worker.run(order, progress),
        };
      };
      const { failures, warnings } = await runSweep(sweep, { out, sweep: { workers: 2 } }, failing);
      expect(failures).toHaveLength(1);
      expect(warnings.join()).toContain("1 of 12 jobs has no outcome");
    });
  });
});

describe("a load experiment with a rule", () => {
  const FILE = `name: rule
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 2, host_link: { rate: 1Gbps, delay: 1us }, fabric_link: { rate: 1Gbps, delay: 1us } }
schemes: [ecmp, prr]
load: 0.3
traffic: { sizes: { fixed: 20KB }, flows: 60 }
drain: 100ms
`;
  const UNTIL = "until: { metric: slowdown_mean, within: 20%, min_runs: 5, max_runs: 12 }\n";

  async function run(text: string, out?: string) {
    const diagnostics = new Diagnostics();
    const loaded = loadExperimentFile(new SourceFile("r.yaml", text), diagnostics);
    expect(diagnostics.list).toEqual([]);
    return await loaded!.run(out === undefined ? {} : { out });
  }

  it("has the figures of a run with these seeds and these warm-ups, and says which cells have converged", async () => {
    const { json, warnings } = await run(`${FILE}warm_up: 0s\n${UNTIL}`);
    const { rows } = JSON.parse(json) as { rows: Record<string, unknown>[] };
    const all = rows.filter(({ size }) => size === "all");
    const [{ seeds }] = all as [{ seeds: number }];
    expect(all.map((row) => [row["seeds"], row["converged"]])).toEqual([
      [seeds, "yes"],
      [seeds, "yes"],
    ]);
    expect(warnings.join()).not.toContain("not converged");
    const fixed = await run(`${FILE}warm_up: 0s\nsweep: { seeds: ${seeds} }\n`);
    const without = rows.map(({ converged: _, interval_of_mean: _other, ...row }) => row);
    expect(without).toEqual((JSON.parse(fixed.json) as { rows: unknown[] }).rows);
  });

  it("says which cells have not converged at the cap", async () => {
    const text = UNTIL.replace("20%", "0.01%").replace("max_runs: 12", "max_runs: 5");
    const { json, warnings } = await run(`${FILE}warm_up: 0s\n${text}`);
    expect(
      (JSON.parse(json) as { rows: { converged?: string }[] }).rows.map((row) => row.converged),
    ).toContain("no");
    expect(warnings.filter((one) => one.includes("not converged"))).toHaveLength(2);
  });

  it("finds the warm-up by a pilot run where the file has none: as if the file had written it", async () => {
    const found = JSON.parse((await run(`${FILE}warm_up: auto\n`)).json) as {
      rows: { warm_up_ms?: number }[];
    };
    const warmUps = found.rows.flatMap(({ warm_up_ms }) => warm_up_ms ?? []);
    expect(warmUps).toHaveLength(2);
    for (const [i, scheme] of ["ecmp", "prr"].entries()) {
      const text = FILE.replace("[ecmp, prr]", `[${scheme}]`);
      const written = JSON.parse(
        (await run(`${text}warm_up: ${Math.round(1e6 * warmUps[i]!)}ns\n`)).json,
      ) as typeof found;
      const own = found.rows.filter((row) => (row as { scheme?: string }).scheme === scheme);
      expect(own.map(({ warm_up_ms: _, ...row }) => row)).toEqual(written.rows);
    }
    const { rows } = JSON.parse((await run(FILE + UNTIL)).json) as typeof found;
    expect(rows.filter(({ warm_up_ms }) => warm_up_ms !== undefined)).toHaveLength(2);
  });
});

describe("a rule by Slurm", () => {
  it("submits an array job for each look, and gives the same bytes", async () => {
    const sweep = drawnSweep({ spreads: [0.15], units: 2 });
    const expected = await alone(sweep);
    const PATH = process.env["PATH"]!;
    await inFolder(async (out) => {
      const bin = join(out, "bin");
      mkdirSync(bin);
      const program = (name: string, text: string) => {
        writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
        chmodSync(join(bin, name), 0o755);
      };
      program("sbatch", `echo "$*" >> ${out}/submitted; echo 7`);
      // While the queue shows the job, the tasks of this process run their shards.
      program("squeue", `[ -e ${out}/done ] && exit 0; echo RUNNING`);
      process.env["PATH"] = `${bin}${delimiter}${PATH}`;
      try {
        let seen = 0;
        const tasks = setInterval(() => {
          let list: string[] = [];
          try {
            list = readFileSync(join(out, "submitted"), "utf8").trimEnd().split("\n");
          } catch {}
          if (list.length === seen) return;
          seen = list.length;
          void (async () => {
            for (let index = 1; index <= 2; index++) {
              const shard = { index, count: 2 };
              await runSweep(sweep, { out, sweep: { shard, resume: true, gather: "never" } });
            }
            writeFileSync(join(out, "done"), "");
          })();
        }, 5);
        const slurm = { options: [], tasks: 2, repeat: [], dryRun: false, pollMs: 20 };
        await runSweep(sweep, { out, sweep: { slurm } });
        clearInterval(tasks);
        expect(resultsOf(out)).toBe(expected);
      } finally {
        process.env["PATH"] = PATH;
      }
    });
  });
});
