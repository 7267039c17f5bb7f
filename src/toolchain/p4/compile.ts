/** The compiler as one function: source text in, BMv2 JSON and P4Info out. */
import { Diagnostics, given, SourceFile } from "../../base/index.js";
import type { P4Info } from "../program/index.js";
import { ARCHITECTURES, includedInstead, presetMacros, targetOf } from "./architectures/registry.js";
import { CODES } from "./codes.js";
import type { Output } from "./emit/back-end.js";
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
  /** The architecture, where it is not to follow from what the program includes. */
  arch?: string;
  /** Refuses what p4c refuses today and older compilers took. */
  strict?: boolean;
  /** Of a program for TNA: as the embedded switch runs it (default), or as `p4loom fit` reads it, with calls of stateful ALUs. */
  form?: "switch" | "hardware";
  /** Called with the program as text after elaboration and after every pass. */
  dump?: (pass: string, text: string) => void;
}

/** A program that was checked and lowered. */
export interface Build {
  /** Name of its architecture. */
  architecture: string;
  /** The program's own file. */
  file: SourceFile;
  /** The checked tree. */
  unit: SourceUnit;
  /** The program as the back end sees it. */
  lowered: IrProgram;
  /** Undefined for an architecture that has no outputs. */
  output: Output | undefined;
}

export interface CompileResult extends Output {
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
  {
    strict,
    arch,
    defines,
    ...options
  }: Omit<PreprocessorOptions, "file"> & Pick<CompileInput, "arch" | "strict">,
  diagnostics: Diagnostics,
): Analysis {
  const unit = parse({ file, ...options, defines: { ...presetMacros(arch), ...defines } }, diagnostics);
  const checked = check(unit, diagnostics.hasErrors ? new Diagnostics() : diagnostics, given({ strict }));
  return { unit, checked };
}

/** Parses and checks a program. Undefined when there are errors; they are in `diagnostics`, as are warnings. */
function checkSource(
  file: SourceFile,
  input: CompileInput,
  diagnostics: Diagnostics,
): SourceUnit | undefined {
  const { resolveInclude, undefines } = input;
  const defines = { ...presetMacros(input.arch), ...input.defines };
  const unit = parse({ file, defines, ...given({ resolveInclude, undefines }) }, diagnostics);
  if (diagnostics.hasErrors) return undefined;
  check(unit, diagnostics, given({ strict: input.strict }));
  return diagnostics.hasErrors ? undefined : unit;
}

/**
 * Compiles a program. Undefined when it is wrong or asks for something that is not supported; every
 * reason is an error in `diagnostics`. A result is never partial.
 */
export function compile(input: CompileInput, diagnostics: Diagnostics): CompileResult | undefined {
  const built = build(input, diagnostics);
  if (built === undefined) return undefined;
  const output = outputOf(built, diagnostics, input.form);
  return output && { ...output, unit: built.unit, lowered: built.lowered };
}

/** The program that a switch runs, or a chip gets. Undefined as in {@link compile}. */
export function outputOf(
  { architecture, file, unit, lowered, output }: Build,
  diagnostics: Diagnostics,
  form?: CompileInput["form"],
): Output | undefined {
  if (output !== undefined) return output;
  const target = targetOf(unit, { arch: architecture });
  if (target?.execution !== undefined) {
    const made = target.execution(unit, file, target.architecture, diagnostics, form);
    return diagnostics.hasErrors ? undefined : made;
  }
  diagnostics.error(
    CODES.otherArchitecture,
    lowered.mainSpan,
    `not supported yet: the outputs of a program for ${architecture}`,
    "p4loom check says whether the program is right",
  );
  return undefined;
}

/** Checks and lowers a program, and makes its outputs where its architecture has any. Undefined as in {@link compile}. */
export function build(input: CompileInput, diagnostics: Diagnostics): Build | undefined {
  const file = typeof input.file === "string" ? new SourceFile("program.p4", input.file) : input.file;
  const unit = checkSource(file, input, diagnostics);
  return unit === undefined ? undefined : buildChecked(unit, file, diagnostics, input);
}

/** Builds a program that was parsed and checked without errors; the rest of {@link build}. */
export function buildChecked(
  unit: SourceUnit,
  file: SourceFile,
  diagnostics: Diagnostics,
  { arch, defines, dump }: Pick<CompileInput, "arch" | "defines" | "dump"> = {},
): Build | undefined {
  const target = targetOf(unit, given({ arch, defines }));
  if (target === undefined) {
    const known = ARCHITECTURES.join(", ");
    diagnostics.error(
      CODES.otherArchitecture,
      undefined,
      `there is no architecture ${arch}`,
      `give ${known}`,
    );
    return undefined;
  }
  const { architecture, backEnd } = target;
  const included = includedInstead(unit, architecture.name);
  if (included !== undefined) {
    diagnostics.error(
      CODES.otherArchitecture,
      undefined,
      `the program includes the declarations of ${included}, but is to be compiled for ${architecture.name}`,
      `name ${included} or no architecture (--arch, or architecture in p4loom.yaml)`,
    );
    return undefined;
  }
  const lowered = elaborate(unit, file, architecture, diagnostics);
  if (lowered === undefined || diagnostics.hasErrors) return undefined;
  architecture.warn(lowered, unit, diagnostics);
  applyPasses(lowered, architecture.passes, diagnostics, dump);
  if (!diagnostics.hasErrors) architecture.check?.(lowered, diagnostics);
  if (diagnostics.hasErrors) return undefined;
  const output = backEnd?.(lowered, unit, file.path, diagnostics);
  if (backEnd !== undefined && output === undefined) return undefined;
  return { architecture: architecture.name, file, unit, lowered, output };
}

/**
 * What a control plane must know of a program, for each architecture. Undefined where the program breaks a rule of P4Info; a diagnostic says
 * which.
 */
export function controlPlaneOf(
  { architecture, unit, lowered, output }: Build,
  diagnostics: Diagnostics,
): P4Info | undefined {
  return (
    output?.program.p4info ??
    targetOf(unit, { arch: architecture })?.controlPlane?.(lowered, unit, diagnostics)
  );
}
