/** `p4loom compile` and `p4loom check`. */
import { join, resolve } from "node:path";
import {
  type Diagnostic,
  Diagnostics as DiagnosticList,
  type Diagnostics,
  fail,
  given,
} from "../base/index.js";
import {
  checkP4InfoSuffix,
  compileInput,
  type OutputFile,
  withProject,
  writeFiles,
} from "../toolchain/loading/index.js";
import {
  ARCHITECTURES,
  build,
  type CompileInput,
  controlPlaneOf,
  P4_CODES,
  preprocess,
  printUnit,
} from "../toolchain/p4/index.js";
import {
  bfrtSchema,
  type P4Info,
  p4InfoFormatOf,
  writeBfrt,
  writeP4InfoBinary,
  writeP4InfoJson,
  writeP4InfoText,
} from "../toolchain/program/index.js";
import { CODES } from "./codes.js";
import type { CheckOptions, CompileOptions } from "./options.js";
import { EXIT, printDiagnostics } from "./outcome.js";

export async function compileFile(path: string, options: CompileOptions): Promise<number> {
  const diagnostics = newDiagnostics(options);
  const input = await inputOf(path, options);
  if (options.E) {
    process.stdout.write(preprocess(input, diagnostics));
    return conclude(diagnostics, options);
  }
  const p4infoFiles = fileList(options.p4runtimeFiles, "--p4runtime-files");
  const entriesFiles = fileList(options.p4runtimeEntriesFiles, "--p4runtime-entries-files");
  const files: OutputFile[] = [];
  const { dump } = options;
  if (dump !== undefined) {
    input.dump = (pass, text) => {
      const number = String(files.length).padStart(2, "0");
      files.push({ path: join(dump, `${number}-${pass}.p4`), content: text });
    };
  }
  const made = makeOutputs(input, options, diagnostics);
  const status = conclude(diagnostics, options);
  if (made !== undefined && status === EXIT.success) {
    const { output, p4info, bfrt, unit } = made;
    if (output !== undefined) {
      const target = options.o ?? path.replace(/\.p4$/, "") + ".json";
      files.push({ path: target, content: `${JSON.stringify(output.program.bmv2, null, 2)}\n` });
    }
    for (const name of p4infoFiles) files.push({ path: name, content: p4infoContent(name, p4info) });
    if (options.bfrt !== undefined && bfrt !== undefined)
      files.push({ path: options.bfrt, content: writeBfrt(bfrt) });
    if (options.pp !== undefined) files.push({ path: options.pp, content: printUnit(unit) });
    if (entriesFiles.length > 0 && output !== undefined) {
      const { writeEntries } = await import("../toolchain/p4runtime/index.js");
      for (const name of entriesFiles) {
        files.push({
          path: name,
          content: writeEntries(output.program, output.entries, p4InfoFormatOf(name)!),
        });
      }
    }
  }
  checkPaths(files);
  // The output of the earlier passes is most useful when a later pass failed.
  writeFiles(files);
  return status;
}

/** Two outputs in one file: the second would replace the first. */
function checkPaths(files: readonly OutputFile[]): void {
  const seen = new Set<string>();
  for (const { path } of files) {
    if (seen.has(resolve(path)))
      fail(CODES.wrongValue, undefined, `two outputs have the path ${path}`, "give each a path of its own");
    seen.add(resolve(path));
  }
}

/** What the options ask for. Undefined where the program is wrong, or an option asks for what its architecture has not. */
function makeOutputs(input: CompileInput, options: CompileOptions, diagnostics: Diagnostics) {
  const built = build(input, diagnostics);
  if (built === undefined) return undefined;
  const { architecture, lowered, output, unit } = built;
  const asksForBmv2 = options.o !== undefined || options.p4runtimeEntriesFiles !== undefined;
  const asksForOthers = options.p4runtimeFiles !== undefined || options.bfrt !== undefined;
  if (output === undefined && (asksForBmv2 || !asksForOthers))
    diagnostics.error(
      P4_CODES.otherArchitecture,
      lowered.mainSpan,
      `not supported yet: BMv2 JSON and entries of a program for ${architecture}`,
      "--p4runtime-files and --bfrt write what its controllers read; p4loom check says whether it is right",
    );
  const p4info = controlPlaneOf(built, diagnostics);
  if (p4info === undefined) return undefined;
  const bfrt = options.bfrt === undefined ? undefined : bfrtSchema(p4info, diagnostics);
  return { output, unit, p4info, bfrt };
}

export async function checkFile(path: string, options: CheckOptions): Promise<number> {
  const diagnostics = newDiagnostics(options);
  build(await inputOf(path, options), diagnostics);
  return conclude(diagnostics, options);
}

/** The program with the settings of its project file and of the options. */
async function inputOf(path: string, { I: include, D: define, U: undefine, arch, strict }: CheckOptions) {
  if (arch !== undefined && !ARCHITECTURES.includes(arch))
    fail(
      CODES.wrongValue,
      undefined,
      `--arch ${arch}: there is no such architecture`,
      `give ${ARCHITECTURES.join(", ")}`,
    );
  return compileInput(await withProject({ path, include, define, undefine, ...given({ arch, strict }) }));
}

function newDiagnostics({ maxErrorCount }: CheckOptions): DiagnosticList {
  if (!/^[1-9]\d{0,5}$/.test(maxErrorCount)) {
    fail(
      CODES.wrongValue,
      undefined,
      `--maxErrorCount ${maxErrorCount}: expected a whole number from 1 to 999999`,
    );
  }
  return new DiagnosticList(Number(maxErrorCount));
}

/** Whether an option applies to a code: it has no list, or its list contains the code. */
function covers(option: string | true | undefined, code: string): boolean {
  return option === true || option?.split(",").includes(code) === true;
}

/** Prints the diagnostics that remain after `--Wdisable` and `--Werror`; they decide the exit status. */
function conclude(diagnostics: Diagnostics, options: CheckOptions): number {
  const shown = diagnostics.list.flatMap((diagnostic): Diagnostic[] => {
    if (diagnostic.severity === "error") return [diagnostic];
    if (covers(options.Wdisable, diagnostic.code)) return [];
    if (diagnostic.severity === "info") return [diagnostic];
    return [covers(options.Werror, diagnostic.code) ? { ...diagnostic, severity: "error" } : diagnostic];
  });
  printDiagnostics(shown, options.jsonDiagnostics);
  const more = diagnostics.errorCount - diagnostics.errorLimit;
  if (more > 0 && !options.jsonDiagnostics) process.stderr.write(`and ${more} more errors\n`);
  return shown.some(({ severity }) => severity === "error") ? EXIT.wrongInput : EXIT.success;
}

/** Files of an option; the suffix of each must name its format. */
function fileList(names: string | undefined, option: string): string[] {
  const files = (names ?? "").split(",").filter((name) => name !== "");
  for (const name of files) checkP4InfoSuffix(name, option);
  return files;
}

function p4infoContent(name: string, p4info: P4Info): string | Uint8Array {
  switch (p4InfoFormatOf(name)) {
    case "json":
      return writeP4InfoJson(p4info);
    case "binary":
      return writeP4InfoBinary(p4info);
    default:
      return writeP4InfoText(p4info);
  }
}
