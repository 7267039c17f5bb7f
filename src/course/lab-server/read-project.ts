/** Makes a project of a lab from the path that the user gives on the command line. */

import { lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { Diagnostics, fail, given } from "../../base/index.js";
import { filesOf, topologyPathIn } from "../exercises/index.js";
import type { LabProject, LabScheme } from "../lab/index.js";
import { CODES } from "./codes.js";
import { projectOfExperiment } from "./experiment-project.js";
import { readFolder } from "./folder.js";

interface ReadOptions {
  /**
   * Of an exercise: the program of switches for which the topology names none. It is a part of the project also where it is in a folder of
   * solutions, which otherwise no project has.
   */
  readonly program?: string;
  /** Of an experiment file: the label of one of its schemes; absent: the first. */
  readonly scheme?: string;
}

export interface ProjectOnDisk {
  readonly project: LabProject;
  /** The folder of its files, where changes are written; absent: the files were generated from an experiment file. */
  readonly folder?: string;
  /** Of an experiment file: the parts of its scheme that run in addition to programs and entries. */
  readonly scheme?: LabScheme;
  /** The only files that a page may write; absent: all that the project lets it write. */
  readonly writable?: readonly string[];
}

/**
 * A folder of the P4 tutorials' form or its topology file, an experiment file (YAML), or one program (P4 or BMv2 JSON).
 * Fails with P46051 for anything else, and with the errors of an experiment file.
 */
export async function readLabProject(path: string, options: ReadOptions = {}): Promise<ProjectOnDisk> {
  const whole = resolve(path);
  const stat = statSync(whole, { throwIfNoEntry: false });
  if (stat === undefined)
    return fail(
      CODES.notOpenable,
      undefined,
      `there is no "${path}"`,
      "give a folder, a program or an experiment file",
    );
  if (stat.isDirectory()) {
    const project = exercise(whole, undefined, options);
    const { files } = project.project;
    const missing = topologyPathIn(filesOf(new Map(Object.entries(files))), "");
    if (files[missing] !== undefined) return project;
    return fail(
      CODES.notOpenable,
      undefined,
      `the folder ${whole} has no file ${missing}`,
      "give the folder of an exercise, a program (.p4, .json) or an experiment file (.yaml)",
    );
  }
  if (/\.ya?ml$/.test(path)) {
    const diagnostics = new Diagnostics();
    return projectOfExperiment(path, options.scheme, diagnostics);
  }
  if (basename(path) === "topology.json") {
    // as for p4loom net, the folder may be one or two levels above
    const folder = dirname(whole);
    const above = /\.p4$|^Makefile$/;
    const root = [folder, dirname(folder)].find((one) =>
      Object.keys(readFolder(one)).some((name) => !name.includes("/") && above.test(name)),
    );
    return exercise(root ?? folder, whole, options);
  }
  if (/\.(p4|json)$/.test(path)) {
    const folder = dirname(whole);
    return {
      folder,
      project: {
        title: basename(whole),
        files: readFolder(folder),
        open: { kind: "program", path: basename(whole) },
      },
    };
  }
  return fail(
    CODES.notOpenable,
    undefined,
    `${path} is not an exercise folder, a program (.p4, .json) or an experiment file (.yaml)`,
  );
}

function exercise(folder: string, topology: string | undefined, { program }: ReadOptions): ProjectOnDisk {
  const inFolder = (path: string): string => relative(folder, resolve(path)).split(sep).join("/");
  const named = program === undefined ? undefined : inFolder(program);
  return {
    folder,
    project: {
      title: basename(folder),
      files: { ...readFolder(folder), ...namedFile(folder, named) },
      open: {
        kind: "exercise",
        ...(topology === undefined ? {} : { topology: inFolder(topology) }),
        ...given({ program: named }),
      },
    },
  };
}

/** The program that the user names: a P4 file below the folder. */
function namedFile(folder: string, named: string | undefined): Record<string, string> {
  if (named === undefined || !named.endsWith(".p4") || named.split("/").includes("..")) return {};
  const status = lstatSync(join(folder, named), { throwIfNoEntry: false });
  return status?.isFile() ? { [named]: readFileSync(join(folder, named), "utf8") } : {};
}
