/** The stored results of a block, `docs/figures/PAGE/NAME.json`, and the hashes of the files that its runs read. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { type Block, type Run, runsOf } from "./block.js";

export interface Stored {
  /** The commands by key of the run. */
  runs: Record<string, string[]>;
  /** SHA-256 of each input file, by its path from the root of the project. */
  inputs: Record<string, string>;
  /** Day of the runs (UTC), and the commit that they ran on. */
  date: string;
  commit: string;
  /** The machine, for figures that depend on it. */
  machine?: string;
  /** What a reader must know of the results' origin, for example that they were taken over from an earlier page. */
  note?: string;
  /** User and system time of the runs with all their processes; absent where it was not measured. */
  processor_seconds?: number;
  results: Record<string, unknown>;
}

/** CI remakes blocks below this processor time. */
const QUICK_SECONDS = 60;

export const storePath = (page: string, name: string): string => `docs/figures/${page}/${name}.json`;

export function readStored(root: string, page: string, name: string): Stored | undefined {
  const path = join(root, storePath(page, name));
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Stored) : undefined;
}

export function writeStored(root: string, page: string, name: string, stored: Stored): void {
  const path = join(root, storePath(page, name));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(stored, undefined, 1)}\n`);
}

/** Whether CI remakes a block; a block that has never run is not quick. */
export function isQuick(block: Block, stored: Stored | undefined): boolean {
  if (block.slow || block.timed || stored?.processor_seconds === undefined) return false;
  return stored.processor_seconds < QUICK_SECONDS;
}

/** The commands of a block as the store has them. */
export const linesOf = (block: Block): Record<string, string[]> =>
  Object.fromEntries(runsOf(block).map(([key, runs]) => [key, runs.map((made) => made.line)]));

/** Files of these kinds are searched for names of other files. */
const NAMES_FILES = /\.(ya?ml|p4|ts|mjs)$/;
/** Every benchmark imports its types from here. */
const BENCHMARKS = "bench/benchmark.ts";
/** Words that look like a file, in any text. */
const FILE_WORDS = /[\w@.+-]*(?:\/[\w@.+-]+)*\.(?:ya?ml|csv|jsonl?|p4|stf|txt|pcap|cdf|ts|js|mjs|py)\b/g;

/**
 * The files that a run reads: its arguments that are files of the project, and those that they name (topologies, traffic,
 * programs, modules of the benchmark), as far as they exist. Modules of `src` are no inputs: the commit stands for them.
 */
function inputsOf(root: string, made: Run): string[] {
  const found = new Set<string>();
  const add = (path: string) => {
    if (
      path === BENCHMARKS ||
      path.startsWith("..") ||
      path.startsWith("src/") ||
      posix.isAbsolute(path) ||
      found.has(path)
    )
      return;
    if (!existsSync(join(root, path)) || !statSync(join(root, path)).isFile()) return;
    found.add(path);
    if (!NAMES_FILES.test(path)) return;
    const code = /\.(ts|mjs)$/.test(path);
    for (const [name] of readFileSync(join(root, path), "utf8").matchAll(FILE_WORDS)) {
      // A module names its imports only, as `./NAME.js`.
      if (code && !/^\.{1,2}\//.test(name)) continue;
      const beside = posix.normalize(posix.join(posix.dirname(path), name));
      add(code ? beside.replace(/\.js$/, ".ts") : beside);
      if (!code) add(posix.normalize(name));
    }
  };
  if (made.kind === "bench")
    for (const folder of ["", "toolchain/", "fabric/", "course/"]) add(`bench/${folder}${made.args[0]}.ts`);
  for (const argument of made.args) add(posix.normalize(argument.replace(/^[\w.-]+=/, "")));
  return [...found];
}

/** SHA-256 of each input file of a block, in the order of the paths. */
export function hashesOf(root: string, block: Block): Record<string, string> {
  const runs = runsOf(block).flatMap(([, all]) => all);
  const paths = new Set([...runs.flatMap((made) => inputsOf(root, made)), ...(block.inputs ?? [])]);
  const hash = (path: string) =>
    createHash("sha256")
      .update(readFileSync(join(root, path)))
      .digest("hex");
  return Object.fromEntries([...paths].sort().map((path) => [path, hash(path)]));
}

/** What makes stored results out of date: other commands, or inputs that differ; one sentence each. */
export function staleness(root: string, block: Block, stored: Stored): string[] {
  const reasons: string[] = [];
  if (JSON.stringify(linesOf(block)) !== JSON.stringify(stored.runs))
    reasons.push("its commands have changed");
  const now = hashesOf(root, block);
  for (const path of new Set([...Object.keys(now), ...Object.keys(stored.inputs)]))
    if (now[path] !== stored.inputs[path]) reasons.push(`its input ${path} has changed`);
  return reasons;
}
