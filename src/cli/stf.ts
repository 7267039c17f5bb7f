/** `p4loom stf`: plays a packet test against the embedded switch. */
import { readFileSync } from "node:fs";
import { Diagnostics, fail } from "../base/index.js";
import { compile } from "../p4/index.js";
import { type Bmv2Program, type P4Info, p4InfoFormatOf, readBmv2, readP4Info } from "../program/index.js";
import { readStf, runStf, type StfResult } from "../stf/index.js";
import type { PacketTrace } from "../switch/index.js";
import { inputOf } from "./compile.js";
import { readSource } from "./files.js";
import type { PreprocessorOptions } from "./main.js";
import { EXIT, printDiagnostics } from "./outcome.js";
import { TRACE_FILE_BYTES, TraceFile } from "./trace/trace-file.js";

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
  if (seed === undefined) {
    process.stderr.write(`p4loom stf: --seed ${options.seed}: expected a whole number below 2^32\n`);
    return EXIT.wrongUsage;
  }
  const diagnostics = new Diagnostics();
  const program = programPath.endsWith(".json")
    ? readProgram(programPath, options.p4info, diagnostics)
    : compile(inputOf(programPath, options), diagnostics)?.program;
  const commands = readStf(readSource(testPath), diagnostics);
  let result: StfResult | undefined;
  // A line that cannot be read might be the one that later ones rest on.
  if (program !== undefined && !diagnostics.hasErrors) {
    const print = (text: string) => process.stderr.write(`${text}\n`);
    const out = (text: string) => process.stdout.write(text);
    const file = traceFileOf(options.trace, out);
    const trace = file === undefined ? {} : { trace: (packet: PacketTrace) => file.add(packet) };
    result = await runStf(commands, program, diagnostics, { seed, print, ...trace });
    file?.close();
  }
  printDiagnostics(diagnostics.list, options.jsonDiagnostics);
  if (result !== undefined) {
    const { passed, failed } = result;
    const text = options.json
      ? JSON.stringify({ program: programPath, test: testPath, passed, failed })
      : `${testPath}: ${passed} passed, ${failed} failed`;
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

function readProgram(
  path: string,
  p4infoPath: string | undefined,
  diagnostics: Diagnostics,
): { bmv2: Bmv2Program; p4info?: P4Info } | undefined {
  const bmv2 = readBmv2(readSource(path), diagnostics);
  if (bmv2 === undefined) return undefined;
  if (p4infoPath === undefined) return { bmv2 };
  const format = p4InfoFormatOf(p4infoPath);
  if (format === undefined) {
    fail(
      "P40004",
      undefined,
      `--p4info ${p4infoPath}: the suffix names no format`,
      "use .txtpb or .txt (text), .json, .bin or .pb (binary)",
    );
  }
  const file = readSource(p4infoPath);
  const p4info = readP4Info(format === "binary" ? readFileSync(p4infoPath) : file, format, diagnostics);
  return p4info === undefined ? undefined : { bmv2, p4info };
}
