/** The files by which `tools/mutants.mjs` and the runner in the tests' process communicate. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Chosen {
  /** JSON file: path of a source file to its code with all mutants. */
  code: string;
  /** Test files, absolute. */
  tests: readonly string[];
  /** Ids of the mutants to try; none in the run that measures times. */
  mutants: readonly string[];
  /** Tests that took longer, in ms, are not run; a next run tries them. */
  longestMs: number;
  /** The copy of the project whose programs hold the mutants too (tools/mutants/tree.mjs). */
  tree?: string;
  /** Journal of the run, and the times of the tests: both survive a restart. */
  journal: string;
  times: string;
}

/**
 * One line of the journal. `start` and `result` are written around each try, so that the parent sees which mutant hangs or
 * ends the process. A test is `done` when all its mutants were tried.
 */
export type Event =
  | { kind: "covered"; test: string; mutants: readonly string[] }
  | { kind: "static"; mutants: readonly string[] }
  | { kind: "start"; mutant: string; test: string }
  | { kind: "result"; mutant: string; status: "Killed" | "Timeout" | "Survived"; test: string; spent: number }
  | { kind: "spoiled"; test: string; mutant: string | undefined }
  | { kind: "broken"; test: string }
  | { kind: "done"; test: string };

export function chosen(): Chosen {
  return JSON.parse(readFileSync(process.env["P4LOOM_MUTANTS"]!, "utf8")) as Chosen;
}

export function readEvents(path: string): Event[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Event);
}

export const writeEvent = (path: string, event: Event): void =>
  appendFileSync(path, `${JSON.stringify(event)}\n`);

/** The active mutant of processes that tests start, and the mutants that these reached without one: see tools/mutants/tree.mjs. */
export const activeFile = (tree: string): string => join(tree, "dist", "mutant");
export const reachedFile = (tree: string): string => join(tree, "dist", "mutants-reached");

/**
 * Processor time of each test in ms, by `FILE#NAME`, or real time where tests start processes; negative for a test that is
 * left out. Empty before the run that measures them.
 */
export function readTimes(): Record<string, number> {
  const { times } = chosen();
  return existsSync(times) ? (JSON.parse(readFileSync(times, "utf8")) as Record<string, number>) : {};
}
