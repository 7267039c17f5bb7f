/** Finds the logs of the real compiler in a folder: those of one compile, or of one of its pipes. */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fail, type SourceFile } from "../base/index.js";
import { LOG_NAMES, type LogName } from "../toolchain/fit/index.js";
import { readSource } from "../toolchain/loading/index.js";
import { CODES } from "./codes.js";

/** Folders below the one that is named, and files in all of them. */
const MAX_DEPTH = 4;
const MAX_FILES = 5000;

/** The logs by their names. Fails where there is none, or where two folders have the same one: then there are several pipes. */
export function findLogs(folder: string, pipe: string | undefined): Map<LogName, SourceFile> {
  const paths = new Map<LogName, string[]>();
  let left = MAX_FILES;
  const walk = (path: string, depth: number): void => {
    for (const entry of entriesOf(path)) {
      if (--left < 0) return;
      const at = join(path, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH) walk(at, depth + 1);
      const name = LOG_NAMES.find((known) => known === entry.name);
      if (entry.isFile() && name !== undefined) paths.set(name, [...(paths.get(name) ?? []), at]);
    }
  };
  walk(folder, 0);
  if (paths.size === 0)
    fail(
      CODES.wrongValue,
      undefined,
      `--compare-logs ${folder}: there is no log of the Tofino compiler`,
      `the folder has one of ${LOG_NAMES.join(", ")}, or folders below it do`,
    );
  const chosen = new Map<LogName, SourceFile>();
  for (const [name, list] of paths) {
    const own = pipe === undefined ? list : list.filter((path) => path.split("/").includes(pipe));
    const [only, another] = own.length === 0 ? list : own;
    if (another !== undefined)
      fail(
        CODES.wrongValue,
        undefined,
        `--compare-logs ${folder}: ${basename(another)} is there ${list.length} times: ${list.join(", ")}`,
        "name the folder of one pipe",
      );
    if (only !== undefined) chosen.set(name, readSource(only));
  }
  return chosen;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    return fail(
      CODES.wrongValue,
      undefined,
      `--compare-logs ${folder}: cannot be read (${reason})`,
      "name the folder of the compiler's logs",
    );
  }
}
