/** Writes results into a folder: all files or none; files of an earlier run that this run does not write are removed. */
import { createHash } from "node:crypto";
import {
  closeSync,
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
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { fail, systemErrorReason } from "../../base/index.js";
import { makeFolders } from "../../toolchain/loading/index.js";
import { CODES } from "./codes.js";
import type { FileText } from "./results.js";

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
        manifest[name] = writeParts(join(draft, name), typeof text === "string" ? [text] : text);
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

/** Returns the SHA-256 of what it has written. */
function writeParts(path: string, parts: Iterable<string>): string {
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

/** The SHA-256 of a file of any length. */
function digestOf(path: string): string {
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

/** Empty where there is no manifest, or something else has its name: then no file counts as one of an earlier run. */
function readManifest(folder: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
