/**
 * The project file of a program, `p4loom.yaml`: architecture, macros and include folders, so that every command and every
 * editor compiles a program of many files in the same way. Only its search is here; its contents are read by
 * `project-file.ts`, which is loaded when there is one: most programs have none, and the reader of YAML takes time to start.
 */
import { existsSync, lstatSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type Diagnostic, DiagnosticError, given } from "../../base/index.js";
import type { CompileSettings, ProgramFiles } from "./load-program.js";
import type { Project } from "./project-file.js";

/** The name of a project file. */
const PROJECT_FILE = "p4loom.yaml";

/** Most folders above a program that are searched. */
const MAX_LEVELS = 64;

/**
 * The nearest project file of a program: in its folder or one above it, up to the root of the repository (the folder that
 * has `.git`) or the user's home folder, both included. A program that is in neither has the one in its own folder only:
 * above it are folders such as /tmp, where other users write. Undefined if there is none.
 * The path is as absolute or relative as that of the program.
 */
export function findProject(program: string, home = homedir()): string | undefined {
  const found = searched(dirname(resolve(program)), resolve(home)).find((folder) =>
    isThere(join(folder, PROJECT_FILE)),
  );
  if (found === undefined) return undefined;
  const path = join(found, PROJECT_FILE);
  return isAbsolute(program) ? path : relative(process.cwd(), path);
}

/** The folders in which a project file may be, the nearest first. */
function searched(own: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = own; folders.length < MAX_LEVELS; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === home || existsSync(join(folder, ".git"))) return folders;
    if (folder === dirname(folder)) break;
  }
  return [own];
}

/** Also a folder or a broken link of this name: whoever made it meant a project file, and its reader says what is wrong. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A folder that cannot be read has no project file for this user.
    return false;
  }
}

/**
 * The settings with which a program is compiled: those of its project file, if it has one, and those given, which override
 * them. A BMv2 JSON is compiled already.
 * @throws DiagnosticError with all errors of the project file
 */
export async function withProject(files: ProgramFiles): Promise<ProgramFiles> {
  const path = files.path.endsWith(".json") ? undefined : findProject(files.path);
  if (path === undefined) return files;
  const { readProject } = await import("./project-file.js");
  return { ...files, ...merged(readProject(path), files) };
}

/**
 * Settings over those of a project file: given include folders are searched first; a given macro replaces the project's, and
 * one that is given with `-U` is not defined.
 */
function merged(
  project: Project,
  { include, define, undefine = [], arch = project.arch, strict = project.strict }: CompileSettings,
): CompileSettings {
  const defined = new Set(define.map((macro) => macro.split("=", 1)[0]));
  return {
    include: [...include, ...project.include],
    define: [...project.define, ...define],
    undefine: [...project.undefine.filter((name) => !defined.has(name)), ...undefine],
    ...given({ arch, strict }),
  };
}

/** A program's settings for an editor, whose programs are compiled again and again. */
export interface EditedProject {
  /** The project file that was read; absent: there is none. */
  readonly path?: string;
  readonly settings: CompileSettings;
  /** What is wrong with the project file; its settings are then not used. */
  readonly diagnostics: readonly Diagnostic[];
}

/** As {@link withProject}, at once and without failing; the same object as long as project file and settings are the same. */
export type ProjectReader = (program: string, flags: CompileSettings) => EditedProject;

/** Loads the reader of project files for a process that stays. */
export async function projectReader(): Promise<ProjectReader> {
  const { readProject } = await import("./project-file.js");
  const known = new Map<string, { stamp: string; flags: CompileSettings; project: EditedProject }>();
  return (program, flags) => {
    const path = findProject(program);
    const key = path ?? "";
    const stamp = path === undefined ? "" : stampOf(path);
    const last = known.get(key);
    if (last?.stamp === stamp && last.flags === flags) return last.project;
    const project = path === undefined ? { settings: flags, diagnostics: [] } : read(path, flags);
    known.set(key, { stamp, flags, project });
    return project;
  };

  function read(path: string, flags: CompileSettings): EditedProject {
    try {
      return { path, settings: merged(readProject(path), flags), diagnostics: [] };
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      return { path, settings: flags, diagnostics: error.diagnostics };
    }
  }
}

/** Of a file that was deleted since it was found: no time and no size. */
function stampOf(path: string): string {
  const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${mtimeMs} ${size}`;
}
