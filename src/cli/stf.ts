/** `p4loom stf`: plays a packet test against the embedded switch. */
import { claim, Diagnostics, given } from "../base/index.js";
import { TRACE_FILE_BYTES, TraceFile } from "../toolchain/daemon/index.js";
import { loadProgram, readSource, withProject } from "../toolchain/loading/index.js";
import { readStf, runStf, type StfResult } from "../toolchain/stf/index.js";
import type { PacketTrace } from "../toolchain/switch/index.js";
import type { PreprocessorOptions } from "./options.js";
import { EXIT, printDiagnostics, wrongUsage } from "./outcome.js";

export interface StfCommandOptions extends PreprocessorOptions {
  /** P4Info file that belongs to a PROG.json. */
  p4info?: string;
  /** Seed of the `random` extern. */
  seed?: string;
  /** Print the result as one JSON document. */
  json?: boolean;
  /** File for a trace of every packet. */
  trace?: string;
}

/**
 * Runs TEST.stf on PROG.p4, compiled here, or on PROG.json, BMv2's format, with or without its P4Info. Prints one
 * line to stdout; exit status 0 when every expectation holds and every line could be carried out, 2 when the seed is
 * wrong, else 1.
 */
export async function stf(
  programPath: string,
  testPath: string,
  options: StfCommandOptions,
): Promise<number> {
  const seed = options.seed === undefined ? 1 : seedOf(options.seed);
  if (seed === undefined) return wrongUsage(`--seed ${options.seed}: expected a whole number below 2^32`);
  const diagnostics = new Diagnostics();
  const commands = readStf(readSource(testPath), diagnostics);
  const { p4info, I: include, D: define, U: undefine } = options;
  const files = { path: programPath, include, define, undefine, ...given({ p4info }) };
  // The names of a program without a P4Info are those of its BMv2 JSON.
  const { program, hasP4Info } = await loadProgram(await withProject(files), diagnostics, "ignore");
  let result: StfResult | undefined;
  // Later lines may depend on a line that cannot be read.
  if (!diagnostics.hasErrors) {
    const print = (text: string) => process.stderr.write(`${text}\n`);
    const out = (text: string) => process.stdout.write(text);
    const file = traceFileOf(options.trace, out);
    const trace = file === undefined ? {} : { trace: (packet: PacketTrace) => file.add(packet) };
    result = await runStf(commands, hasP4Info ? program : { bmv2: program.bmv2 }, diagnostics, {
      seed,
      print,
      ...trace,
    });
    file?.close();
  }
  printDiagnostics(diagnostics.list, options.jsonDiagnostics);
  if (result !== undefined) {
    const { passed, failed } = result;
    const text = options.json
      ? JSON.stringify({ program: programPath, test: testPath, passed, failed })
      : claim("stfCounts", { test: testPath, passed, failed });
    const stream = options.trace === "-" ? process.stderr : process.stdout;
    stream.write(`${text}\n`);
  }
  return diagnostics.hasErrors ? EXIT.wrongInput : EXIT.success;
}

function traceFileOf(path: string | undefined, print: (text: string) => void): TraceFile | undefined {
  if (path === undefined) return undefined;
  return new TraceFile({ path, maxBytes: TRACE_FILE_BYTES }, print, (error) => {
    throw error;
  });
}

function seedOf(text: string): number | undefined {
  const seed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return seed <= 0xffff_ffff ? seed : undefined;
}
