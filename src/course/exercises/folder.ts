/** The contents of an exercise's folder: its programs, and the program of each switch. */
import {
  type Diagnostics,
  fail,
  folderOfPath,
  given,
  isWithin,
  nameOfPath,
  pathIn,
  SourceFile,
} from "../../base/index.js";
import { type RuntimeFile, readRuntimeFile } from "../../toolchain/control/index.js";
import { CODES } from "./codes.js";
import type { ExerciseFiles } from "./files.js";
import type { ExerciseSwitch, ExerciseTopology } from "./topology-file.js";

/** A program of an exercise: a source and the files that are generated from it. */
export interface ExerciseProgram {
  /** P4-16 source; undefined: only the JSON exists. */
  source?: string;
  /** BMv2 JSON, by default `build/NAME.json`. */
  json: string;
  /** P4Info in text form, by default `build/NAME.p4.p4info.txtpb`. */
  p4info: string;
}

export interface ExerciseSetup {
  folder: string;
  topology: ExerciseTopology;
  /** By path of the JSON. */
  programs: ReadonlyMap<string, ExerciseProgram>;
  switches: readonly SwitchSetup[];
}

export interface SwitchSetup extends ExerciseSwitch {
  /** Undefined: the switch starts without a program, and a controller loads one. */
  runs?: ExerciseProgram;
  runtime?: RuntimeFile;
}

export interface FolderOptions {
  /**
   * Source that replaces the one of the same name in the folder, and the source of switches without a named program; by default
   * the Makefile's DEFAULT_PROG, or the only .p4 file.
   */
  program?: string;
  /** Start switches without a named program without any program (the Makefile's NO_P4). */
  noProgram?: boolean;
}

/**
 * Finds the files of an exercise. Paths in its files are relative to its folder, which is that of the topology file or one above
 * (`pod-topo/topology.json`). Fails with P43155 (a file is missing), P43156 (the program of a switch is not clear) and the
 * errors of readRuntimeFile.
 */
export function openExercise(
  topology: ExerciseTopology,
  files: ExerciseFiles,
  options: FolderOptions,
  diagnostics: Diagnostics,
): ExerciseSetup {
  const folder = folderOf(topology, files);
  const programs = new Map<string, ExerciseProgram>();
  const programAt = (json: string, p4info?: string): ExerciseProgram => {
    const path = inside(folder, json);
    let program = programs.get(path);
    if (program === undefined) {
      program = programOf(files, folder, path, p4info, named);
      programs.set(path, program);
    }
    return program;
  };
  const named = options.program === undefined ? undefined : files.absolute(options.program);
  if (named !== undefined && !files.exists(named)) {
    fail(CODES.missingFile, undefined, `--program ${options.program}: no such file`);
  }
  const fallback = named === undefined ? defaultProgram(files, folder) : nameOfPath(named);
  const switches = topology.switches.map((entry): SwitchSetup => {
    const runtime = readRuntime(files, folder, entry, topology, diagnostics);
    // Its file cannot be read, which was reported already.
    if (entry.runtimeFile !== undefined && runtime === undefined) return entry;
    const json = entry.program ?? runtime?.bmv2Json;
    if (json !== undefined) {
      const place = topology.locate(["switches", entry.name, entry.program ? "program" : "runtime_json"]);
      const runs = programAt(json, runtime?.p4info);
      if (runs.source === undefined && !files.exists(runs.json)) {
        const source = pathIn(folder, `${nameOfPath(json, ".json")}.p4`);
        diagnostics.error(
          CODES.missingFile,
          place,
          `${entry.name} runs ${json}, but neither this file nor ${source} exists`,
        );
      }
      return { ...entry, runs, ...given({ runtime }) };
    }
    if (options.noProgram) return entry;
    if (fallback === undefined) {
      const place = topology.locate(["switches", entry.name]);
      fail(
        CODES.whichProgram,
        place,
        `which program does ${entry.name} run?`,
        "use --program FILE.p4, or --no-p4",
      );
    }
    const runs = programAt(`build/${nameOfPath(fallback, ".p4")}.json`);
    return { ...entry, runs, ...given({ runtime }) };
  });
  if (named !== undefined && ![...programs.values()].some(({ source }) => source === named)) {
    const names = [...programs.values()].map(({ json }) => `${nameOfPath(json, ".json")}.p4`);
    fail(
      CODES.whichProgram,
      undefined,
      `--program ${options.program}: no switch runs a program of that name`,
      `programs: ${names.join(", ")}`,
    );
  }
  return { folder, topology, programs, switches };
}

/**
 * The folder that contains most of the files that the topology names: the topology file's own, or one or two above;
 * the nearest if equal.
 */
function folderOf(topology: ExerciseTopology, files: ExerciseFiles): string {
  const named = topology.switches.flatMap(({ runtimeFile, commandFile }) =>
    [runtimeFile, commandFile].filter((path) => path !== undefined),
  );
  const start = folderOfPath(files.absolute(topology.file.path));
  const above = folderOfPath(start);
  const candidates = [start, above, folderOfPath(above)];
  const found = (folder: string): number =>
    named.length > 0
      ? named.filter((path) => files.exists(pathIn(folder, path))).length
      : Number(sourcesIn(files, folder).length > 0);
  return candidates.reduce((best, folder) => (found(folder) > found(best) ? folder : best), start);
}

function sourcesIn(files: ExerciseFiles, folder: string): string[] {
  return [...files.list(folder)].filter((name) => name.endsWith(".p4")).sort();
}

function programOf(
  files: ExerciseFiles,
  folder: string,
  json: string,
  p4info: string | undefined,
  named: string | undefined,
): ExerciseProgram {
  const name = nameOfPath(json, ".json");
  const isGiven = named !== undefined && nameOfPath(named) === `${name}.p4`;
  const source = isGiven ? named : pathIn(folder, `${name}.p4`);
  return {
    ...(files.exists(source) ? { source } : {}),
    json,
    p4info:
      p4info === undefined ? pathIn(folderOfPath(json), `${name}.p4.p4info.txtpb`) : inside(folder, p4info),
  };
}

/** Compiled files are written, so they must be in the exercise's folder. */
function inside(folder: string, path: string): string {
  const whole = pathIn(folder, path);
  if (isWithin(folder, whole)) return whole;
  fail(
    CODES.outsideFolder,
    undefined,
    `${path} is outside the exercise's folder ${folder}`,
    "write build/NAME.json",
  );
}

/** Name of the default source: that of the exercise's Makefile, or the only one in its folder. */
function defaultProgram(files: ExerciseFiles, folder: string): string | undefined {
  const sources = sourcesIn(files, folder);
  const named = /^\s*DEFAULT_PROG\s*[:?]?=\s*(\S+\.p4)\s*$/m.exec(makefileOf(files, folder))?.[1];
  if (named !== undefined && sources.includes(named)) return named;
  return sources.length === 1 ? sources[0] : undefined;
}

function readRuntime(
  files: ExerciseFiles,
  folder: string,
  { name, runtimeFile }: ExerciseSwitch,
  { locate }: ExerciseTopology,
  diagnostics: Diagnostics,
): RuntimeFile | undefined {
  if (runtimeFile === undefined) return undefined;
  const path = pathIn(folder, runtimeFile);
  if (!files.exists(path)) {
    diagnostics.error(CODES.missingFile, locate(["switches", name, "runtime_json"]), `no such file: ${path}`);
    return undefined;
  }
  return readRuntimeFile(new SourceFile(path, files.read(path)), diagnostics);
}

function makefileOf(files: ExerciseFiles, folder: string): string {
  const path = pathIn(folder, "Makefile");
  return files.exists(path) ? files.read(path) : "";
}

const TOPOLOGY_NAME = "topology.json";

/**
 * Path of the topology of an exercise: the one that its Makefile names, or `topology.json` in its folder, or in the
 * only subfolder that has one.
 */
export function topologyPathIn(files: ExerciseFiles, folder: string): string {
  const named = /^\s*TOPO\s*[:?]?=\s*(\S+)\s*$/m.exec(makefileOf(files, folder))?.[1];
  if (named !== undefined) return pathIn(folder, named);
  const own = pathIn(folder, TOPOLOGY_NAME);
  if (files.exists(own)) return own;
  const inside = [...files.list(folder)]
    .map((name) => pathIn(folder, `${name}/${TOPOLOGY_NAME}`))
    .filter((path) => files.exists(path));
  return inside.length === 1 ? inside[0]! : own;
}
