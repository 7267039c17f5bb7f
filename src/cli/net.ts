/** `p4loom net`: an exercise folder of the P4 tutorials as a running network, with Mininet's words at the prompt. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Diagnostics, fail } from "../base/index.js";
import { compile } from "../p4/index.js";
import { writeP4InfoText } from "../program/index.js";
import {
  type ExerciseProgram,
  type ExerciseSetup,
  NETWORKS,
  openExercise,
  readTopologyFile,
  SWITCH_ENGINES,
  startExercise,
} from "../testbed/index.js";
import { inputOf } from "./compile.js";
import { readSource, writeFiles } from "./files.js";
import type { NetArguments } from "./net/arguments.js";
import { omissionsOf, oneOf, runDialogue, runLines } from "./net/dialogue.js";
import { EXIT, printDiagnostics } from "./outcome.js";

export async function net(path: string, options: NetArguments): Promise<number> {
  const engine = oneOf("--engine", options.engine, SWITCH_ENGINES);
  const network = oneOf("--network", options.network, NETWORKS);
  const allowMissing = omissionsOf(options.allowMissing);
  const diagnostics = new Diagnostics();
  const topology = readTopologyFile(readSource(topologyPath(path)), diagnostics);
  diagnostics.throwIfErrors();
  const setup = openExercise(
    topology!,
    { ...(options.program === undefined ? {} : { program: options.program }), noProgram: !options.p4 },
    diagnostics,
  );
  diagnostics.throwIfErrors();
  const say = (line: string): void => {
    if (!options.quiet) process.stderr.write(`${line}\n`);
  };
  for (const one of usedPrograms(setup)) compileProgram(one, options, say);
  const stop = new AbortController();
  const handlers = (["SIGINT", "SIGTERM"] as const).map((signal) => ({
    signal,
    handle: () => stop.abort(signal),
  }));
  for (const { signal, handle } of handlers) process.on(signal, handle);
  try {
    const exercise = await startExercise(setup, {
      engine,
      network,
      ...(options.bmv2 === undefined ? {} : { bmv2: options.bmv2 }),
      pcap: options.pcap,
      allowMissing,
      log: say,
      stop: stop.signal,
    });
    try {
      const worst =
        options.exec.length > 0
          ? await runLines(exercise, options.exec, stop.signal)
          : await runDialogue(exercise, stop.signal);
      return worst === 0 ? EXIT.success : EXIT.wrongInput;
    } finally {
      await exercise.lab.close();
    }
  } finally {
    for (const { signal, handle } of handlers) process.off(signal, handle);
  }
}

/** Of a folder: what its Makefile names, or `topology.json`. */
function topologyPath(path: string): string {
  if (!existsSync(path) || !statSync(path).isDirectory()) return path;
  const makefile = join(path, "Makefile");
  const text = existsSync(makefile) ? readFileSync(makefile, "utf8") : "";
  const named = /^\s*TOPO\s*[:?]?=\s*(\S+)\s*$/m.exec(text)?.[1];
  return join(path, named ?? "topology.json");
}

function usedPrograms({ switches }: ExerciseSetup): ExerciseProgram[] {
  return [...new Set(switches.flatMap(({ runs }) => (runs === undefined ? [] : [runs])))];
}

/** As the tutorials' Makefile: BMv2 JSON and P4Info into `build/`. A program without its source stays as it is. */
function compileProgram(program: ExerciseProgram, options: NetArguments, say: (line: string) => void): void {
  const { source, json, p4info } = program;
  if (source === undefined) return;
  if (options.p4c !== undefined) {
    say(`compiling ${source} with ${options.p4c}`);
    compileWithP4c(options.p4c, program, options);
    return;
  }
  say(`compiling ${source}`);
  const diagnostics = new Diagnostics();
  const result = compile(inputOf(source, { I: options.I, D: options.D, U: [] }), diagnostics);
  diagnostics.throwIfErrors();
  printDiagnostics(diagnostics.list);
  const { bmv2, p4info: info } = result!.program;
  writeFiles([
    { path: json, content: `${JSON.stringify(bmv2, null, 2)}\n` },
    { path: p4info, content: writeP4InfoText(info) },
  ]);
}

function compileWithP4c(p4c: string, { source, json, p4info }: ExerciseProgram, options: NetArguments): void {
  for (const file of [json, p4info]) mkdirSync(dirname(file), { recursive: true });
  const flags = [...options.I.map((dir) => `-I${dir}`), ...options.D.map((macro) => `-D${macro}`)];
  try {
    execFileSync(p4c, ["--p4v", "16", ...flags, "--p4runtime-files", p4info, "-o", json, source!], {
      stdio: ["ignore", "inherit", "inherit"],
    });
  } catch (error) {
    const { code, status } = error as NodeJS.ErrnoException & { status?: number };
    fail(
      "P43158",
      undefined,
      `${p4c} ${source}: ${code === "ENOENT" ? "no such program" : `status ${status ?? code}`}`,
    );
  }
}
