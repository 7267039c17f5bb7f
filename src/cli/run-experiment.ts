/** `p4loom run`: runs an experiment file, prints the table, writes the results. */
import { DiagnosticError, Diagnostics, given } from "../base/index.js";
import {
  ENGINES,
  type EngineName,
  loadExperimentWithOwn,
  outputFolder,
  type RunOptions,
  type SweepRunOptions,
  serveSweepJobs,
} from "../fabric/experiment/index.js";
import type { NetworkKind, Omission } from "../fabric/testbed/index.js";
import { withLateErrors } from "./late-errors.js";
import { EXIT, printDiagnostics } from "./outcome.js";
import { progressLine } from "./progress.js";
import { type RunArguments, seeingGiven } from "./run/run-options.js";
import { sweepOptionsGiven, sweepRunOptions, WrongUsage } from "./run/sweep-options.js";
import { untilSignal } from "./signals.js";

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
    return usage(`--engine ${options.engine}: expected ${ENGINES.join(", ")}`);
  }
  if (seed === "wrong") return usage(`--seed ${options.seed}: expected a whole number below 2^32`);
  if (runs === "wrong") return usage(`--runs ${options.runs}: expected a whole number from 1 to 1000000`);
  if (options.network !== undefined || missing.length > 0) {
    // gRPC and the rest of a testbed are loaded only when one is used.
    const { NETWORKS, OMISSIONS } = await import("../fabric/testbed/index.js");
    if (options.network !== undefined && !isOneOf(NETWORKS, options.network)) {
      return usage(`--network ${options.network}: expected ${NETWORKS.join(", ")}`);
    }
    const unknown = missing.find((word) => !isOneOf(OMISSIONS, word));
    if (unknown !== undefined) return usage(`--allow-missing ${unknown}: expected ${OMISSIONS.join(", ")}`);
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
    return usage(error.message);
  }

  const diagnostics = new Diagnostics();
  const experiment = await loadExperimentWithOwn(file, diagnostics, { many: options.many === true });
  if (experiment === undefined) throw new DiagnosticError(diagnostics.list);
  late.throwIfAborted();
  if (!experiment.takesRuns && runs !== undefined)
    return usage(`--runs: an experiment of the kind ${experiment.kind} runs once`);
  const [forSweeps] = sweepOptionsGiven(options);
  const { isOneRun } = experiment.sweep;
  if (isOneRun && forSweeps !== undefined)
    return usage(`${forSweeps}: ${file} is one run; a sweep has the key sweep`);
  printDiagnostics(diagnostics.list);

  const out = options.out ?? outputFolder(experiment);
  const engine = (options.engine ?? experiment.settings.engine) as EngineName;
  const seeing = seeingGiven(options, engine);
  if (typeof seeing === "string") return usage(seeing);
  if (!isOneRun) line.plain();
  const results = await untilSignal((stop) => {
    const wanted: RunOptions = {
      engine,
      ...given({ seed, runs, p4c: options.p4c }),
      out,
      progress: line.show,
      stop,
      ...(isOneRun ? {} : { sweep }),
      testbed: {
        ...(options.network === undefined ? {} : { network: options.network as NetworkKind }),
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

function usage(message: string): number {
  process.stderr.write(`p4loom run: ${message}\n`);
  return EXIT.wrongUsage;
}
