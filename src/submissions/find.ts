/** Finds what was handed in: a folder of folders, or of single files. Links are not followed, and long files are not read. */
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type Diagnostics, fail, isWithin } from "../base/index.js";
import { CODES } from "./codes.js";

export interface FoundSubmission {
  readonly name: string;
  /** Texts by their paths, of the files that the exercise asks for. */
  readonly files: ReadonlyMap<string, string>;
}

/** A student's file is a few kilobytes. */
const MAX_FILE_BYTES = 1 << 20;

/**
 * The submissions in a folder, by name: each entry is a folder with the files of `handsIn`, or is the only file of
 * `handsIn` itself, under any name with the same ending. What is not read is a warning (P46311). Fails with P46310 when
 * there is none.
 */
export function findSubmissions(
  folder: string,
  handsIn: readonly string[],
  diagnostics: Diagnostics,
): FoundSubmission[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    fail(CODES.noSubmissions, undefined, `--submissions ${folder}: there is no such folder`);
  }
  const [only, ...more] = handsIn;
  const found = names.flatMap((name): FoundSubmission[] => {
    const path = join(folder, name);
    const kind = lstatSync(path);
    if (name.startsWith(".")) return [];
    if (kind.isDirectory()) return [{ name, files: readHandedIn(path, handsIn, diagnostics) }];
    const ending = /\.[^.]+$/.exec(only ?? "")?.[0];
    if (more.length > 0 || ending === undefined || !name.endsWith(ending)) {
      diagnostics.warning(
        CODES.notRead,
        undefined,
        `${path}: no folder with ${handsIn.join(", ")}; left out`,
      );
      return [];
    }
    const text = readText(path, folder, diagnostics);
    return [
      { name: name.slice(0, -ending.length), files: new Map(text === undefined ? [] : [[only!, text]]) },
    ];
  });
  if (found.length === 0) {
    fail(
      CODES.noSubmissions,
      undefined,
      `--submissions ${folder}: there is no submission`,
      `a submission is a folder with ${handsIn.join(", ")}${more.length === 0 ? ", or a file in place of it" : ""}`,
    );
  }
  return found;
}

/** The files of one submission. A file that is missing is missing in the answer. */
export function readHandedIn(
  folder: string,
  handsIn: readonly string[],
  diagnostics: Diagnostics,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const path of handsIn) {
    const text = readText(join(folder, path), folder, diagnostics);
    if (text !== undefined) files.set(path, text);
  }
  return files;
}

/** The text of a file within a folder; undefined where there is none, and after P46311. */
function readText(path: string, folder: string, diagnostics: Diagnostics): string | undefined {
  const left = (why: string): undefined => {
    diagnostics.warning(CODES.notRead, undefined, `${path}: ${why}; it is not read`);
    return undefined;
  };
  let kind: ReturnType<typeof lstatSync>;
  try {
    kind = lstatSync(path);
  } catch {
    return undefined;
  }
  if (kind.isSymbolicLink()) return left("a symbolic link");
  if (!kind.isFile()) return left("no file");
  // A folder on the way may be a link, too.
  if (!isWithin(realpathSync(folder), realpathSync(path))) return left("it lies outside of the submission");
  if (kind.size > MAX_FILE_BYTES) return left(`${kind.size} bytes; at most ${MAX_FILE_BYTES} are read`);
  const bytes = readFileSync(path);
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : left("not UTF-8 text");
}
