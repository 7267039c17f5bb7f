/** Files and folders: read with bounds and with errors as diagnostics, written all or none. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { didYouMean, fail, SourceFile, type Span, systemErrorReason } from "../../base/index.js";
import { CODES } from "./codes.js";

/** Larger inputs are refused: programs and experiment files that people write are far smaller. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/**
 * Reads a text file. Fails with P40001 if it cannot be read, with P40002 if it is larger than 64 MiB, both at `from`: the
 * place that names the file.
 */
export function readSource(path: string, from?: Span): SourceFile {
  return new SourceFile(path, readFile(path, from).toString("utf8"));
}

/** Reads a file that need not be text; errors as in {@link readSource}. */
export function readBytes(path: string): Uint8Array {
  return readFile(path);
}

function readFile(path: string, from?: Span): Buffer {
  try {
    const { size } = statSync(path);
    if (size > MAX_INPUT_BYTES)
      fail(CODES.tooLarge, from, `${path} has ${size} bytes; the maximum is ${MAX_INPUT_BYTES}`);
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    fail(CODES.cannotRead, from, `cannot read ${path}: ${systemErrorReason(error)}`);
  }
}

/** As {@link readSource}; `undefined` if there is no such file, as when include folders are searched. */
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
 * Makes a folder and those above it that are missing. Throws the system's error. Unlike `mkdirSync` with `recursive`, it
 * ends where a parent cannot contain folders: Node 20 retries endlessly below /proc.
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder);
    } catch (error) {
      // Another process may have made it in between.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/**
 * Writes all files or none: first each under a temporary name in the same folder, then all are renamed. A file that is
 * replaced keeps its permissions. Fails with P40003 if a path cannot be written.
 */
export function writeFiles(files: readonly OutputFile[]): void {
  const pending: { folder: string; temporary: string; path: string }[] = [];
  let current = "";
  try {
    for (const file of files) {
      current = file.path;
      makeFolders(dirname(file.path));
      const folder = mkdtempSync(join(dirname(file.path), ".p4loom-"));
      const temporary = join(folder, basename(file.path));
      pending.push({ folder, temporary, path: file.path });
      writeFileSync(temporary, file.content);
      const old = statSync(file.path, { throwIfNoEntry: false });
      if (old?.isFile()) chmodSync(temporary, old.mode);
    }
    for (const { temporary, path } of pending) {
      current = path;
      renameSync(temporary, path);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    fail(CODES.cannotWrite, undefined, `cannot write ${current}: ${systemErrorReason(error)}`);
  } finally {
    for (const { folder } of pending) rmSync(folder, { recursive: true, force: true });
  }
}

/** The place of a file that comes with the package, three folders above both `src/toolchain/loading` and `dist/toolchain/loading`. */
export function packageFile(path: string): URL {
  return new URL(`../../../${path}`, import.meta.url);
}

/**
 * The map of a network by its name: `data/maps/NAME.txt` of the package, or a path from `folder` where the name has a dot
 * or a slash. Fails with P40001 or P40002 at `from`, the place that names it, with the maps of the package in a note.
 */
export function readMapFile(name: string, folder: string, from?: Span): SourceFile {
  if (/[./\\]/.test(name)) return readSource(join(folder, name), from);
  const names = readdirSync(fileURLToPath(packageFile("data/maps"))).map((file) =>
    file.replace(/\.txt$/, ""),
  );
  if (names.includes(name)) return readSource(fileURLToPath(packageFile(`data/maps/${name}.txt`)), from);
  return fail(
    CODES.cannotRead,
    from,
    `there is no map "${name}"${didYouMean(name, names, '"')}`,
    `maps: ${names.sort().join(", ")}; or the path of a file`,
  );
}

/** For rooms that read folders without touching the file system by themselves. */
export const diskFiles = {
  absolute: (path: string): string => resolve(path),
  exists: (path: string): boolean => existsSync(path),
  list(folder: string): readonly string[] {
    try {
      return readdirSync(folder).sort();
    } catch {
      return [];
    }
  },
  /** Fails as {@link readSource} does. */
  read: (path: string): string => readSource(path).text,
};

/** A folder and what is below it; paths are relative to it, with `/` between names. */
export interface TextFolder {
  /** Names of the entries of a folder; empty where there is no such folder. */
  list(path: string): readonly string[];
  read(path: string): string;
}

/** A folder of text files, such as the package's templates. */
export function textFolder(root: string | URL): TextFolder {
  const top = typeof root === "string" ? root : fileURLToPath(root);
  return {
    list(path) {
      try {
        return readdirSync(join(top, path));
      } catch (error) {
        if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
        throw error;
      }
    },
    read: (path) => readFileSync(join(top, path), "utf8"),
  };
}
