/** `p4loom compile` and `p4loom check`. */
import { dirname, join } from "node:path";
import { type Diagnostic, Diagnostics as DiagnosticList, type Diagnostics, fail } from "../base/index.js";
import {
  type CompileInput,
  checkSource,
  compile,
  type IncludeResolver,
  preprocess,
  printUnit,
} from "../p4/index.js";
import {
  type P4Info,
  p4InfoFormatOf,
  writeP4InfoBinary,
  writeP4InfoJson,
  writeP4InfoText,
} from "../program/index.js";
import { type OutputFile, readSource, readSourceIfThere, writeFiles } from "./files.js";
import type { CheckOptions, CompileOptions, PreprocessorOptions } from "./main.js";
import { EXIT, printDiagnostics } from "./outcome.js";

export async function compileFile(path: string, options: CompileOptions): Promise<number> {
  const diagnostics = newDiagnostics(options);
  const input = inputOf(path, options);
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
  const result = compile(input, diagnostics);
  const status = conclude(diagnostics, options);
  if (result !== undefined && status === EXIT.success) {
    const { bmv2, p4info } = result.program;
    const target = options.o ?? path.replace(/\.p4$/, "") + ".json";
    files.push({ path: target, content: `${JSON.stringify(bmv2, null, 2)}\n` });
    for (const name of p4infoFiles) files.push({ path: name, content: p4infoContent(name, p4info) });
    if (options.pp !== undefined) files.push({ path: options.pp, content: printUnit(result.unit) });
    if (entriesFiles.length > 0) {
      const { writeEntries } = await import("../p4runtime/index.js");
      for (const name of entriesFiles) {
        files.push({
          path: name,
          content: writeEntries(result.program, result.entries, p4InfoFormatOf(name)!),
        });
      }
    }
  }
  // What the passes left is of most use when a later one failed.
  writeFiles(files);
  return status;
}

export async function checkFile(path: string, options: CheckOptions): Promise<number> {
  const diagnostics = newDiagnostics(options);
  checkSource(inputOf(path, options), diagnostics);
  return conclude(diagnostics, options);
}

function newDiagnostics({ maxErrorCount }: CheckOptions): DiagnosticList {
  if (!/^[1-9]\d{0,5}$/.test(maxErrorCount)) {
    fail("P40005", undefined, `--maxErrorCount ${maxErrorCount}: expected a whole number from 1 to 999999`);
  }
  return new DiagnosticList(Number(maxErrorCount));
}

/** Whether an option without a list, or one that lists it, speaks of a code. */
function covers(option: string | true | undefined, code: string): boolean {
  return option === true || option?.split(",").includes(code) === true;
}

/** Prints what is left of the diagnostics after `--Wdisable` and `--Werror`; the exit status follows from it. */
function conclude(diagnostics: Diagnostics, options: CheckOptions): number {
  const shown = diagnostics.list.flatMap((diagnostic): Diagnostic[] => {
    if (diagnostic.severity !== "warning") return [diagnostic];
    if (covers(options.Wdisable, diagnostic.code)) return [];
    return [covers(options.Werror, diagnostic.code) ? { ...diagnostic, severity: "error" } : diagnostic];
  });
  printDiagnostics(shown, options.jsonDiagnostics);
  const more = diagnostics.errorCount - diagnostics.errorLimit;
  if (more > 0 && !options.jsonDiagnostics) process.stderr.write(`and ${more} more errors\n`);
  return shown.some(({ severity }) => severity === "error") ? EXIT.wrongInput : EXIT.success;
}

/** Files of an option; the suffix of each must tell its format. */
function fileList(names: string | undefined, option: string): string[] {
  const files = (names ?? "").split(",").filter((name) => name !== "");
  for (const name of files) {
    if (p4InfoFormatOf(name) !== undefined) continue;
    fail(
      "P40004",
      undefined,
      `${option} ${name}: the suffix names no format`,
      "use .txtpb or .txt (text), .json, .bin or .pb (binary)",
    );
  }
  return files;
}

/** A source file with what the options say about its preprocessing. */
export function inputOf(
  path: string,
  options: Pick<PreprocessorOptions, "I" | "D" | "U">,
): CompileInput & { file: ReturnType<typeof readSource> } {
  const defines: Record<string, string> = {};
  for (const define of options.D) {
    const equals = define.indexOf("=");
    if (equals < 0) defines[define] = "1";
    else defines[define.slice(0, equals)] = define.slice(equals + 1);
  }
  return {
    file: readSource(path),
    resolveInclude: includeResolver(options.I),
    defines,
    undefines: options.U,
  };
}

/** As the C preprocessor searches: beside the including file first, unless in angle brackets; then each -I. */
function includeResolver(folders: readonly string[]): IncludeResolver {
  return (name, fromFile, system) => {
    const beside = system ? [] : [dirname(fromFile.path)];
    for (const folder of [...beside, ...folders]) {
      const found = readSourceIfThere(join(folder, name));
      if (found !== undefined) return found;
    }
    return undefined;
  };
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
