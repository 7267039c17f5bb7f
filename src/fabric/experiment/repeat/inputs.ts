/**
 * The files that a run reads: the experiment file, and what its values and the code that they name refer to. They are found by looking: each text
 * in an experiment file, and each quoted text in code, that is the path of a file. So a title that happens to be a file's name is carried too, and a
 * path that code puts together is not found.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, extname, isAbsolute, relative, resolve, sep } from "node:path";
import { Diagnostics, defined, SourceFile } from "../../../base/index.js";
import { openDocument } from "../../../toolchain/documents/index.js";

/** Most files, and most bytes of all together, that a folder of results carries. */
const MAX_FILES = 500;
const MAX_BYTES = 32 * 2 ** 20;
/** Longer texts are no paths. */
const MAX_PATH = 300;

const YAML = new Set([".yaml", ".yml"]);
const CODE = new Set([".mjs", ".js", ".cjs", ".ts", ".p4", ".hbs", ".h"]);
const QUOTED = /"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`/g;

export interface Inputs {
  /** Path of the experiment file in {@link files}. */
  readonly experiment: string;
  /** Bytes by path from the common folder, with `/`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** SHA-256 by absolute path, of files that are named so: they stay where they are. */
  readonly outside: ReadonlyMap<string, string>;
  /** Files that would be too many or too long, by path from the common folder. */
  readonly leftOut: readonly string[];
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Reads the inputs of the run of an experiment, whose own text has been read. */
export function inputsOf(experiment: SourceFile): Inputs {
  const found = new Map<string, Uint8Array>();
  const outside = new Map<string, string>();
  const leftOut: string[] = [];
  let bytes = 0;
  const queue = [resolve(experiment.path)];
  // The list grows while it is read; each file is met once.
  for (const path of queue) {
    const size = path === queue[0] ? experiment.text.length : statSync(path).size;
    if (found.size >= MAX_FILES || bytes + size > MAX_BYTES) {
      leftOut.push(path);
      continue;
    }
    bytes += size;
    const content = path === queue[0] ? new TextEncoder().encode(experiment.text) : readFileSync(path);
    found.set(path, content);
    for (const named of pathsIn(path, content)) {
      const target = resolve(dirname(path), named);
      if (!isFile(target)) continue;
      if (isAbsolute(named)) outside.set(target, sha256(readFileSync(target)));
      else if (!queue.includes(target)) queue.push(target);
    }
  }
  const common = commonFolder(queue);
  const name = (path: string) => relative(common, path).split(sep).join("/");
  return {
    experiment: name(defined(queue[0])),
    files: new Map([...found].map(([path, content]) => [name(path), content])),
    outside,
    leftOut: leftOut.map(name),
  };
}

/** Texts of a file that may be paths. */
function pathsIn(path: string, content: Uint8Array): string[] {
  const kind = extname(path);
  if (!YAML.has(kind) && !CODE.has(kind)) return [];
  const text = new TextDecoder().decode(content);
  const texts = YAML.has(kind)
    ? stringsIn(openDocument(new SourceFile(path, text), new Diagnostics())?.contents)
    : [...text.matchAll(QUOTED)].map((match) => defined(match[1] ?? match[2] ?? match[3]));
  return texts.filter((one) => one.length <= MAX_PATH && !one.includes("\0"));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The deepest folder that has all of these files below it. */
function commonFolder(paths: readonly string[]): string {
  let common = dirname(defined(paths[0]));
  for (const path of paths)
    while (!path.startsWith(common.endsWith(sep) ? common : common + sep)) common = dirname(common);
  return common;
}
