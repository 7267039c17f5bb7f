/** The compiler as one function: source text in, BMv2 JSON and P4Info out. */
import { type Diagnostics, SourceFile } from "../base/index.js";
import type { TableEntry } from "../device/index.js";
import type { Program } from "../program/index.js";
import { emitBmv2 } from "./emit/bmv2-program.js";
import { emitEntries } from "./emit/entries.js";
import { emitP4Info } from "./emit/p4info.js";
import { elaborate } from "./lower/elaborate/program.js";
import type { IrProgram } from "./lower/ir.js";
import { runPasses } from "./lower/passes.js";
import { warn } from "./lower/warnings.js";
import type { SourceUnit } from "./syntax/ast.js";
import { type IncludeResolver, parse } from "./syntax/index.js";
import { check } from "./types/index.js";

export interface CompileInput {
  /** The program, or its text, which then goes by the name `program.p4`. */
  file: SourceFile | string;
  /** Finds the file that an `#include` names; the standard library needs no entry here. */
  resolveInclude?: IncludeResolver;
  /** Macros as given by `-D NAME[=VALUE]` and `-U NAME`. */
  defines?: Readonly<Record<string, string>>;
  undefines?: readonly string[];
  /** Called with the program as text after elaboration and after every pass. */
  dump?: (pass: string, text: string) => void;
}

export interface CompileResult {
  program: Program;
  /** `entries` of tables, for a control plane that writes them itself. */
  entries: TableEntry[];
  /** The checked tree. */
  unit: SourceUnit;
  /** The program as the emitters saw it. */
  lowered: IrProgram;
}

/** Parses and checks a program. Undefined when there are errors; they are in `diagnostics`, as are warnings. */
function checkSource(
  file: SourceFile,
  input: CompileInput,
  diagnostics: Diagnostics,
): SourceUnit | undefined {
  const { resolveInclude, defines, undefines } = input;
  const unit = parse(
    {
      file,
      ...(resolveInclude === undefined ? {} : { resolveInclude }),
      ...(defines === undefined ? {} : { defines }),
      ...(undefines === undefined ? {} : { undefines }),
    },
    diagnostics,
  );
  if (diagnostics.hasErrors) return undefined;
  check(unit, diagnostics);
  return diagnostics.hasErrors ? undefined : unit;
}

/**
 * Compiles a v1model program. Undefined when it is wrong or asks for something that is not supported; every
 * reason is an error in `diagnostics`. A result is never partial.
 */
export function compile(input: CompileInput, diagnostics: Diagnostics): CompileResult | undefined {
  const file = typeof input.file === "string" ? new SourceFile("program.p4", input.file) : input.file;
  const unit = checkSource(file, input, diagnostics);
  if (unit === undefined) return undefined;
  const lowered = elaborate(unit, file, diagnostics);
  if (lowered === undefined || diagnostics.hasErrors) return undefined;
  warn(lowered, unit, diagnostics);
  runPasses(lowered, diagnostics, input.dump);
  if (diagnostics.hasErrors) return undefined;
  const bmv2 = emitBmv2(lowered, file.path, diagnostics);
  if (bmv2 === undefined) return undefined;
  const p4info = emitP4Info(lowered, unit, diagnostics);
  if (p4info === undefined || diagnostics.hasErrors) return undefined;
  return { program: { bmv2, p4info }, entries: emitEntries(lowered), unit, lowered };
}
