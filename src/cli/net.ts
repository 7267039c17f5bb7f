/** `p4loom net`: an exercise folder of the P4 tutorials as a running network, with Mininet's commands at the prompt. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { Diagnostics, defined, fail, given } from "../base/index.js";
import { startExercise } from "../course/exercise-network/index.js";
import {
  type ExerciseProgram,
  type ExerciseSetup,
  openExercise,
  readTopologyFile,
  topologyPathIn,
} from "../course/exercises/index.js";
import { runP4c } from "../fabric/experiment/index.js";
import { NETWORKS, SWITCH_ENGINES } from "../fabric/testbed/index.js";
import { compileInput, diskFiles, makeFolders, readSource, writeFiles } from "../toolchain/loading/index.js";
import { compile } from "../toolchain/p4/index.js";
import { writeP4InfoText } from "../toolchain/program/index.js";
import { CODES } from "./codes.js";
import { omissionsOf, oneOf, runDialogue, runLines } from "./net/dialogue.js";
import type { NetArguments } from "./net/net-options.js";
import { EXIT, printDiagnostics, untilSignal } from "./outcome.js";
import { machineSurroundings } from "./shell/surroundings.js";

export async function net(path: string, options: NetArguments): Promise<number> {
  const engine = oneOf("--engine", options.engine, SWITCH_ENGINES);
  const network = oneOf("--network", options.network, NETWORKS);
  const allowMissing = omissionsOf(options.allowMissing);
  const diagnostics = new Diagnostics();
  const topology = readTopologyFile(readSource(topologyPath(path)), diagnostics);
  diagnostics.throwIfErrors();
  const setup = openExercise(
    defined(topology),
    diskFiles,
    { ...given({ program: options.program }), noProgram: !options.p4 },
    diagnostics,
  );
  diagnostics.throwIfErrors();
  const log = (line: string, severity?: "warning"): void => {
    if (severity !== undefined) process.stderr.write(`${severity}: ${line}\n`);
    else if (!options.quiet) process.stderr.write(`${line}\n`);
  };
  for (const program of usedPrograms(setup)) await compileProgram(program, options, log);
  return untilSignal(async (stop) => {
    const exercise = await startExercise(setup, {
      engine,
      network,
      ...given({ bmv2: options.bmv2 }),
      pcap: options.pcap,
      allowMissing,
      log,
      stop,
      surroundings: machineSurroundings(printDiagnostics),
    });
    try {
      const { exec } = options;
      const worst =
        exec.length > 0 ? await runLines(exercise, exec, stop) : await runDialogue(exercise, stop);
      stop.throwIfAborted();
      return worst === 0 ? EXIT.success : EXIT.wrongInput;
    } finally {
      await exercise.lab.close();
    }
  });
}

/** The topology file of a folder, or the file itself. */
function topologyPath(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? topologyPathIn(diskFiles, path) : path;
}

function usedPrograms({ switches }: ExerciseSetup): ExerciseProgram[] {
  return [...new Set(switches.flatMap(({ runs }) => (runs === undefined ? [] : [runs])))];
}

/** Like the tutorials' Makefile: writes BMv2 JSON and P4Info to `build/`. A program without its source is not compiled. */
async function compileProgram(
  program: ExerciseProgram,
  options: NetArguments,
  log: (line: string) => void,
): Promise<void> {
  const { source, json, p4info } = program;
  if (source === undefined) return;
  if (options.p4c !== undefined) {
    log(`compiling ${source} with ${options.p4c}`);
    await compileWithP4c(options.p4c, program, options);
    return;
  }
  log(`compiling ${source}`);
  const diagnostics = new Diagnostics();
  const result = compile(compileInput({ path: source, include: options.I, define: options.D }), diagnostics);
  diagnostics.throwIfErrors();
  printDiagnostics(diagnostics.list);
  const { bmv2, p4info: info } = defined(result).program;
  writeFiles([
    { path: json, content: `${JSON.stringify(bmv2, null, 2)}\n` },
    { path: p4info, content: writeP4InfoText(info) },
  ]);
}

async function compileWithP4c(p4c: string, program: ExerciseProgram, options: NetArguments): Promise<void> {
  const { source, json, p4info } = program;
  for (const file of [json, p4info]) makeFolders(dirname(file));
  const files = { source: defined(source), json, p4info, include: options.I, define: options.D };
  const { why } = await runP4c(p4c, files, { shown: true });
  if (why !== undefined) fail(CODES.p4c, undefined, `${p4c} ${source}: ${why}`);
}
