/** Files as commands need them: read with located errors, written all or not at all. */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail, SourceFile } from "../base/index.js";

/** Larger inputs are refused: no program or experiment file that a person writes comes near it. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "no such file";
  if (code === "EISDIR") return "it is a directory";
  if (code === "EACCES") return "permission denied";
  if (code === "ENOTDIR") return "a part of the path is not a directory";
  return code ?? String(error);
}

/** Reads a text file; fails with P40001 when that cannot be done. */
export function readSource(path: string): SourceFile {
  try {
    const { size } = statSync(path);
    if (size > MAX_INPUT_BYTES) {
      fail("P40002", undefined, `${path} has ${size} bytes; at most ${MAX_INPUT_BYTES} are read`);
    }
    return new SourceFile(path, readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    fail("P40001", undefined, `cannot read ${path}: ${reason(error)}`);
  }
}

/** `undefined` where there is no such file, as an include path is tried. */
export function readSourceIfThere(path: string): SourceFile | undefined {
  try {
    return statSync(path).isFile() ? readSource(path) : undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

export interface OutputFile {
  path: string;
  content: string | Uint8Array;
}

/**
 * Writes all files or none: each first under a temporary name beside its place, then all are renamed. Fails with
 * P40003 when a place cannot be written.
 */
export function writeFiles(files: readonly OutputFile[]): void {
  const pending: { folder: string; temporary: string; path: string }[] = [];
  let current = "";
  try {
    for (const file of files) {
      current = file.path;
      mkdirSync(dirname(file.path), { recursive: true });
      const folder = mkdtempSync(join(dirname(file.path), ".p4loom-"));
      const temporary = join(folder, basename(file.path));
      pending.push({ folder, temporary, path: file.path });
      writeFileSync(temporary, file.content);
    }
    for (const { temporary, path } of pending) {
      current = path;
      renameSync(temporary, path);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    fail("P40003", undefined, `cannot write ${current}: ${reason(error)}`);
  } finally {
    for (const { folder } of pending) rmSync(folder, { recursive: true, force: true });
  }
}
