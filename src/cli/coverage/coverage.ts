/** `p4loom coverage`: what tests and captures reach of a program; exercises and experiments are in files of their own. */
import { Diagnostics, defined, fail, given } from "../../base/index.js";
import { decodePcap, decodePcapng } from "../../base/packets/index.js";
import { runCommands } from "../../toolchain/control/index.js";
import { coverageOf } from "../../toolchain/coverage/index.js";
import {
  type LoadedProgram,
  loadProgram,
  readBytes,
  readSource,
  withProject,
} from "../../toolchain/loading/index.js";
import { readStf, runStf } from "../../toolchain/stf/index.js";
import { CoverageCounts, Switch } from "../../toolchain/switch/index.js";
import { CODES } from "../codes.js";
import { wholeNumberOr } from "../trace/trace-options.js";
import { STANDING } from "../trace/try-packet.js";
import type { CoverageArguments } from "./coverage-options.js";
import { coverExercise, isExerciseFolder } from "./exercise.js";
import { coverExperiment, isExperimentFile } from "./experiment.js";
import { checkOutputs, report } from "./report.js";

const MAX_PORT = 511;

/** Exit status 0; 1 when the program or a test is wrong, when an expectation of a test fails, or below `--min`. */
export async function coverage(
  path: string,
  packets: readonly string[],
  options: CoverageArguments,
): Promise<number> {
  if (isExerciseFolder(path)) return coverExercise(path, packets, options);
  if (isExperimentFile(path)) return coverExperiment(path, packets, options);
  if (packets.length === 0)
    fail(
      CODES.wrongValue,
      undefined,
      `${path}: no packets are given, and it is neither a folder of an exercise nor an experiment (.yaml)`,
      "name STF tests or captures after the program",
    );
  const settings = settingsOf(packets, options);
  const diagnostics = new Diagnostics();
  const { I: include, D: define, U: undefine, p4info } = options;
  const files = { path, include, define, undefine, ...given({ p4info }) };
  const loaded = await loadProgram(await withProject(files), diagnostics, "ignore");
  const counts = new CoverageCounts();
  for (const file of packets)
    await (isCapture(file)
      ? replay(file, loaded, counts, settings, diagnostics)
      : runTest(file, loaded, counts, settings.seed, diagnostics));
  const reached = counts.of(loaded.program.bmv2);
  // No test could be read.
  if (reached === undefined) diagnostics.throwIfErrors();
  const found = coverageOf(defined(reached));
  return report({ path, found, sources: loaded.sources }, options, diagnostics);
}

interface Settings {
  readonly port: number;
  readonly seed: number;
  readonly commands: string | undefined;
}

function settingsOf(packets: readonly string[], options: CoverageArguments): Settings {
  const { port, commands, seed } = options;
  if (!packets.some(isCapture))
    for (const [name, value] of Object.entries({ port, commands }))
      if (value !== undefined)
        fail(
          CODES.wrongValue,
          undefined,
          `--${name} ${value}: no capture is given; this option is for captures`,
        );
  checkOutputs(options);
  return {
    port: wholeNumberOr("--port", port, 0, MAX_PORT),
    seed: wholeNumberOr("--seed", seed, 1, 0xffff_ffff),
    commands,
  };
}

function isCapture(path: string): boolean {
  return /\.(pcap|pcapng|cap)$/.test(path);
}

async function runTest(
  path: string,
  { program, hasP4Info }: LoadedProgram,
  coverage: CoverageCounts,
  seed: number,
  diagnostics: Diagnostics,
): Promise<void> {
  const found = new Diagnostics();
  const commands = readStf(readSource(path), found);
  // Later lines may depend on a line that cannot be read.
  if (!found.hasErrors)
    await runStf(commands, hasP4Info ? program : { bmv2: program.bmv2 }, found, { seed, coverage });
  for (const one of found.list) diagnostics.add(one);
}

async function replay(
  path: string,
  { program }: LoadedProgram,
  coverage: CoverageCounts,
  { port, seed, commands }: Settings,
  diagnostics: Diagnostics,
): Promise<void> {
  const bytes = readBytes(path);
  const packets = path.endsWith(".pcapng") ? decodePcapng(bytes, path) : decodePcap(bytes, path);
  const device = new Switch(program, { clock: STANDING, seed, transmit: () => {}, coverage });
  if (commands !== undefined) {
    // A runtime.json names its program: it is the one that was just loaded.
    const loadProgram = async () => program;
    await runCommands(device, readSource(commands), diagnostics, undefined, { loadProgram });
    diagnostics.throwIfErrors();
  }
  for (const { frame } of packets) device.receive(port, frame);
}
