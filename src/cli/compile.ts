/** `p4loom compile` and `p4loom check`. */
import { dirname, join } from "node:path";
import { Diagnostics as DiagnosticList, type Diagnostics, fail } from "../base/index.js";
import { type CompileInput, checkSource, compile, type IncludeResolver, preprocess } from "../p4/index.js";
import {
  type P4Info,
  p4InfoFormatOf,
  writeP4InfoBinary,
  writeP4InfoJson,
  writeP4InfoText,
} from "../program/index.js";
import { type OutputFile, readSource, readSourceIfThere, writeFiles } from "./files.js";
import type { CompileOptions, PreprocessorOptions } from "./main.js";
import { EXIT, printDiagnostics } from "./outcome.js";

export async function compileFile(path: string, options: CompileOptions): Promise<number> {
  const diagnostics = new DiagnosticList();
  const input = inputOf(path, options);
  if (options.E) {
    process.stdout.write(preprocess(input, diagnostics));
    return conclusion(diagnostics, options);
  }
  const p4infoFiles = (options.p4runtimeFiles ?? "").split(",").filter((name) => name !== "");
  for (const name of p4infoFiles) checkP4InfoName(name);
  const files: OutputFile[] = [];
  const { dump } = options;
  if (dump !== undefined) {
    input.dump = (pass, text) => {
      const number = String(files.length).padStart(2, "0");
      files.push({ path: join(dump, `${number}-${pass}.p4`), content: text });
    };
  }
  const result = compile(input, diagnostics);
  if (result !== undefined) {
    const { bmv2, p4info } = result.program;
    const target = options.o ?? path.replace(/\.p4$/, "") + ".json";
    files.push({ path: target, content: `${JSON.stringify(bmv2, null, 2)}\n` });
    for (const name of p4infoFiles) files.push({ path: name, content: p4infoContent(name, p4info) });
  }
  // What the passes left is of most use when a later one failed.
  writeFiles(files);
  return conclusion(diagnostics, options);
}

export async function checkFile(path: string, options: PreprocessorOptions): Promise<number> {
  const diagnostics = new DiagnosticList();
  checkSource(inputOf(path, options), diagnostics);
  return conclusion(diagnostics, options);
}

function conclusion(diagnostics: Diagnostics, options: PreprocessorOptions): number {
  printDiagnostics(diagnostics.list, options.jsonDiagnostics);
  const more = diagnostics.errorCount - diagnostics.errorLimit;
  if (more > 0 && !options.jsonDiagnostics) process.stderr.write(`and ${more} more errors\n`);
  return diagnostics.hasErrors ? EXIT.wrongInput : EXIT.success;
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

function checkP4InfoName(name: string): void {
  if (p4InfoFormatOf(name) === undefined) {
    fail(
      "P40004",
      undefined,
      `--p4runtime-files ${name}: the suffix names no format`,
      "use .txtpb or .txt (text), .json, .bin or .pb (binary)",
    );
  }
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
