/** The folder of a lab on the disk: its files as texts, what a page writes, and what changes beside the lab. */
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
import { fail, systemErrorReason } from "../base/index.js";
import { CODES } from "./codes.js";

/** Bytes of a file and of all files, and their number; what is beyond is no exercise. */
const MAX_FILE_BYTES = 2 * 2 ** 20;
const MAX_BYTES = 16 * 2 ** 20;
const MAX_FILES = 500;
const MAX_DEPTH = 6;
/** Folders that tools write. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "build", "logs", "pcaps", "__pycache__"]);
const TEXT = /\.(p4|p4h|h|json|md|txt|txtpb|ya?ml|py|mjs|js|stf|sh)$|^(Makefile|README|LICENSE)$/;
/** A change is read when nothing has changed for so long: editors write in several steps. */
const QUIET_MS = 150;

/** Texts by path. Symbolic links are not followed: they could lead out of the folder. Fails with P46052 for too many. */
export function readFolder(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  let bytes = 0;
  const visit = (folder: string, prefix: string, depth: number): void => {
    for (const name of readdirSync(folder).sort()) {
      if (name.startsWith(".")) continue;
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isDirectory()) {
        if (!SKIPPED.has(name) && depth < MAX_DEPTH) visit(path, `${prefix}${name}/`, depth + 1);
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
 * Writes a file of the folder, whole or not at all. Fails with P46053 when the path leads out of the folder, also by a
 * symbolic link, and with P46054 when the system refuses.
 */
export function writeInFolder(root: string, path: string, text: string): void {
  const target = join(root, path);
  const real = realpathSync(root);
  const outside = (): never =>
    fail(CODES.outside, undefined, `${path} is outside of the lab's folder: it is not written`);
  if (!target.startsWith(root.endsWith(sep) ? root : root + sep) || /(^|\/)\.\.(\/|$)|\0|\\/.test(path))
    outside();
  try {
    // the nearest folder that is there decides, before any is made
    let folder = dirname(target);
    while (statSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder);
    const found = realpathSync(folder);
    if (found !== real && !found.startsWith(real + sep)) outside();
    if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true) outside();
    mkdirSync(dirname(target), { recursive: true });
    const fresh = join(dirname(target), `.${basename(target)}.p4loom`);
    writeFileSync(fresh, text, { flag: "wx" });
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

/** Calls back with files that others have changed; returns how to stop. Machines without such news change nothing by themselves. */
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
