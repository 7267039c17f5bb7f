/** `p4loom run`: runs an experiment file, prints the table, writes the results. */

import { availableParallelism } from "node:os";
import { DiagnosticError, Diagnostics, defined, given } from "../base/index.js";
import {
  ENGINES,
  type EngineName,
  loadExperimentWithOwn,
  outputFolder,
  type RunOptions,
  type SweepRunOptions,
  serveSweepJobs,
} from "../fabric/experiment/index.js";
import { lateError } from "../fabric/own-schemes/index.js";
import type { NetworkKind, Omission } from "../fabric/testbed/index.js";
import { conclude, EXIT, printDiagnostics, untilSignal, wrongUsage } from "./outcome.js";
import type { RunArguments } from "./run/run-options.js";

export async function run(file: string, options: RunArguments): Promise<number> {
  return options.sweepWorker
    ? await serveSweepJobs()
    : await withLateErrors((late) => runFile(file, options, late));
}

async function runFile(file: string, options: RunArguments, late: AbortSignal): Promise<number> {
  const seed = wholeNumber(options.seed, 0, 0xffff_ffff);
  const runs = wholeNumber(options.runs, 1, 1_000_000);
  const missing = (options.allowMissing ?? "").split(",").filter((word) => word !== "");
  if (options.engine !== undefined && !isOneOf(ENGINES, options.engine)) {
    return wrongUsage(`--engine ${options.engine}: expected ${ENGINES.join(", ")}`);
  }
  if (seed === "wrong") return wrongUsage(`--seed ${options.seed}: expected a whole number below 2^32`);
  if (runs === "wrong")
    return wrongUsage(`--runs ${options.runs}: expected a whole number from 1 to 1000000`);
  if (options.network !== undefined || missing.length > 0) {
    // gRPC and the rest of a testbed are loaded only when one is used.
    const { NETWORKS, OMISSIONS } = await import("../fabric/testbed/index.js");
    if (options.network !== undefined && !isOneOf(NETWORKS, options.network)) {
      return wrongUsage(`--network ${options.network}: expected ${NETWORKS.join(", ")}`);
    }
    const unknown = missing.find((word) => !isOneOf(OMISSIONS, word));
    if (unknown !== undefined)
      return wrongUsage(`--allow-missing ${unknown}: expected ${OMISSIONS.join(", ")}`);
  }

  const line = progressLine();
  const tell = (text: string) => {
    line.clear();
    process.stderr.write(`${text}\n`);
  };
  let sweep: SweepRunOptions;
  try {
    sweep = sweepRunOptions(options, tell);
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return wrongUsage(error.message);
  }

  const diagnostics = new Diagnostics();
  const experiment = await loadExperimentWithOwn(file, diagnostics, { many: options.many === true });
  if (experiment === undefined) throw new DiagnosticError(diagnostics.list);
  late.throwIfAborted();
  if (!experiment.takesRuns && runs !== undefined)
    return wrongUsage(`--runs: an experiment of the kind ${experiment.kind} runs once`);
  const [forSweeps] = sweepOptionsGiven(options);
  const { isOneRun } = experiment.sweep;
  if (isOneRun && forSweeps !== undefined)
    return wrongUsage(`${forSweeps}: ${file} is one run; a sweep has the key sweep`);
  printDiagnostics(diagnostics.list);

  const out = options.out ?? outputFolder(experiment);
  const engine = (options.engine ?? experiment.settings.engine) as EngineName;
  const seeing = seeingGiven(options, engine);
  if (typeof seeing === "string") return wrongUsage(seeing);
  if (!isOneRun) line.plain();
  const results = await untilSignal((stop) => {
    const wanted: RunOptions = {
      engine,
      ...given({ seed, runs, p4c: options.p4c }),
      out,
      progress: line.show,
      stop,
      ...given({ sweep: isOneRun ? undefined : sweep }),
      testbed: {
        ...given({ network: options.network === undefined ? undefined : (options.network as NetworkKind) }),
        ...given({ bmv2: options.bmv2 }),
        allowMissing: new Set(missing as Omission[]),
        pcap: options.pcap === true,
      },
      ...given({ seeing }),
    };
    return experiment.run(wanted).finally(line.clear);
  }, late);
  if (typeof results === "number") {
    const kept = engine === "sim" ? "" : `; the logs are in ${out}/${isOneRun ? "logs" : "labs"}`;
    process.stderr.write(
      `p4loom run: interrupted: no results were written to ${out}, earlier ones stay${kept}\n`,
    );
    return results;
  }
  process.stdout.write(options.json || options.dryRun ? results.json : `${results.table}\n`);
  for (const warning of results.warnings) process.stderr.write(`warning: ${warning}\n`);
  printDiagnostics(results.failures ?? []);
  if (!results.unfinished) process.stderr.write(`results.json, figures and report.html are in ${out}\n`);
  return results.failures === undefined ? EXIT.success : EXIT.wrongInput;
}

function isOneOf(list: readonly string[], word: string): boolean {
  return list.includes(word);
}

function wholeNumber(text: string | undefined, least: number, most: number): number | "wrong" | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : "wrong";
}

/** What is watched of a network. A text: what is wrong with the command line. Whether the links and flows exist is found by the run. */
function seeingGiven(
  { pcap, traceFlow = [], timeline = false }: RunArguments,
  engine: EngineName,
): RunOptions["seeing"] | string {
  // Without links, a testbed captures every port.
  const links = pcap === undefined || (pcap === true && engine !== "sim") ? [] : linksOf(pcap);
  if (links.some((name) => name === "")) return `--pcap ${pcap}: a name of a link is empty`;
  const wrong = traceFlow.find((text) => !/^\d{1,9}$/.test(text));
  if (wrong !== undefined) return `--trace-flow ${wrong}: expected the number of a flow, as in the results`;
  if (links.length + traceFlow.length === 0 && !timeline) return undefined;
  return { pcap: links, flows: traceFlow.map(Number), timeline };
}

function linksOf(pcap: string | boolean): string[] {
  return typeof pcap === "string" ? pcap.split(",").map((name) => name.trim()) : ["all"];
}

// The options of `p4loom run` that say how the jobs of a sweep run.

/** A mistake on the command line. */
class WrongUsage extends Error {}

/** Tasks of an array job unless the user says how many. */
const DEFAULT_TASKS = 64;

/** By option of the command line: those that mean something for sweeps alone. */
const NAMES: readonly (readonly [keyof RunArguments, string])[] = [
  ["workers", "--workers"],
  ["workerMemory", "--worker-memory"],
  ["jobTimeout", "--job-timeout"],
  ["resume", "--resume"],
  ["shard", "--shard"],
  ["gather", "--gather"],
  ["many", "--many"],
  ["slurm", "--slurm"],
  ["slurmOptions", "--slurm-options"],
  ["slurmTasks", "--slurm-tasks"],
  ["dryRun", "--dry-run"],
];

/** The options for sweeps that are given. */
function sweepOptionsGiven(options: RunArguments): string[] {
  return NAMES.flatMap(([key, name]) => {
    if (options[key] === undefined) return [];
    return key === "gather" && options.gather === false ? ["--no-gather"] : [name];
  });
}

/** Throws {@link WrongUsage}. `tell`: receives lines for people. */
function sweepRunOptions(options: RunArguments, tell: (line: string) => void): SweepRunOptions {
  const { resume, gather, slurm, slurmOptions, slurmTasks, dryRun } = options;
  const shard = shardOf(options.shard);
  const workers = wholeOf("--workers", options.workers, 1, 1024);
  const memoryMb = wholeOf("--worker-memory", options.workerMemory, 64, 1_000_000);
  const jobMs = durationOf("--job-timeout", options.jobTimeout);
  const tasks = wholeOf("--slurm-tasks", slurmTasks, 1, 100_000);
  if (slurm === undefined)
    for (const [given, name] of [
      [slurmOptions, "--slurm-options"],
      [slurmTasks, "--slurm-tasks"],
      [dryRun, "--dry-run"],
    ] as const)
      if (given !== undefined) throw new WrongUsage(`${name} goes with --slurm`);
  const exclusive = [slurm && "--slurm", shard && "--shard", gather && "--gather"].filter(
    (name) => typeof name === "string",
  );
  if (exclusive.length > 1) throw new WrongUsage(`${exclusive.join(" and ")} exclude each other`);
  if (gather && resume) throw new WrongUsage("--gather runs nothing: leave --resume out");
  if (gather === false && shard === undefined) throw new WrongUsage("--no-gather goes with --shard");
  return {
    workers: workers ?? availableParallelism(),
    ...given({ memoryMb, jobMs, resume, shard }),
    ...given({ gather: gather === undefined ? undefined : gather ? "only" : "never" }),
    ...given({
      slurm:
        slurm === undefined
          ? undefined
          : {
              options: wordsOf(slurmOptions ?? ""),
              tasks: tasks ?? DEFAULT_TASKS,
              repeat: repeatedWords(options),
              dryRun: dryRun === true,
            },
    }),
    tell,
  };
}

/** Options that a task's own call of the command must also get. */
function repeatedWords({ seed, runs, p4c, workers, workerMemory, jobTimeout, many }: RunArguments): string[] {
  const values = { seed, runs, p4c, workers, "worker-memory": workerMemory, "job-timeout": jobTimeout };
  const words = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  return [...words, ...(many ? ["--many"] : [])];
}

function shardOf(text: string | undefined): SweepRunOptions["shard"] {
  if (text === undefined) return undefined;
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (index === undefined || shard.index < 1 || shard.index > shard.count)
    throw new WrongUsage(`--shard ${text}: expected i/n, part i of n from 1/n to n/n`);
  return shard;
}

function wholeOf(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new WrongUsage(`${name} ${text}: expected a whole number from ${least} to ${most}`);
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000 };

function durationOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit] = /^(\d+(?:\.\d+)?)(s|min|h)$/.exec(text) ?? [];
  const ms = Number(number) * defined(UNITS_MS[unit ?? "s"]);
  if (ms > 0) return ms;
  throw new WrongUsage(`${name} ${text}: expected a time such as 90s, 10min or 2h`);
}

/** Words between spaces; quotation marks keep spaces inside. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word);
}

// Handles uncaught errors, mostly of users' code, as the end of a command and not as a crash of Node.

/**
 * Runs the body of a command. An uncaught error meanwhile aborts the signal with that error as its reason; after the body it is printed, and
 * decides the exit status.
 */
async function withLateErrors(body: (late: AbortSignal) => Promise<number>): Promise<number> {
  const late = new AbortController();
  let ended = false;
  let concluded = false;
  const take = (error: unknown) => {
    const told = lateError(error) ?? error;
    if (!ended) late.abort(told);
    // The message of the first error decides. A timer that throws again and again would keep the process from its end.
    else if (concluded) process.exit();
    else {
      concluded = true;
      void conclude(async () => {
        throw told;
      });
    }
  };
  process.on("uncaughtException", take);
  process.on("unhandledRejection", (error) => {
    // A control plane listens too: it knows whose promise it was.
    if (process.listenerCount("unhandledRejection") === 1) take(error);
  });
  try {
    const status = await body(late.signal);
    late.signal.throwIfAborted();
    return status;
  } finally {
    ended = true;
  }
}

// A progress line on stderr: on a terminal rewritten in place and removed at the end; elsewhere, if it is asked for, a line now
// and then.

/** An estimate of the remaining time is shown when this share of the whole is done since it began. */
const LEAST_SHARE = 0.005;

interface ProgressLine {
  /** `done` of `total`; counts that fall begin a new estimate of the remaining time. */
  show(done: number, total: number, what: string): void;
  clear(): void;
  /** For work that may take hours: where there is no terminal, a line every ten seconds. */
  plain(): void;
}

/** Minimum time between two updates, in milliseconds. */
const INTERVAL_MS = 100;

/** The same where there is no terminal. */
const PLAIN_INTERVAL_MS = 10_000;

/** `now`: milliseconds, for the estimate of the remaining time. */
export function progressLine(
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
  now: () => number = Date.now,
): ProgressLine {
  const { isTTY } = stream;
  let interval = isTTY ? INTERVAL_MS : Number.POSITIVE_INFINITY;
  let shownAt = Number.NEGATIVE_INFINITY;
  let first: { done: number; at: number } | undefined;
  return {
    show(done, total, what) {
      const at = now();
      if (first === undefined || done < first.done) first = { done, at };
      const last = isTTY && done >= total;
      if (interval === Number.POSITIVE_INFINITY || (at - shownAt < interval && !last)) return;
      shownAt = at;
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      const progress = done - first.done;
      // The first steps give no estimate: programs are compiled before them.
      const early = progress < total * LEAST_SHARE;
      const left =
        progress === 0 || early || done >= total ? undefined : ((at - first.at) / progress) * (total - done);
      const eta = left === undefined ? "" : `  ${formatDuration(left)} left`;
      const text = `${String(percent).padStart(3)} %  ${done}/${total}${eta}  ${what}`;
      stream.write(isTTY ? `\r\x1b[K${text}` : `${text}\n`);
    },
    clear() {
      if (isTTY) stream.write("\r\x1b[K");
    },
    plain() {
      if (isTTY) return;
      interval = PLAIN_INTERVAL_MS;
      // What is short is done before the first line.
      shownAt = now();
    },
  };
}

/** `45 s`, `3 min`, `2 h 5 min`. */
function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
