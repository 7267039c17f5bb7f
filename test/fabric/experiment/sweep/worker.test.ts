/** What a worker of a sweep answers: whether it has read the file, the shares and records of its jobs, and what ended them. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Diagnostics, fail, type SourceFile } from "../../../../src/base/index.js";
import { CODES } from "../../../../src/fabric/experiment/codes.js";
import type { JobContext, Point } from "../../../../src/fabric/experiment/kinds/kind.js";
import { jobsOf } from "../../../../src/fabric/experiment/sweep/jobs.js";
import type { JobOrder, Sweep } from "../../../../src/fabric/experiment/sweep/sweep.js";
import { type ReadSweep, serveSweep, sweepWorker } from "../../../../src/fabric/experiment/sweep/worker.js";
import type { FromWorker, ToWorker } from "../../../../src/fabric/experiment/sweep/worker-process.js";
import { fakeSweep } from "./fake-sweep.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const START: ToWorker = {
  ...{ type: "start" as const, path: "s.yaml", text: "as it was read", runs: 5, p4c: "p4c" },
  seeing: { request: {}, folder: "/out" },
};
const SWEEP = fakeSweep({ values: [2], units: 3, seeds: 1 });
const EARLY = { seed: 1, runs: undefined, p4c: "p4c", breathe: async () => {} };

/** A worker of a sweep that `read` reads, after the start. */
async function started(read: ReadSweep) {
  const sent: FromWorker[] = [];
  const answer = sweepWorker(read, (message) => sent.push(message));
  await answer(START);
  const job = async (order: JobOrder) => {
    sent.length = 0;
    await answer({ type: "job", order });
    return sent;
  };
  return { sent, job };
}

/** The sweep, whose points run like this. */
function running(run: Point["run"]): Sweep {
  return { ...SWEEP, point: (number) => ({ ...SWEEP.point(number), run }) };
}

const orders = async () => (await jobsOf(SWEEP, EARLY)).jobs;

describe("a worker that starts", () => {
  it("reads the text that it is sent, of a file that was checked, and is ready", async () => {
    const seen: unknown[] = [];
    const { sent } = await started(async ({ path, text }: SourceFile, _: Diagnostics, how) => {
      seen.push(path, text, how);
      return SWEEP;
    });
    expect(seen).toEqual(["s.yaml", "as it was read", { many: true, checked: true }]);
    expect(sent).toEqual([{ type: "ready" }]);
  });

  it("tells all mistakes that the file has by now, for example in a file that it names", async () => {
    const { sent } = await started(async (_, diagnostics) => {
      for (const word of ["one", "two"]) diagnostics.error(CODES.changedFile, undefined, word);
      return undefined;
    });
    expect(sent).toEqual([{ type: "wrong", text: "error[P43044]: one\nerror[P43044]: two" }]);
  });

  it("tells what reading throws: a mistake of the user as its text, all else with its stack", async () => {
    const wrong = await started(async () => fail(CODES.changedFile, undefined, "gone"));
    expect(wrong.sent).toEqual([{ type: "wrong", text: "error[P43044]: gone" }]);
    const threw = await started(async () => {
      throw new Error("broken");
    });
    expect(threw.sent).toEqual([
      { type: "threw", text: expect.stringMatching(/^Error: broken\n +at .*worker\.test/) },
    ]);
  });
});

describe("a job", () => {
  it("runs with a point of its own, and with what the sweep was started with", async () => {
    const made: unknown[] = [];
    const contexts: Partial<JobContext>[] = [];
    const sweep = running(async (units, context) => {
      contexts.push(context);
      return { outcomes: units.map((unit) => ({ unit })), logs: [], notes: [] };
    });
    const point = (number: number, runs?: number) => {
      made.push([number, runs]);
      return sweep.point(number);
    };
    const { job } = await started(async () => ({ ...sweep, point }));
    const [first, second] = await orders();
    for (const order of [first!, second!, second!]) {
      const [end] = await job(order);
      const record = end!.type === "done" ? JSON.parse(end!.line) : {};
      expect(record).toMatchObject({ job: order.keys[0], seed: 1, outcome: { unit: order.units[0] } });
    }
    expect(made).toEqual([
      [0, 5],
      [0, 5],
      [0, 5],
    ]);
    expect(contexts[0]).toMatchObject({
      engine: "sim",
      p4c: "p4c",
      seed: 1,
      folder: "/out/testbeds/a-0-s0-u0-seed-1",
    });
    expect(contexts[0]!.seeing).toMatchObject({ folder: "/out", name: "a-0-s0-u0-seed-1" });
    expect(contexts[0]!.stop!.aborted).toBe(false);
  });

  it("tells its share at once, and then at most five times in a second", async () => {
    let now = 1_000_000;
    vi.spyOn(Date, "now").mockImplementation(() => now);
    const after = [0, 199, 1, 199, 1];
    const { job } = await started(async () =>
      running(async (_, { progress }) => {
        for (const ms of after) {
          now += ms;
          progress(1, "a step");
        }
        return { outcomes: [1], logs: [], notes: [] };
      }),
    );
    const unit = (await orders()).find(({ steps }) => steps === 3)!;
    const sent = await job(unit);
    expect(sent.flatMap((one) => (one.type === "progress" ? [3 * one.share] : []))).toEqual([1, 3, 5]);
    expect(sent.at(-1)).toMatchObject({ type: "done" });
  });

  it("that cannot be done tells why, and leaves a worker that does the next one", async () => {
    const ends: (() => never)[] = [
      () => fail(CODES.changedFile, undefined, "a mistake"),
      () => {
        throw Object.assign(new Error("broken"), { stack: undefined });
      },
      () => {
        throw "words";
      },
    ];
    const { job } = await started(async () =>
      running(async () => ends.shift()?.() ?? { outcomes: [1], logs: [], notes: [] }),
    );
    const [order] = await orders();
    expect(await job(order!)).toEqual([{ type: "wrong", text: "error[P43044]: a mistake" }]);
    expect(await job(order!)).toEqual([{ type: "threw", text: "broken" }]);
    expect(await job(order!)).toEqual([{ type: "threw", text: "words" }]);
    expect(await job(order!)).toMatchObject([{ type: "done" }]);
  });

  it("is refused when the worker has read other files than the sweep", async () => {
    const { job } = await started(async () => SWEEP);
    const [order] = await orders();
    const [end] = await job({ ...order!, keys: ["another"] });
    expect(end).toMatchObject({
      type: "wrong",
      text: expect.stringContaining("error[P43044]: a file that "),
    });
  });
});

describe("the process of a worker", () => {
  it("has a channel to the sweep: a user cannot start it", async () => {
    const { send } = process;
    delete process.send;
    const end = serveSweep(async () => undefined);
    process.send = send!;
    await expect(end).rejects.toThrow("a worker of a sweep is started by p4loom run alone");
  });
});
