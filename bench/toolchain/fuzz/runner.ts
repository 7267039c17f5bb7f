/**
 * Runs generated cases until the time is over, or a number of them: all kinds in turn, each case determined by the seed and its number.
 * They run in a separate process, so that a hang or a crash can be distinguished from a fault. A module of cases exports `cases`.
 */
import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { Random } from "../../../src/base/index.js";
import { BATCH } from "./options.js";

/**
 * Generates and runs one case, which has a number. Returns its fault, or undefined. Any exception is a fault too. Tells `note` what came
 * out, where two runs with one seed are to be compared.
 */
export type FuzzCase = (
  random: Random,
  number: number,
  note: (outcome: string) => void,
) => string | undefined | Promise<string | undefined>;

export interface FuzzOptions {
  /** File that exports `cases: Record<string, FuzzCase>`. */
  module: string;
  /** Kinds to run, in turn. */
  kinds: readonly string[];
  seed: number;
  /** The run ends after this time, or after this number of batches of each kind. */
  minutes: number;
  batches?: number;
  /** A worker that sends nothing for this time counts as hung; two minutes unless given. */
  hangMs?: number;
  /** Called with each fault of a new kind. */
  tell(line: string): void;
}

export interface FuzzResult {
  cases: Record<string, number>;
  seconds: number;
  /** SHA-256 of what the cases noted and of their faults, in the order of the cases: the same in every run of one seed to the same number. */
  digest: string;
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

/** The result of a batch: the faults, and the digest of what the cases noted; there is none if the worker hung or ended. */
interface Answer {
  readonly faults: { number: number; fault: string }[];
  readonly digest: string;
}

/** Runs one case, for a worker or a test. */
export async function tryCase(
  run: FuzzCase,
  kind: string,
  seed: number,
  number: number,
  note: (outcome: string) => void = () => {},
): Promise<string | undefined> {
  try {
    return await run(new Random(seed).fork(kind).fork(number), number, note);
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
  const result: FuzzResult = { cases: {}, seconds: 0, digest: "", faults: [] };
  const digest = createHash("sha256");
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
  const last = BATCH * (options.batches ?? Number.POSITIVE_INFINITY);
  for (let from = 0; from < last && performance.now() < end; from += BATCH)
    for (const kind of kinds) {
      if (performance.now() >= end) break;
      const answer = await worker.ask({ kind, seed, from, count: BATCH });
      result.cases[kind] = (result.cases[kind] ?? 0) + BATCH;
      if (typeof answer !== "string") {
        digest.update(answer.digest);
        for (const { number, fault } of answer.faults) note(kind, number, fault);
        continue;
      }
      digest.update(answer);
      // Finds the case that caused it.
      for (let number = from; number < from + BATCH; number++) {
        const one = await worker.ask({ kind, seed, from: number, count: 1 });
        if (typeof one === "string") note(kind, number, one);
      }
    }
  worker.stop();
  result.digest = digest.digest("hex");
  result.seconds = Math.round((performance.now() - start) / 1000);
  return result;
}

/** The process that runs the batches. */
async function answer(module: string): Promise<void> {
  const { cases } = (await import(pathToFileURL(module).href)) as { cases: Record<string, FuzzCase> };
  process.on("message", async ({ kind, seed, from, count }: Batch) => {
    const faults: Answer["faults"] = [];
    const digest = createHash("sha256");
    for (let number = from; number < from + count; number++) {
      const fault = await tryCase(cases[kind]!, kind, seed, number, (outcome) => digest.update(outcome));
      if (fault === undefined) continue;
      faults.push({ number, fault });
      digest.update(fault);
    }
    process.send!({ faults, digest: digest.digest("hex") } satisfies Answer);
  });
}

if (process.argv[1] === import.meta.filename && process.argv[2] === "--answer")
  await answer(process.argv[3]!);
