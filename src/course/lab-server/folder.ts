/** The folder of a lab on disk: reads its files, writes the changes of a page, and watches for changes by other programs. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { fail, systemErrorReason } from "../../base/index.js";
import { TEACHER_FOLDERS } from "../exercises/index.js";
import { CODES } from "./codes.js";

/** Limits: bytes of a file, bytes of all files, number of files. A folder above these limits is not an exercise. */
const MAX_FILE_BYTES = 2 * 2 ** 20;
const MAX_BYTES = 16 * 2 ** 20;
const MAX_FILES = 500;
const MAX_DEPTH = 6;
/** Folders that are not read: tools write them. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "build", "logs", "pcaps", "__pycache__"]);
/** Folders that no student gets, and those of the solutions of the P4 tutorials. A lab is made for students: it has none of them. */
const TEACHERS: ReadonlySet<string> = new Set([...TEACHER_FOLDERS, "solutions"]);
const TEXT = /\.(p4|p4h|h|json|md|txt|txtpb|ya?ml|py|mjs|js|stf|sh)$|^(Makefile|README|LICENSE)$/;
/** Number of files that this process has written. */
let writes = 0;
/** A changed file is read after this time without further changes, in milliseconds: editors write in several steps. */
const QUIET_MS = 150;

/**
 * Returns the texts by path, without solutions and hidden tests. Symbolic links are not followed: they could lead out of the folder. Fails
 * with P46052 above the limits.
 */
export function readFolder(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  let bytes = 0;
  const visit = (folder: string, prefix: string, depth: number): void => {
    for (const name of readdirSync(folder).sort()) {
      if (name.startsWith(".")) continue;
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isDirectory()) {
        const read = !SKIPPED.has(name) && !TEACHERS.has(name.toLowerCase());
        if (read && depth < MAX_DEPTH) visit(path, `${prefix}${name}/`, depth + 1);
      } else if (stat.isFile() && TEXT.test(name) && stat.size <= MAX_FILE_BYTES) {
        bytes += stat.size;
        if (bytes > MAX_BYTES || Object.keys(files).length >= MAX_FILES)
          fail(
            CODES.tooLarge,
            undefined,
            `${root} has more than ${MAX_FILES} files or ${MAX_BYTES / 2 ** 20} MiB of text`,
            "open the folder of one exercise",
          );
        files[prefix + name] = readFileSync(path, "utf8");
      }
    }
  };
  visit(root, "", 0);
  return files;
}

/**
 * Writes a file of the folder completely or not at all. Fails with P46053 if the path leads out of the folder, also by a
 * symbolic link, and with P46054 if the operating system reports an error.
 */
export function writeInFolder(root: string, path: string, text: string, mode = 0o666): void {
  const target = join(root, path);
  const real = realpathSync(root);
  const outside = (): never =>
    fail(CODES.outside, undefined, `${path} is outside the lab's folder; it was not written`);
  if (!target.startsWith(root.endsWith(sep) ? root : root + sep) || /(^|\/)\.\.(\/|$)|\0|\\/.test(path))
    outside();
  try {
    // check the nearest folder that exists, before any folder is created
    let folder = dirname(target);
    while (statSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder);
    const found = realpathSync(folder);
    if (found !== real && !found.startsWith(real + sep)) outside();
    if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true) outside();
    mkdirSync(dirname(target), { recursive: true });
    // A process that was ended in between leaves its file, which must not stop the next one.
    const fresh = join(dirname(target), `.${basename(target)}.${process.pid}-${++writes}.p4loom`);
    writeFileSync(fresh, text, { flag: "wx", mode });
    try {
      renameSync(fresh, target);
    } catch (error) {
      rmSync(fresh, { force: true });
      throw error;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    fail(CODES.cannotWrite, undefined, `cannot write ${path}: ${systemErrorReason(error)}`);
  }
}

/**
 * Calls `changed` for each file that another program has changed; returns a function that stops this. On a system
 * that cannot watch folders, it is never called.
 */
export function watchFolder(root: string, changed: (path: string, text: string) => void): () => void {
  let known = readFolder(root);
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    let files: Record<string, string>;
    try {
      files = readFolder(root);
    } catch {
      return;
    }
    for (const [path, text] of Object.entries(files)) if (known[path] !== text) changed(path, text);
    known = files;
  };
  try {
    const watcher = watch(root, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(look, QUIET_MS);
    });
    watcher.on("error", () => watcher.close());
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  } catch {
    return () => {};
  }
}
