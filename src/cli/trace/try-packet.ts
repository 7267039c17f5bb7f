/** Sends one packet through a program and returns its trace. */
import { Diagnostics, defined, given } from "../../base/index.js";
import { runCommands } from "../../toolchain/control/index.js";
import { loadProgram, readSource, withProject } from "../../toolchain/loading/index.js";
import { type PacketTrace, Switch } from "../../toolchain/switch/index.js";
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
}

/** Clock of a switch in which no time passes. */
export const STANDING = { now: () => 0, at: () => () => {} };

/**
 * The packet's document. Warnings go to stderr.
 * @throws DiagnosticError when the program or the commands are wrong
 */
export async function tryPacket(setup: TryPacket): Promise<PacketTrace> {
  const { program: path, p4info, include, define, port, bytes, commands, seed } = setup;
  const diagnostics = new Diagnostics();
  const source = { path, include, define, ...given({ p4info }) };
  const { program } = await loadProgram(await withProject(source), diagnostics, "warning");
  const device = new Switch(program, { clock: STANDING, seed, transmit: () => {} });
  if (commands !== undefined) {
    // A runtime.json names its program: it is the one that was just loaded.
    const loadProgram = async () => program;
    await runCommands(device, readSource(commands), diagnostics, undefined, { loadProgram });
    diagnostics.throwIfErrors();
  }
  printDiagnostics(diagnostics.list);
  const traces: PacketTrace[] = [];
  device.trace = (packet) => traces.push(packet);
  device.receive(port, bytes);
  device.trace = undefined;
  return defined(traces[0]);
}
