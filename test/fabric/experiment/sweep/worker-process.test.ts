/** Workers as processes: what they are started with, how their jobs end, and when they are ended. Scripts stand in for `p4loom run --sweep-worker`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { DiagnosticError } from "../../../../src/base/index.js";
import type { JobEnd } from "../../../../src/fabric/experiment/sweep/jobs.js";
import { startWorker } from "../../../../src/fabric/experiment/sweep/worker-process.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-workers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const COMMAND = process.env["P4LOOM_COMMAND"];
const begun: { end(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  if (COMMAND === undefined) delete process.env["P4LOOM_COMMAND"];
  else process.env["P4LOOM_COMMAND"] = COMMAND;
  for (const worker of begun.splice(0)) await worker.end();
});

const START = { path: "/x/sweep.yaml", text: "name: x\n", runs: 2, seeing: { request: {}, folder: "/out" } };
const ORDER = { point: 3, units: [0, 1], seed: 7, keys: ["a", "b"] };
let scripts = 0;

/** A worker whose process runs this script; `message` is what it was sent. */
async function start(script: string, { memoryMb = 64, jobMs = undefined as number | undefined } = {}) {
  const path = join(folder, `worker-${scripts++}.cjs`);
  writeFileSync(path, script);
  process.env["P4LOOM_COMMAND"] = path;
  const worker = await startWorker(START, { memoryMb, jobMs });
  begun.push(worker);
  return worker;
}

/** A script that is ready at once, and does this for a job. */
const onJob = (work: string) => `
process.on("message", (message) => {
  if (message.type === "start") process.send({ type: "ready" });
  else { ${work} }
});`;

/** The end of one job of a worker with this script. */
async function endOf(work: string, limits = {}): Promise<JobEnd> {
  return await (await start(onJob(work), limits)).run(ORDER, () => {});
}

async function failure(script: string): Promise<string[]> {
  const error = await start(script).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DiagnosticError);
  return (error as DiagnosticError).diagnostics.flatMap(({ code, message, notes }) => [
    code,
    message,
    ...(notes ?? []).map((note) => note.message),
  ]);
}

describe("a worker that starts", () => {
  it("is this command with the limit of its heap, and gets the file as the sweep has read it", async () => {
    const script = `process.on("message", (message) => {
  const all = [process.execArgv, process.argv.slice(2), message].map((one) => JSON.stringify(one));
  process.send({ type: "wrong", text: all.join("\\n") });
});`;
    const [code, message, ...notes] = await failure(script);
    expect([code, message]).toEqual(["P43045", "a worker of the sweep does not start"]);
    expect(notes.map((note) => JSON.parse(note))).toEqual([
      ["--max-old-space-size=64"],
      ["run", "/x/sweep.yaml", "--sweep-worker"],
      { type: "start", ...START },
    ]);
  });

  it("fails with the last words of a process that ends before it is ready", async () => {
    const ends = `process.on("message", () => {
  process.stdout.write("out\\n\\n");
  process.stderr.write("err\\n", () => process.exit(3));
});`;
    const [code, , why, ...lines] = await failure(ends);
    expect([code, why]).toEqual(["P43045", "its worker ended with status 3"]);
    expect(lines.sort()).toEqual(["err", "out"]);
  });
});

describe("a job", () => {
  it("is sent as it is; its shares are told, and its records are its end", async () => {
    const shares: number[] = [];
    const worker = await start(
      onJob(`for (const share of [0.25, 0.5]) process.send({ type: "progress", share });
    process.send({ type: "alive" });
    process.send({ type: "done", line: JSON.stringify(message) });`),
    );
    const end = await worker.run(ORDER, (share) => shares.push(share));
    expect(end.kind === "done" && JSON.parse(end.line)).toEqual({ type: "job", order: ORDER });
    expect(shares).toEqual([0.25, 0.5]);
  });

  it("that ends with a mistake of the user leaves a worker that takes further jobs", async () => {
    const worker = await start(
      onJob(
        `process.send(message.order.point === 3 ? { type: "wrong", text: "no" } : { type: "done", line: "x" });`,
      ),
    );
    expect(await worker.run(ORDER, () => {})).toEqual({ kind: "wrong", text: "no" });
    expect(await worker.run({ ...ORDER, point: 4 }, () => {})).toEqual({ kind: "done", line: "x" });
  });

  it("that throws says what, with the first twelve lines of the stack", async () => {
    const stack = Array.from({ length: 20 }, (_, i) => `  at f${i}`);
    const text = JSON.stringify(["Error: broken", ...stack].join("\n"));
    expect(await endOf(`process.send({ type: "threw", text: ${text} });`)).toEqual({
      ...{ kind: "died", why: "it threw Error: broken" },
      lines: stack.slice(0, 12),
    });
  });

  it("whose process ends says by which signal or status, with the last twelve lines that it wrote", async () => {
    const lines = (n: number) => `Array.from({ length: ${n} }, (_, i) => "line " + i).join("\\n") + "\\n"`;
    expect(
      await endOf(`process.stderr.write(${lines(15)}, () => process.kill(process.pid, "SIGTERM"));`),
    ).toEqual({
      ...{ kind: "died", why: "its worker was ended by SIGTERM" },
      lines: Array.from({ length: 12 }, (_, i) => `line ${i + 3}`),
    });
    expect(await endOf("process.exit(0);")).toEqual({
      ...{ kind: "died", why: "its worker ended with status 0", lines: [] },
    });
  });

  it("that needs more than its heap says so, and how to give it more", async () => {
    const why = "its worker ran out of memory: more than 64 MB of heap (--worker-memory)";
    for (const words of ["JavaScript heap out of memory", "Reached heap limit"])
      expect(await endOf(`process.stderr.write("FATAL: ${words}", () => process.exit(134));`)).toEqual({
        ...{ kind: "died", why, lines: [`FATAL: ${words}`] },
      });
  });

  it("keeps the last 16 KiB of a process that writes a lot", async () => {
    const end = await endOf(
      `process.stdout.write("a".repeat(1000) + "b".repeat(16384), () => process.exit(1));`,
    );
    expect(end).toMatchObject({ kind: "died", lines: ["b".repeat(16_384)] });
  });
});

describe("a worker is ended", () => {
  /** Tells its process in place of a share, and answers a signal with `then`. */
  const waiting = (then: string) =>
    onJob(`process.on("SIGUSR2", () => { ${then} });
    process.send({ type: "progress", share: process.pid });`);

  /** Runs a job with clocks that the test moves. Resolves when the worker has begun the job. */
  async function running(script: string, limits = {}) {
    const worker = await start(script, limits);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    let told = (_: number) => {};
    const next = () => new Promise<number>((resolve) => (told = resolve));
    const begins = next();
    const end = worker.run(ORDER, (share) => told(share));
    return { worker, end, next, pid: await begins };
  }

  it("when its job takes more than the limit that the user gave, even if it answers", async () => {
    const { end, next, pid } = await running(waiting('process.send({ type: "progress", share: 1 });'), {
      jobMs: 1_000,
    });
    vi.advanceTimersByTime(1_000);
    const heard = next();
    process.kill(pid, "SIGUSR2");
    expect(await heard).toBe(1);
    vi.advanceTimersByTime(250);
    const why = "it had not ended after 1 s (--job-timeout)";
    expect(await end).toEqual({ kind: "died", why, lines: [] });
  });

  it("when it has not answered for five minutes, and not when it answers in between", async () => {
    const { end, next, pid } = await running(waiting('process.send({ type: "progress", share: 1 });'));
    for (let i = 0; i < 2; i++) {
      vi.advanceTimersByTime(299_750);
      const heard = next();
      process.kill(pid, "SIGUSR2");
      expect(await heard).toBe(1);
    }
    vi.advanceTimersByTime(300_250);
    const why =
      "its worker has not answered for 300 s: it is in an endless loop, or the machine is too busy to run it";
    expect(await end).toEqual({ kind: "died", why, lines: [] });
  });

  it("not after its job, however long it then waits for the next one", async () => {
    const { worker, end, pid } = await running(waiting('process.send({ type: "done", line: "x" });'), {
      jobMs: 1_000,
    });
    process.kill(pid, "SIGUSR2");
    expect(await end).toEqual({ kind: "done", line: "x" });
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1_000_000);
    const again = worker.run(ORDER, (share) => process.kill(share, "SIGUSR2"));
    expect(await again).toEqual({ kind: "done", line: "x" });
  });

  it("at the end of the sweep, while it runs a job; a job that comes later ends at once", async () => {
    const { worker, end } = await running(waiting(""));
    await worker.end();
    const ended = { kind: "died", why: "its worker was ended by SIGKILL", lines: [] };
    expect(await end).toEqual(ended);
    expect(await worker.run(ORDER, () => {})).toEqual(ended);
  });
});
