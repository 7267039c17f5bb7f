/** `p4loom run`: carries out an experiment file, prints the table, writes the results. */
import { DiagnosticError, Diagnostics } from "../base/index.js";
import {
  ENGINES,
  type EngineName,
  type Experiment,
  formatResults,
  formatTimeline,
  isTimeline,
  loadExperiment,
  loadTimeline,
  outputFolder,
  type RunOptions,
  readSource,
  resultsJson,
  runExperiment,
  runTimeline,
  type TestbedOptions,
  type Timeline,
  timelineJson,
} from "../experiment/index.js";
import type { NetworkKind, Omission } from "../testbed/index.js";
import { EXIT, printDiagnostics } from "./outcome.js";
import { progressLine } from "./progress.js";
import type { RunArguments } from "./run/arguments.js";
import { untilSignal } from "./signals.js";

export async function run(file: string, options: RunArguments): Promise<number> {
  const seed = wholeNumber(options.seed, 0, 0xffff_ffff);
  const runs = wholeNumber(options.runs, 1, 1_000_000);
  const missing = (options.allowMissing ?? "").split(",").filter((word) => word !== "");
  if (options.engine !== undefined && !isOneOf(ENGINES, options.engine)) {
    return usage(`--engine ${options.engine}: expected ${ENGINES.join(", ")}`);
  }
  if (seed === "wrong") return usage(`--seed ${options.seed}: expected a whole number below 2^32`);
  if (runs === "wrong") return usage(`--runs ${options.runs}: expected a whole number from 1 to 1000000`);
  if (options.network !== undefined || missing.length > 0) {
    // gRPC and all that a testbed needs are loaded only by who asks for it.
    const { NETWORKS, OMISSIONS } = await import("../testbed/index.js");
    if (options.network !== undefined && !isOneOf(NETWORKS, options.network)) {
      return usage(`--network ${options.network}: expected ${NETWORKS.join(", ")}`);
    }
    const unknown = missing.find((word) => !isOneOf(OMISSIONS, word));
    if (unknown !== undefined) return usage(`--allow-missing ${unknown}: expected ${OMISSIONS.join(", ")}`);
  }

  const diagnostics = new Diagnostics();
  const source = readSource(file, diagnostics);
  if (source === undefined) throw new DiagnosticError(diagnostics.list);
  const isList = isTimeline(source);
  if (isList && runs !== undefined) return usage("--runs: a file with flows and faults of its own runs once");
  const experiment = isList ? loadTimeline(source, diagnostics) : loadExperiment(source, diagnostics);
  if (experiment === undefined) throw new DiagnosticError(diagnostics.list);
  printDiagnostics(diagnostics.list);

  const out = options.out ?? outputFolder(experiment);
  const engine = (options.engine ?? experiment.settings.engine) as EngineName;
  const testbed = {
    ...(options.network === undefined ? {} : { network: options.network as NetworkKind }),
    ...(options.bmv2 === undefined ? {} : { bmv2: options.bmv2 }),
    allowMissing: new Set(missing as Omission[]),
    pcap: options.pcap === true,
  };
  const line = progressLine();
  const work = (stop?: AbortSignal) => {
    const wanted: RunOptions & { testbed: TestbedOptions } = {
      engine,
      ...(seed === undefined ? {} : { seed }),
      ...(runs === undefined ? {} : { runs }),
      ...(options.p4c === undefined ? {} : { p4c: options.p4c }),
      out,
      progress: line.show,
      testbed: { ...testbed, ...(stop === undefined ? {} : { stop }) },
    };
    const work =
      "flows" in experiment.settings
        ? runList(experiment as Timeline, wanted)
        : runDrawn(experiment as Experiment, wanted);
    return work.finally(line.clear);
  };
  // The simulator has nothing to put away: a signal ends it at once.
  const results = engine === "sim" ? await work() : await untilSignal(work);
  if (typeof results === "number") {
    process.stderr.write(`p4loom run: interrupted; logs are in ${out}/logs\n`);
    return results;
  }
  process.stdout.write(options.json ? results.json : `${results.table}\n`);
  for (const note of options.json ? [] : results.notes) process.stderr.write(`note: ${note}\n`);
  process.stderr.write(`results.json, figures and report.html are in ${out}\n`);
  return EXIT.success;
}

/** What is printed of results. */
interface Printed {
  readonly json: string;
  readonly table: string;
  readonly notes: readonly string[];
}

async function runDrawn(experiment: Experiment, options: RunOptions): Promise<Printed> {
  const results = await runExperiment(experiment, options);
  return { json: resultsJson(results), table: formatResults(results), notes: results.notes };
}

async function runList(timeline: Timeline, options: RunOptions): Promise<Printed> {
  const results = await runTimeline(timeline, options);
  return { json: timelineJson(results), table: formatTimeline(results), notes: results.notes };
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
