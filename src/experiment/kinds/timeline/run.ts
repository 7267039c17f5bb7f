/** Carries out a timeline on any engine and sums it up. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatTable } from "../../../base/index.js";
import type { EngineContext } from "../../engine.js";
import type { EngineName, SchemeRun, Timeline } from "../../experiment.js";
import { engineContext, type RunOptions } from "../../run.js";
import type { RunLoad } from "../../testbed/machine-load.js";
import { checkFolder, writeFolder } from "../../write.js";
import { resultsDocument, schemeNotes, withNotes } from "../failover/results.js";
import { type FlowRecord, type TimelineRow, timelineRow } from "./flows.js";
import { simulateTimeline } from "./on-simulator.js";

/** All flows under one scheme, in the order of {@link TimelineRow.flow}. */
export interface TimelineSeries {
  readonly scheme: SchemeRun;
  readonly records: readonly FlowRecord[];
  /** On a testbed: of the machine, while the flows ran. */
  readonly load?: RunLoad;
  /** Of the controllers, if the scheme has any. */
  readonly log?: readonly string[];
}

export interface TimelineOutcome {
  readonly series: readonly TimelineSeries[];
  readonly programs: readonly { file: string; text: string }[];
  readonly notes: readonly string[];
  /** Why figures may not be results of the network at all, one sentence each. */
  readonly warnings: readonly string[];
}

export interface TimelineResults extends TimelineOutcome {
  readonly experiment: string;
  readonly seed: number;
  readonly engine: EngineName;
  readonly rows: readonly TimelineRow[];
  readonly source: Timeline;
}

/**
 * Runs every scheme once. On the simulator the same file and seed give the same results, byte for byte. Throws
 * DiagnosticError as `runExperiment` does; its option `runs` has no meaning here.
 */
export async function runTimeline(
  timeline: Timeline,
  options: Omit<RunOptions, "runs"> = {},
): Promise<TimelineResults> {
  const { out } = options;
  if (out !== undefined) checkFolder(out);
  const engine = options.engine ?? timeline.settings.engine;
  const seed = options.seed ?? timeline.settings.seed;
  const folder = out ?? mkdtempSync(join(tmpdir(), "p4loom-run-"));
  try {
    const outcome = await playOn(engine, timeline, seed, engineContext(options, folder));
    const rows = outcome.series.flatMap(({ scheme, records, load }) =>
      records.map((record, flow) => timelineRow(scheme, flow, record, load)),
    );
    const notes = [...schemeNotes(timeline.schemes), ...outcome.notes];
    const results = {
      ...outcome,
      notes,
      experiment: timeline.settings.name,
      seed,
      engine,
      rows,
      source: timeline,
    };
    if (out !== undefined) {
      const { timelineFiles } = await import("./report.js");
      writeFolder(timelineFiles(results), out);
    }
    return results;
  } finally {
    if (out === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function playOn(
  engine: EngineName,
  timeline: Timeline,
  seed: number,
  context: EngineContext,
): Promise<TimelineOutcome> {
  if (engine === "sim") return await simulateTimeline(timeline, seed, context);
  const { timelineOnTestbed } = await import("./on-lab.js");
  return await timelineOnTestbed(engine, timeline, seed, context);
}

/** The text of `results.json`, with the keys of every experiment's. */
export function timelineJson(results: TimelineResults): string {
  return resultsDocument(results);
}

/** The rows as a table for a terminal, with the notes below it. */
export function formatTimeline({ rows, notes }: TimelineResults): string {
  const header = [
    "scheme",
    "flow",
    "from",
    "to",
    "bytes",
    "fct ms",
    "timeouts",
    "re-paths",
    "copies",
    "outage ms",
    "recovered",
  ];
  const cells = rows.map((row) => [
    row.scheme,
    row.flow,
    row.from,
    row.to,
    row.bytes,
    row.fct_ms?.toFixed(1) ?? null,
    row.timeouts,
    row.repaths,
    row.copies,
    row.longest_outage_ms?.toFixed(1) ?? null,
    row.recovered ? "yes" : "no",
  ]);
  return withNotes(formatTable(header, cells), notes);
}
