/**
 * Repeats the run of a folder of results from what the folder carries, in a temporary place, and compares the files of both byte by byte. The folder
 * itself is not changed. `points.jsonl` is not compared: it has the times of jobs.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  DiagnosticError,
  Diagnostics,
  defined,
  fail,
  given,
  SourceFile,
  systemErrorReason,
} from "../../../base/index.js";
import { loadDocument } from "../../../toolchain/documents/index.js";
import { CODES } from "../codes.js";
import { digestOf, readManifest } from "../files.js";
import type { Progress } from "../kinds/kind.js";
import { loadExperimentWithOwn } from "../read.js";
import { version } from "../sweep/jobs.js";
import { differingLines } from "./differing-lines.js";
import { FILES_FOLDER, RECORD_FILE, type RunRecord, recordSchema } from "./record.js";

export interface RerunOptions {
  readonly workers?: number;
  readonly progress?: Progress;
  readonly stop?: AbortSignal;
}

/** A file that the second run has written differently. */
interface DifferingFile {
  readonly name: string;
  /** Where they differ, a line each; of a file that only one of the runs has, which one. */
  readonly lines: readonly string[];
}

export interface Rerun {
  /** The command of the first run. */
  readonly command: string;
  readonly p4loom: string;
  readonly node: string;
  /** Number of files that were compared. */
  readonly files: number;
  readonly differing: readonly DifferingFile[];
  /** What may be a reason of differences: other versions. */
  readonly notes: readonly string[];
}

/**
 * Throws DiagnosticError: P43090 for a folder without a record of its run, P43091 where files are missing or have changed since, P43092 where inputs were
 * not carried or have changed outside, P43093 for a run on real switches, and what a run of the experiment throws.
 */
export async function rerun(folder: string, options: RerunOptions = {}): Promise<Rerun> {
  const record = recordOf(folder);
  const manifest = checkedFolder(folder, record);
  const scratch = mkdtempSync(join(tmpdir(), "p4loom-rerun-"));
  try {
    const inputs = join(scratch, "inputs");
    for (const name of Object.keys(record.inputs)) {
      const copy = join(inputs, name);
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, readFileSync(join(folder, FILES_FOLDER, name)));
    }
    const out = join(scratch, "results");
    await runAgain(join(inputs, record.experiment), out, record, options);
    const second = readManifest(out) as Record<string, string>;
    const names = [...new Set([...Object.keys(manifest), ...Object.keys(second)])]
      // Versions are compared below.
      .filter((name) => name !== RECORD_FILE)
      .sort();
    const differing = names
      .filter((name) => manifest[name] !== second[name])
      .map((name) => differingFile(name, [folder, manifest], [out, second]));
    const { command, p4loom, node } = record;
    return { command, p4loom, node, files: names.length, differing, notes: versionNotes(record) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Digests = Readonly<Record<string, string>>;

function recordOf(folder: string): RunRecord {
  const path = join(folder, RECORD_FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    fail(
      CODES.noRecord,
      undefined,
      `${folder} has no record of its run: cannot read ${RECORD_FILE}: ${systemErrorReason(error)}`,
      "name a folder that p4loom run has written; earlier versions wrote no record",
    );
  }
  const diagnostics = new Diagnostics();
  const record = loadDocument(new SourceFile(path, text), recordSchema, diagnostics)?.value;
  if (record === undefined)
    fail(
      CODES.noRecord,
      undefined,
      `${path} is not the record of a run`,
      ...diagnostics.list.slice(0, 3).map(({ message }) => message),
    );
  if (record.engine !== "sim")
    fail(
      CODES.noRepeat,
      undefined,
      `the run in ${folder} was on engine ${record.engine}: real times are not the same twice`,
      `run it again by hand, and compare the figures: ${record.command}`,
    );
  return record;
}

/** The digests of the files of the run, which the folder still has as they were written. */
function checkedFolder(folder: string, { inputs, outside, left_out }: RunRecord): Digests {
  const manifest = readManifest(folder) as Record<string, string>;
  const names = Object.keys(manifest);
  const carried = Object.entries(inputs).map(
    ([name, digest]) => [`${FILES_FOLDER}/${name}`, digest] as const,
  );
  const unlisted = [RECORD_FILE, ...carried.map(([name]) => name)].find((name) => !names.includes(name));
  if (unlisted !== undefined)
    fail(
      CODES.changedFolder,
      undefined,
      `the list of the files of ${folder}, .p4loom-files.json, does not name ${unlisted}`,
      "copy the whole folder, with the files whose names begin with a dot",
    );
  const problems = [...Object.entries(manifest), ...carried].flatMap(([name, digest]) => {
    const found = digestIn(folder, name);
    if (found === digest) return [];
    return [`${name} ${found === undefined ? "is missing" : "is not as the run wrote it"}`];
  });
  const [first, ...others] = [...new Set(problems)];
  if (first !== undefined)
    fail(
      CODES.changedFolder,
      undefined,
      `${folder}: ${first}`,
      ...others.slice(0, 10).map((one) => `also: ${one}`),
    );
  const [left] = left_out;
  if (left !== undefined)
    fail(
      CODES.inputNotCarried,
      undefined,
      `${folder} does not carry ${left}, which its run has read: a folder carries 500 files and 32 MB`,
      "run it again from the original files",
    );
  for (const [path, digest] of Object.entries(outside))
    if (digestIn("", path) !== digest)
      fail(
        CODES.inputNotCarried,
        undefined,
        `the run has read ${path}, which its file names by an absolute path, and that file is not there or has changed`,
        "put the file back; files that are named by relative paths are carried",
      );
  return manifest;
}

/** Undefined for a file that cannot be read. */
function digestIn(folder: string, name: string): string | undefined {
  try {
    return digestOf(join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

async function runAgain(
  file: string,
  out: string,
  { seed, runs, p4c, seeing }: RunRecord,
  { workers, progress, stop }: RerunOptions,
): Promise<void> {
  const diagnostics = new Diagnostics();
  const experiment = await loadExperimentWithOwn(file, diagnostics, { many: true });
  if (experiment === undefined) throw new DiagnosticError(diagnostics.list);
  const results = await experiment.run({
    ...{ engine: "sim", seed, out },
    ...given({ runs, p4c, progress, stop }),
    ...(seeing === undefined ? {} : { seeing: given(seeing) }),
    ...given({ sweep: experiment.sweep.isOneRun || workers === undefined ? undefined : { workers } }),
  });
  if (results.failures !== undefined) throw new DiagnosticError([...results.failures]);
}

function differingFile(
  name: string,
  [first, had]: readonly [folder: string, digests: Digests],
  [second, has]: readonly [folder: string, digests: Digests],
): DifferingFile {
  if (has[name] === undefined) return { name, lines: ["the run did not write it again"] };
  if (had[name] === undefined) return { name, lines: ["the first run did not write it"] };
  const [before, after] = [first, second].map((folder) => readFileSync(join(folder, name), "utf8"));
  return { name, lines: differingLines(name, defined(before), defined(after)) };
}

function versionNotes({ p4loom, node }: RunRecord): string[] {
  return [
    ...(p4loom === version() ? [] : [`the results were made by p4loom ${p4loom}, this is ${version()}`]),
    ...(node === process.version
      ? []
      : [`the results were made by Node ${node}, this is ${process.version}`]),
  ];
}
