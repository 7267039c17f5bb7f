/** Reads a project file (`p4loom.yaml`) and checks it; every error is at its place in the file. */
import { statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { z } from "zod";
import { Diagnostics, fail, given } from "../../base/index.js";
import { openDocument } from "../documents/index.js";
import { ARCHITECTURES } from "../p4/index.js";
import { CODES } from "./codes.js";
import { readSource } from "./files.js";

/** Longest project file: 1,000 macros and 64 folders are far shorter, and it is read for each program. */
const MAX_LENGTH = 1 << 20;

/** Most include folders, and most macros, of a project. */
const MOST_FOLDERS = 64;
const MOST_MACROS = 1000;

/** What a project file says, in the form of the options `-I`, `-D`, `-U`, `--arch` and `--strict`. */
export interface Project {
  /** The folders, from the current folder or absolute, as the path of the project file is. */
  readonly include: readonly string[];
  /** `NAME=VALUE`. */
  readonly define: readonly string[];
  readonly undefine: readonly string[];
  readonly arch?: string;
  readonly strict?: boolean;
}

const name = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, "expected the name of a macro: letters, digits and _, no digit first");
const text = z
  .string()
  .max(4096)
  .regex(/^[^\r\n]*$/, "expected the text of a macro, in one line");

const schema = z.strictObject({
  architecture: z.enum(ARCHITECTURES).optional(),
  strict: z.boolean().optional(),
  include: z.array(z.string().min(1).max(4096)).max(MOST_FOLDERS).default([]),
  defines: z
    .record(name, z.union([text, z.int(), z.boolean()]).nullable())
    .refine((macros) => Object.keys(macros).length <= MOST_MACROS, `expected at most ${MOST_MACROS} macros`)
    .default({}),
  undefines: z.array(name).max(MOST_MACROS).default([]),
});

/** Keys of an experiment that a project file does not have. */
const EXPERIMENT_KEYS = ["kind", "schemes", "topology", "traffic"];

/**
 * Reads a project file.
 * @throws DiagnosticError: P40001 and P40002 as for every input, here from 1 MiB on; P43001 to P43004 as for every file that
 * people write; P40050 an experiment; P40051 an include folder that is not there
 */
export function readProject(path: string): Project {
  const diagnostics = new Diagnostics();
  if (!isFile(path))
    fail(
      CODES.cannotRead,
      undefined,
      `cannot read ${path}: it is no file`,
      `the name is that of a project file (docs/projects.md): give the folder, pipe or broken link another one`,
    );
  const file = readSource(path);
  const { length } = file.text;
  if (length > MAX_LENGTH)
    fail(CODES.tooLarge, undefined, `${path} has ${length} characters; the maximum is ${MAX_LENGTH}`);
  // A file of comments alone says nothing.
  if (file.text.split("\n").every((line) => /^[ \t]*(?:#.*)?\r?$/.test(line)))
    return { include: [], define: [], undefine: [] };
  const opened = openDocument(file, diagnostics);
  diagnostics.throwIfErrors();
  const { contents, locate } = opened!;
  const foreign =
    typeof contents === "object" && contents !== null
      ? EXPERIMENT_KEYS.filter((key) => Object.hasOwn(contents, key))
      : [];
  if (foreign.length >= 2) {
    diagnostics.error(
      CODES.experimentAsProject,
      locate([foreign[0]!], true),
      `${path} is an experiment, but ${basename(path)} is the name of a project file`,
      "give the experiment another name; a project file says how the programs of its folder are compiled",
    );
    diagnostics.throwIfErrors();
  }
  const value = opened!.check(schema, diagnostics)?.value;
  diagnostics.throwIfErrors();
  const { include, defines, undefines, architecture: arch, strict } = value!;
  const folder = dirname(path);
  const folders = include.map((one) => (isAbsolute(one) ? one : join(folder, one)));
  for (const [index, one] of folders.entries()) {
    if (isFolder(one)) continue;
    diagnostics.error(
      CODES.includeFolder,
      locate(["include", index]),
      `there is no folder ${include[index]}`,
      `paths start at the folder of ${path}`,
    );
  }
  diagnostics.throwIfErrors();
  return {
    include: folders,
    define: Object.entries(defines).map(([macro, body]) => `${macro}=${body ?? 1}`),
    undefine: undefines,
    ...given({ arch, strict }),
  };
}

/** False for a folder, a named pipe, whose reading would wait for ever, and a link that leads nowhere. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // A circle of links, or a link into a folder that may not be read.
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Not there, below a file, a circle of links, too long, or with a zero byte.
    return false;
  }
}
