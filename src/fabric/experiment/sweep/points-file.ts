/**
 * The file of a sweep's finished jobs: JSON, one line for each job, appended with one write and flushed to the disk before the job
 * counts as finished. A killed process leaves at most a partial line at the end.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fail, systemErrorReason } from "../../../base/index.js";
import { makeFolders } from "../../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import type { PointRecord, Shard } from "./sweep.js";

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
      return refuse(path, error);
    }
  }

  /** Appends a line, given without its line end. Fails with P43043; then no part of it stays. */
  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
      fsyncSync(this.#fd);
      this.#length += bytes.length;
    } catch (error) {
      ftruncateSync(this.#fd, this.#length);
      refuse(this.path, error);
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

const CHUNK_BYTES = 1 << 16;

/**
 * The records of all points files of a folder. Lines that are no records are left out: their jobs run again. The same job may occur more
 * than once. Fails with P43043 when a file cannot be read.
 */
export function* readPoints(folder: string): Generator<PointRecord> {
  for (const name of pointsFiles(folder)) {
    const path = join(folder, name);
    try {
      for (const line of linesOf(path)) {
        const record = recordOf(line);
        if (record !== undefined) yield record;
      }
    } catch (error) {
      refuse(path, error);
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

/** Complete lines; a file may be longer than the longest string. */
function* linesOf(path: string): Generator<string> {
  const fd = openSync(path, "r");
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let parts: Buffer[] = [];
    for (let at = 0; ; ) {
      const bytes = readSync(fd, chunk, 0, chunk.length, at);
      if (bytes === 0) return;
      at += bytes;
      let start = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0 && end < bytes; end = chunk.indexOf(0x0a, start)) {
        parts.push(Buffer.from(chunk.subarray(start, end)));
        yield Buffer.concat(parts).toString("utf8");
        parts = [];
        start = end + 1;
      }
      parts.push(Buffer.from(chunk.subarray(start, bytes)));
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

function refuse(path: string, error: unknown): never {
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  fail(
    CODES.cannotKeepJobs,
    undefined,
    `cannot keep finished points in ${path}: ${systemErrorReason(error)}`,
    "finished points stay in it: free disk space, and continue with --resume",
  );
}
