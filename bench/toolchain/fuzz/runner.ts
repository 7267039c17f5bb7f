/**
 * Runs generated cases until the time is over: all kinds in turn, each case determined by the seed and its number. They run in a
 * separate process, so that a hang or a crash can be distinguished from a fault. A module of cases exports `cases`.
 */
import { type ChildProcess, fork } from "node:child_process";
import { pathToFileURL } from "node:url";
import { Random } from "../../../src/base/index.js";
import { BATCH } from "./options.js";

/** Generates and runs one case, which has a number. Returns its fault, or undefined. Any exception is a fault too. */
export type FuzzCase = (random: Random, number: number) => string | undefined | Promise<string | undefined>;

export interface FuzzOptions {
  /** File that exports `cases: Record<string, FuzzCase>`. */
  module: string;
  /** Kinds to run, in turn. */
  kinds: readonly string[];
  seed: number;
  minutes: number;
  /** A worker that sends nothing for this time counts as hung; two minutes unless given. */
  hangMs?: number;
  /** Called with each fault of a new kind. */
  tell(line: string): void;
}

export interface FuzzResult {
  cases: Record<string, number>;
  seconds: number;
  /** By kind of case and of fault: the count, and the number of the first case. */
  faults: { kind: string; fault: string; count: number; first: number }[];
}

const HANG_MS = 120_000;

interface Batch {
  kind: string;
  seed: number;
  from: number;
  count: number;
}

/** The result of a batch: the faults, or nothing if the worker hung or ended. */
type Answer = { number: number; fault: string }[];

/** Runs one case, for a worker or a test. */
export async function tryCase(
  run: FuzzCase,
  kind: string,
  seed: number,
  number: number,
): Promise<string | undefined> {
  try {
    return await run(new Random(seed).fork(kind).fork(number), number);
  } catch (error) {
    const { name, message, stack } = error as Error;
    const place = /at .*?\(?(?:file:\/\/)?[^\s()]*\/((?:src|bench)\/[^\s()]*)/.exec(stack ?? "")?.[1];
    return `thrown: ${name}: ${message} (${place ?? "somewhere"})`;
  }
}

class Worker {
  #child: ChildProcess;

  constructor(
    readonly module: string,
    readonly hangMs: number,
  ) {
    this.#child = this.#start();
  }

  #start(): ChildProcess {
    return fork(import.meta.filename, ["--answer", this.module], { execArgv: process.execArgv });
  }

  /** The faults of the batch; a string if the process did not complete it. */
  ask(batch: Batch): Promise<Answer | string> {
    const child = this.#child;
    return new Promise((resolve) => {
      const finish = (answer: Answer | string) => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (typeof answer === "string") {
          child.kill("SIGKILL");
          this.#child = this.#start();
        }
        resolve(answer);
      };
      const timer = setTimeout(() => finish("hangs"), this.hangMs);
      child.once("message", (answer: Answer) => finish(answer));
      child.once("exit", (status, signal) => finish(`the process ended with ${signal ?? status}`));
      child.send(batch);
    });
  }

  stop(): void {
    this.#child.removeAllListeners();
    this.#child.kill("SIGKILL");
  }
}

/** The kind of a fault: its message without names and numbers. */
function kindOf(fault: string): string {
  return fault
    .replace(/'[^']*'|"[^"]*"/g, "''")
    .replace(/\d+/g, "0")
    .slice(0, 160);
}

export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { module, kinds, seed, minutes, tell } = options;
  const start = performance.now();
  const end = start + minutes * 60_000;
  const worker = new Worker(module, options.hangMs ?? HANG_MS);
  const result: FuzzResult = { cases: {}, seconds: 0, faults: [] };
  const known = new Map<string, FuzzResult["faults"][number]>();
  const note = (kind: string, number: number, fault: string) => {
    const name = `${kind}: ${kindOf(fault)}`;
    const before = known.get(name);
    if (before !== undefined) {
      before.count++;
      return;
    }
    const made = { kind, fault: fault.slice(0, 2000), count: 1, first: number };
    known.set(name, made);
    result.faults.push(made);
    tell(`${kind} ${number} (seed ${seed}): ${made.fault}`);
  };
  for (let from = 0; performance.now() < end; from += BATCH)
    for (const kind of kinds) {
      if (performance.now() >= end) break;
      const answer = await worker.ask({ kind, seed, from, count: BATCH });
      result.cases[kind] = (result.cases[kind] ?? 0) + BATCH;
      if (typeof answer !== "string") {
        for (const { number, fault } of answer) note(kind, number, fault);
        continue;
      }
      // Finds the case that caused it.
      for (let number = from; number < from + BATCH; number++) {
        const one = await worker.ask({ kind, seed, from: number, count: 1 });
        if (typeof one === "string") note(kind, number, one);
      }
    }
  worker.stop();
  result.seconds = Math.round((performance.now() - start) / 1000);
  return result;
}

/** The process that runs the batches. */
async function answer(module: string): Promise<void> {
  const { cases } = (await import(pathToFileURL(module).href)) as { cases: Record<string, FuzzCase> };
  process.on("message", async ({ kind, seed, from, count }: Batch) => {
    const faults: Answer = [];
    for (let number = from; number < from + count; number++) {
      const fault = await tryCase(cases[kind]!, kind, seed, number);
      if (fault !== undefined) faults.push({ number, fault });
    }
    process.send!(faults);
  });
}

if (process.argv[1] === import.meta.filename && process.argv[2] === "--answer")
  await answer(process.argv[3]!);
