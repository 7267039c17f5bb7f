/** Sends one packet through a program and returns its trace. */
import { Diagnostics, defined, fail, given } from "../../base/index.js";
import { Interpreter } from "../../toolchain/control/index.js";
import { DeviceError, recording, type Update } from "../../toolchain/device/index.js";
import { loadProgram, readSource, withProject } from "../../toolchain/loading/index.js";
import { type OutcomeLimits, type PacketTrace, Switch } from "../../toolchain/switch/index.js";
import { CODES } from "../codes.js";
import { printDiagnostics } from "../outcome.js";

export interface TryPacket {
  /** P4 source, compiled here, or BMv2 JSON. */
  program: string;
  p4info?: string;
  include: string[];
  define: string[];
  port: number;
  bytes: Uint8Array;
  /** A file of simple_switch_CLI commands, or an `sN-runtime.json` of the P4 tutorials, that is run before. */
  commands?: string;
  seed: number;
  /** Follow every outcome; `update` is a file of commands that change tables meanwhile. */
  all?: { readonly runs: number; readonly update: string | undefined };
}

/** Clock of a switch in which no time passes. */
export const STANDING = { now: () => 0, at: () => () => {} };

/**
 * The packet's document. Warnings go to stderr.
 * @throws DiagnosticError when the program or the commands are wrong
 */
export async function tryPacket(setup: TryPacket): Promise<PacketTrace> {
  const { program: path, p4info, include, define, port, bytes, commands, seed, all } = setup;
  const diagnostics = new Diagnostics();
  const source = { path, include, define, ...given({ p4info }) };
  const { program } = await loadProgram(await withProject(source), diagnostics, "warning");
  const options = { clock: STANDING, seed, transmit: () => {} };
  const device = new Switch(program, options);
  const run = async (interpreter: Interpreter, file: string | undefined) => {
    if (file === undefined) return;
    await interpreter.run(readSource(file), diagnostics, { print: () => {} });
    diagnostics.throwIfErrors();
  };
  // A runtime.json names its program: it is the one that was just loaded.
  const surroundings = { loadProgram: async () => program };
  await run(new Interpreter(device, surroundings), commands);
  const updates: Update[] = [];
  if (all?.update !== undefined) {
    // Handles of entries are those of a switch that has run the commands.
    let recorded: Update[] = [];
    const other = recording(new Switch(program, options), (list) => recorded.push(...list));
    const interpreter = new Interpreter(other, surroundings);
    await run(interpreter, commands);
    recorded = updates;
    await run(interpreter, all.update);
  }
  printDiagnostics(diagnostics.list);
  if (all !== undefined) return outcomesOf(device, setup, { runs: all.runs, updates });
  const traces: PacketTrace[] = [];
  device.trace = (packet) => traces.push(packet);
  device.receive(port, bytes);
  device.trace = undefined;
  return defined(traces[0]);
}

function outcomesOf(device: Switch, { port, bytes, all }: TryPacket, limits: OutcomeLimits): PacketTrace {
  try {
    return device.outcomes(port, bytes, limits);
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return fail(CODES.wrongValue, undefined, `--update ${all?.update}: ${error.message}`);
  }
}
