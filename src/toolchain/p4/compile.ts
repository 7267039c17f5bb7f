/** The compiler as one function: source text in, BMv2 JSON and P4Info out. */
import { Diagnostics, given, SourceFile } from "../../base/index.js";
import type { TableEntry } from "../device/index.js";
import type { Program } from "../program/index.js";
import { targetOf } from "./architectures/registry.js";
import { elaborate } from "./lower/elaborate/program.js";
import type { IrProgram } from "./lower/ir.js";
import { applyPasses } from "./lower/passes.js";
import type { SourceUnit } from "./syntax/ast.js";
import { type IncludeResolver, type PreprocessorOptions, parse } from "./syntax/index.js";
import { type CheckedProgram, check } from "./types/index.js";

export interface CompileInput {
  /** The program, or its text, which then gets the name `program.p4`. */
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

/** A program as read and checked. After errors the tree lacks what could not be read, and some types are unknown. */
export interface Analysis {
  unit: SourceUnit;
  checked: CheckedProgram;
}

/**
 * Parses and checks a program for an editor, which needs the types of correct parts of a wrong program, too. Errors of the
 * checker after those of the parser may be their echoes: they are left out, as `compile` does.
 */
export function analyse(
  file: SourceFile,
  options: Omit<PreprocessorOptions, "file">,
  diagnostics: Diagnostics,
): Analysis {
  const unit = parse({ file, ...options }, diagnostics);
  const checked = check(unit, diagnostics.hasErrors ? new Diagnostics() : diagnostics);
  return { unit, checked };
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
      ...given({ resolveInclude, defines, undefines }),
    },
    diagnostics,
  );
  if (diagnostics.hasErrors) return undefined;
  check(unit, diagnostics);
  return diagnostics.hasErrors ? undefined : unit;
}

/**
 * Compiles a program. Undefined when it is wrong or asks for something that is not supported; every
 * reason is an error in `diagnostics`. A result is never partial.
 */
export function compile(input: CompileInput, diagnostics: Diagnostics): CompileResult | undefined {
  const file = typeof input.file === "string" ? new SourceFile("program.p4", input.file) : input.file;
  const unit = checkSource(file, input, diagnostics);
  if (unit === undefined) return undefined;
  return compileChecked(unit, file, diagnostics, input.dump);
}

/** Compiles a program that was parsed and checked without errors; the rest of {@link compile}. */
export function compileChecked(
  unit: SourceUnit,
  file: SourceFile,
  diagnostics: Diagnostics,
  dump?: CompileInput["dump"],
): CompileResult | undefined {
  const { architecture, backEnd } = targetOf(unit);
  const lowered = elaborate(unit, file, architecture, diagnostics);
  if (lowered === undefined || diagnostics.hasErrors) return undefined;
  architecture.warn(lowered, unit, diagnostics);
  applyPasses(lowered, architecture.passes, diagnostics, dump);
  if (diagnostics.hasErrors) return undefined;
  const output = backEnd(lowered, unit, file.path, diagnostics);
  return output === undefined ? undefined : { ...output, unit, lowered };
}
