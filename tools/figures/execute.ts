/** Starts the runs of blocks and measures their processor time. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type Block, type Run, type RunDocument, runsOf } from "./block.js";
import { hashesOf, linesOf, type Stored } from "./store.js";

interface Outcome {
  document: RunDocument;
  seconds: number;
}

/** Ticks of a clock of /proc/PID/stat in a second, on every architecture that Node runs on. */
const TICKS = 100;

/** Processor time of all ended child processes, in seconds; elapsed time where the kernel does not tell. */
function childSeconds(): number {
  try {
    // After the name in brackets: field 3 of the file; cutime and cstime are fields 16 and 17.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[13]) + Number(fields[14])) / TICKS;
  } catch {
    return performance.now() / 1000;
  }
}

function commandOf(root: string, made: Run, folder: string): string[] {
  const command = join(root, "dist/cli/main.js");
  if (made.kind === "run") return [command, "run", ...made.args, "--out", folder];
  if (made.kind === "p4loom") return [command, ...made.args];
  return ["--import", "tsx", ...(made.kind === "bench" ? [join(root, "bench/main.ts")] : []), ...made.args];
}

/** The measurements that a benchmark printed. Throws if there are none: one that lacks a program says so, and ends with status 0. */
export function measurementsOf({ line }: Pick<Run, "line">, output: string): RunDocument {
  const measured = output.split("\n").filter((each) => each.startsWith("{"));
  if (measured.length === 0)
    throw new Error(`${line}: it measured nothing; its messages say what it needs (npm run bench -- ...)`);
  return measured.map((each) => JSON.parse(each));
}

function documentOf(made: Run, output: string, folder: string): RunDocument {
  if (made.kind === "run") {
    const results = JSON.parse(readFileSync(join(folder, "results.json"), "utf8"));
    if (made.csv === undefined) return results;
    const files = made.csv.map((name) => [name, csvRows(readFileSync(join(folder, name), "utf8"))]);
    return { ...results, csv: Object.fromEntries(files) };
  }
  if (made.kind === "bench") return measurementsOf(made, output);
  const json = made.kind === "script" ? /^[[{]/.test(output) : made.args.includes("--json");
  return json ? JSON.parse(output) : output;
}

/**
 * The rows of a CSV file as p4loom writes it (RFC 4180: a cell with a comma, quote or line end is quoted), by the names of its
 * header.
 */
export function csvRows(text: string): Record<string, string>[] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    lines.at(-1)!.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\n") lines.push([]);
    if (end === "") break;
  }
  // The file ends with a line end, after which there is an empty cell.
  if (lines.at(-1)!.join("") === "") lines.pop();
  const [header = [], ...rows] = lines;
  return rows.map((cells) => Object.fromEntries(header.map((name, column) => [name, cells[column] ?? ""])));
}

/** The folder of a run below `kept`: its file's path, since files of several folders have one name, and its further arguments. */
const keptFolder = (kept: string, { args: [file = "", ...others] }: Run): string =>
  join(kept, [file.replace(/\.yaml$/, ""), ...others].join(" ").replace(/[^\w.-]+/g, "-"));

/**
 * Runs a command to its end. Throws with the end of its messages if it fails. `kept`: a run of an experiment has a folder there, which
 * stays, and whose finished jobs are not run again.
 */
async function executed(root: string, made: Run, kept: string | undefined): Promise<Outcome> {
  const isKept = kept !== undefined && made.kind === "run";
  const folder = isKept ? keptFolder(kept, made) : mkdtempSync(join(tmpdir(), "p4loom-figures-"));
  try {
    if (isKept) mkdirSync(folder, { recursive: true });
    const before = childSeconds();
    const command = commandOf(root, made, folder);
    const child = spawn(process.execPath, isKept ? [...command, "--resume"] : command, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let messages = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (messages += text));
    const status = await new Promise<number | null>((ended, failed) => {
      child.on("error", failed);
      child.on("close", ended);
    });
    if (status !== made.exit)
      throw new Error(
        `${made.line}: exit status ${status} instead of ${made.exit}\n${(messages || output).slice(-2000)}`,
      );
    return { document: documentOf(made, output, folder), seconds: childSeconds() - before };
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs commands, each once, however many blocks need it. */
export class Runner {
  readonly #outcomes = new Map<string, Promise<Outcome>>();

  /** @param kept folder in which runs of experiments stay, to be continued */
  constructor(
    readonly root: string,
    readonly kept?: string,
  ) {}

  /** The picked results of a block, and the processor time of its runs, each counted once. */
  async results(block: Block): Promise<{ results: Record<string, unknown>; seconds: number }> {
    const results: Record<string, unknown> = {};
    let seconds = 0;
    const counted = new Set<Outcome>();
    for (const [key, runs] of runsOf(block)) {
      const documents: RunDocument[] = [];
      for (const made of runs) {
        const id = `${made.line} (${made.exit}, ${made.csv?.join(" ") ?? ""})`;
        if (!this.#outcomes.has(id)) this.#outcomes.set(id, executed(this.root, made, this.kept));
        const outcome = await this.#outcomes.get(id)!;
        if (!counted.has(outcome)) seconds += outcome.seconds;
        counted.add(outcome);
        documents.push(outcome.document);
      }
      const pick = block.pick as Record<string, (document: RunDocument) => unknown>;
      const many = Array.isArray((block.runs as Record<string, unknown>)[key]);
      // Through JSON, so that the results are what the store will have.
      results[key] = JSON.parse(JSON.stringify(pick[key]!(many ? documents : documents[0])));
    }
    return { results, seconds };
  }
}

const git = (root: string, ...args: string[]) =>
  spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout?.trim() ?? "";

/** What runs depend on besides their inputs; changes to it are not yet in the commit that a store names. */
const CODE = ["src", "p4", "templates", "data", "proto", "bench"];

export const commitOf = (root: string): string => {
  const commit = git(root, "rev-parse", "--short=10", "HEAD") || "unknown";
  return git(root, "status", "--porcelain", "--", ...CODE) === "" ? commit : `${commit} and changes after it`;
};

export const today = (): string => new Date().toISOString().slice(0, 10);

const machine = () => `${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.version}`;

/** Runs a block, and gives what the store gets. */
export async function made(runner: Runner, block: Block): Promise<Stored> {
  const inputs = hashesOf(runner.root, block);
  const { results, seconds } = await runner.results(block);
  return {
    runs: linesOf(block),
    inputs,
    date: today(),
    commit: commitOf(runner.root),
    ...(block.timed ? { machine: machine() } : {}),
    // Of a continued run only the time of the last part is known.
    ...(runner.kept === undefined ? { processor_seconds: Number(seconds.toPrecision(3)) } : {}),
    results,
  };
}
