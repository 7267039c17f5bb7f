/** A sweep whose jobs are sums: everything but the simulation. */
import { SourceFile } from "../../../../src/base/index.js";
import type { FabricSettings } from "../../../../src/fabric/experiment/experiment.js";
import type { Point } from "../../../../src/fabric/experiment/kinds/kind.js";
import { type JobEnd, type PoolWorker, recordsOfJob } from "../../../../src/fabric/experiment/sweep/jobs.js";
import { SweepSpace } from "../../../../src/fabric/experiment/sweep/space.js";
import type { JobOrder, Sweep } from "../../../../src/fabric/experiment/sweep/sweep.js";
import { jobContext } from "../job-context.js";

export interface FakeSize {
  /** Values of the keys `a`, `b` ... */
  readonly values: readonly number[];
  readonly units: number;
  readonly seeds: number;
}

export function fakeSweep({ values, units, seeds }: FakeSize): Sweep {
  const keys = values.map((_, i) => String.fromCharCode(97 + i));
  const space = new SweepSpace(
    keys,
    keys.map((key, i) =>
      Array.from({ length: values[i]! }, (_, n) => [{ key, path: [key], value: n, at: ["sweep", key, n] }]),
    ),
    seeds,
  );
  const settings = { name: "fake", seed: 1, engine: "sim" } as FabricSettings;
  const pointAt = (number: number): Point => ({
    settings,
    units: Array.from({ length: units }, (_, i) => ({
      scheme: `s${i % 2}`,
      name: `u${i}`,
      steps: 1 + (i % 3),
    })),
    withRuns: () => pointAt(number),
    checkOnTestbed: async () => {},
    // The last key does not concern the first unit: its jobs are the same for all values.
    dependencies: (unit) =>
      JSON.stringify([unit, unit === 0 ? Object.values(space.values(number)).slice(0, -1) : number]),
    run: async (numbers, { seed }) => ({
      outcomes: numbers.map((unit) => ({ sum: unit === 0 ? seed : 1000 * number + 10 * unit + seed })),
      logs: [],
      notes: [],
    }),
  });
  return {
    source: new SourceFile("fake.yaml", ""),
    settings,
    space,
    isOneRun: false,
    point: pointAt,
    async output({ points, seeds: all, warnings }) {
      const json = `${JSON.stringify({ points: points.map(({ values: own, outcomes }) => ({ own, outcomes })), all, warnings })}\n`;
      return { json, table: "", notes: [], warnings, files: [["results.json", json]] };
    },
    checkNumber: () => {},
  };
}

/** A worker that needs some turns of the event loop for a job; `fate` says how the job ends. */
export function fakeWorker(
  sweep: Sweep,
  turns: () => number,
  fate: () => JobEnd | undefined,
): PoolWorker<JobOrder> {
  let ended = false;
  return {
    async run(order): Promise<JobEnd> {
      for (let left = turns(); left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
      if (ended) return { kind: "died", why: "it was ended", lines: [] };
      const point = sweep.point(order.point);
      const means = { ...jobContext(0), progress: () => {} };
      return fate() ?? { kind: "done", line: await recordsOfJob(sweep, point, order, means) };
    },
    end: async () => {
      ended = true;
    },
  };
}
