/**
 * The files of a run: the experiment is read with errors as diagnostics; the records of finished jobs are kept line by line; results are
 * written into a folder, all files or none, and files of an earlier run that this run does not write are removed.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import {
  DiagnosticError,
  type Diagnostics,
  fail,
  SourceFile,
  type Span,
  systemErrorReason,
} from "../../base/index.js";
import { makeFolders } from "../../toolchain/loading/index.js";
import { CODES } from "./codes.js";
import type { FileText, PointRecord, Shard } from "./results.js";

/**
 * Finds before the runs whether results can be written to a folder. Creates its parent folders. Throws
 * DiagnosticError P43011.
 */
export function checkFolder(folder: string): void {
  if (folder === "") fail(CODES.cannotWrite, undefined, "the folder for the results has an empty name");
  const target = resolve(folder);
  try {
    makeFolders(dirname(target));
    if (statSync(target, { throwIfNoEntry: false })?.isDirectory() === false)
      fail(CODES.cannotWrite, undefined, `cannot write results to ${folder}: a file has that name`);
    rmdirSync(mkdtempSync(join(dirname(target), `.${basename(target)}-`)));
  } catch (error) {
    refuse(folder, error);
  }
}

/** Throws DiagnosticError P43011 for an error of the system, and any other error unchanged. */
export function refuse(folder: string, error: unknown): never {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  const where = path === undefined || path === folder ? "" : ` (${path})`;
  fail(
    CODES.cannotWrite,
    undefined,
    `cannot write results to ${folder}: ${systemErrorReason(error)}${where}`,
  );
}

/** Name of the list of the files that a run wrote, with their SHA-256. */
const MANIFEST = ".p4loom-files.json";

/**
 * Writes all files or none: first into another folder, then moves them into this one. Files that an earlier call wrote there
 * and this one does not write are removed, unless they were changed since; no other file is touched. Throws DiagnosticError P43011 when the folder cannot be made, or a name is outside of it.
 */
export function writeFolder(
  files: readonly (readonly [name: string, text: FileText])[],
  folder: string,
): void {
  const target = resolve(folder);
  for (const [name] of files) {
    if (!resolve(target, name).startsWith(target.endsWith(sep) ? target : target + sep))
      fail(CODES.cannotWrite, undefined, `cannot write results to ${folder}: ${name} is outside of it`);
  }
  try {
    const parent = dirname(target);
    makeFolders(parent);
    const draft = mkdtempSync(join(parent, `.${basename(target)}-`));
    try {
      const manifest: Record<string, string> = {};
      for (const [name, text] of files) {
        mkdirSync(dirname(join(draft, name)), { recursive: true });
        manifest[name] = writeParts(join(draft, name), isWhole(text) ? [text] : text);
      }
      writeFileSync(join(draft, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
      removeStale(target, new Set(files.map(([name]) => name)));
      moveInto(draft, target);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  } catch (error) {
    refuse(folder, error);
  }
}

/** Moves what is in one folder into another; each file appears there whole or not at all. */
function moveInto(from: string, to: string): void {
  makeFolders(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, destination] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      moveInto(source, destination);
      rmdirSync(source);
    } else renameSync(source, destination);
  }
}

const isWhole = (text: FileText): text is string | Uint8Array =>
  typeof text === "string" || text instanceof Uint8Array;

/** Returns the SHA-256 of what it has written. */
function writeParts(path: string, parts: Iterable<string | Uint8Array>): string {
  const hash = createHash("sha256");
  const fd = openSync(path, "w");
  try {
    for (const part of parts) {
      writeFileSync(fd, part);
      hash.update(part);
    }
  } finally {
    closeSync(fd);
  }
  return hash.digest("hex");
}

/** The SHA-256 of a file of any length. Throws what the system reports. */
export function digestOf(path: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const fd = openSync(path, "r");
  try {
    for (let bytes = readSync(fd, chunk); bytes > 0; bytes = readSync(fd, chunk))
      hash.update(chunk.subarray(0, bytes));
  } finally {
    closeSync(fd);
  }
  return hash.digest("hex");
}

const CHUNK_BYTES = 1 << 16;

/**
 * The first of these names at which a folder has something that {@link writeFolder} would replace and has not written: no earlier call lists it, or it was
 * changed since. Absent: there is none. Throws what the system reports, other than that nothing has the name.
 */
export function notOurs(folder: string, names: readonly string[]): string | undefined {
  const listed = readManifest(folder);
  return names.find((name) => {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && !(found.isFile() && listed[name] === digestOf(path));
  });
}

/** Removes the files that the manifest of an earlier run lists, unless they are in `kept` or were changed. */
function removeStale(folder: string, kept: ReadonlySet<string>): void {
  for (const [name, hash] of Object.entries(readManifest(folder))) {
    const path = resolve(folder, name);
    if (kept.has(name) || !path.startsWith(folder + sep)) continue;
    try {
      if (digestOf(path) !== hash) continue;
      rmSync(path);
      // Folders that are empty now were made for the file.
      for (let above = dirname(path); above !== folder; above = dirname(above)) rmdirSync(above);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || !["ENOENT", "ENOTDIR", "EISDIR", "ENOTEMPTY", "EEXIST"].includes(code))
        throw error;
    }
  }
}

/**
 * SHA-256 by name of the files that a run wrote. Empty where there is no manifest, or something else has its name: then no file counts as one of an
 * earlier run.
 */
export function readManifest(folder: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

// Reads the files of an experiment, with errors as diagnostics.

/** Runs `work`; its diagnostics, thrown or added, go to the list. The result is undefined if one of them is an error. */
export function collecting<T>(diagnostics: Diagnostics, work: () => T): T | undefined {
  const before = diagnostics.errorCount;
  try {
    const value = work();
    return diagnostics.errorCount > before ? undefined : value;
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    for (const diagnostic of error.diagnostics) diagnostics.add(diagnostic);
    return undefined;
  }
}

/** The file's text; undefined after P43005. `span`: where the user names the file. */
export function readSource(path: string, diagnostics: Diagnostics, span?: Span): SourceFile | undefined {
  try {
    return new SourceFile(path, readFileSync(path, "utf8"));
  } catch (error) {
    diagnostics.error(CODES.unreadable, span, `cannot read ${path}: ${systemErrorReason(error)}`);
    return undefined;
  }
}

// The file of a sweep's finished jobs: JSON, one line for each job, appended with one write and flushed to the disk before the job
// counts as finished. A killed process leaves at most a partial line at the end.

export function pointsFileName(shard: Shard | undefined): string {
  return shard === undefined ? "points.jsonl" : `points-${shard.index}-of-${shard.count}.jsonl`;
}

/** Appends records to a file of its own. */
export class PointsFile {
  readonly #fd: number;
  #length: number;

  private constructor(
    readonly path: string,
    fd: number,
    length: number,
  ) {
    this.#fd = fd;
    this.#length = length;
  }

  /**
   * Opens or creates the file. Data after its last complete line are cut off. Fails with P43043.
   *
   * @param fresh an earlier file is renamed to `NAME.old`, which replaces an older one
   */
  static open(folder: string, shard: Shard | undefined, fresh: boolean): PointsFile {
    const path = join(folder, pointsFileName(shard));
    try {
      makeFolders(folder);
      if (fresh && existsSync(path)) renameSync(path, `${path}.old`);
      const fd = openSync(path, "a+");
      try {
        const length = wholeLines(fd);
        ftruncateSync(fd, length);
        return new PointsFile(path, fd, length);
      } catch (error) {
        closeSync(fd);
        throw error;
      }
    } catch (error) {
      return cannotKeep(path, error);
    }
  }

  /**
   * Appends lines, given without the last line end. Fails with P43043; then no part of them stays.
   *
   * @param maxBytes of a line, which {@link readPoints} would leave out if it were longer
   */
  append(line: string, maxBytes = MAX_LINE_BYTES): void {
    if (line.split("\n").some((one) => Buffer.byteLength(one) > maxBytes))
      fail(
        CODES.cannotKeepJobs,
        undefined,
        `cannot keep a finished job in ${this.path}: its record is longer than ${maxBytes.toLocaleString("en")} bytes`,
        "make the job smaller: fewer flows, samples or times in one unit",
      );
    const bytes = Buffer.from(`${line}\n`);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
      fsyncSync(this.#fd);
      this.#length += bytes.length;
    } catch (error) {
      ftruncateSync(this.#fd, this.#length);
      cannotKeep(this.path, error);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** The number of bytes up to the last line end. */
function wholeLines(fd: number): number {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = fstatSync(fd).size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const bytes = readSync(fd, chunk, 0, end - start, start);
    const at = chunk.subarray(0, bytes).lastIndexOf(0x0a);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}

/** A longer line is no record of ours: reading it would take the memory of the process. */
const MAX_LINE_BYTES = 1 << 28;

/**
 * The records of all points files of a folder. Lines that are no records, or longer than `maxBytes`, are left out: their jobs run again. The same job may occur more
 * than once. Fails with P43043 when a file cannot be read.
 */
export function* readPoints(folder: string, maxBytes = MAX_LINE_BYTES): Generator<PointRecord> {
  for (const name of pointsFiles(folder)) {
    const path = join(folder, name);
    try {
      for (const line of linesOf(path, maxBytes)) {
        const record = recordOf(line);
        if (record !== undefined) yield record;
      }
    } catch (error) {
      cannotKeep(path, error);
    }
  }
}

/** Points files of all shards, in the order of their names. */
function pointsFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^points(?:-\d+-of-\d+)?\.jsonl$/.test(name))
    .sort();
}

/** Complete lines of at most so many bytes; a file may be longer than the longest string. */
function* linesOf(path: string, maxBytes: number): Generator<string> {
  const fd = openSync(path, "r");
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let parts: Buffer[] = [];
    let length = 0;
    const take = (bytes: Buffer) => {
      length += bytes.length;
      if (length <= maxBytes) parts.push(Buffer.from(bytes));
      else parts = [];
    };
    for (let at = 0; ; ) {
      const bytes = readSync(fd, chunk, 0, chunk.length, at);
      if (bytes === 0) return;
      at += bytes;
      let start = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0 && end < bytes; end = chunk.indexOf(0x0a, start)) {
        take(chunk.subarray(start, end));
        if (length <= maxBytes) yield Buffer.concat(parts).toString("utf8");
        parts = [];
        length = 0;
        start = end + 1;
      }
      take(chunk.subarray(start, bytes));
    }
  } finally {
    closeSync(fd);
  }
}

function recordOf(line: string): PointRecord | undefined {
  try {
    const value = JSON.parse(line) as Partial<PointRecord> | null;
    return typeof value?.job === "string" && "outcome" in value ? (value as PointRecord) : undefined;
  } catch {
    return undefined;
  }
}

function cannotKeep(path: string, error: unknown): never {
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  fail(
    CODES.cannotKeepJobs,
    undefined,
    `cannot keep finished points in ${path}: ${systemErrorReason(error)}`,
    "finished points stay in it: free disk space, and continue with --resume",
  );
}
