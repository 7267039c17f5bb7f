/** A program from files: P4-16 source is compiled, BMv2 JSON is read with its P4Info. */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { Diagnostics, fail, given, type SourceFile, type Span } from "../../base/index.js";
import type { CompileInput } from "../p4/index.js";
import {
  type BfrtSchema,
  bfrtSchema,
  createP4Info,
  type P4Info,
  type Program,
  p4InfoFormatOf,
  readBmv2,
  readP4Info,
} from "../program/index.js";
import { CODES } from "./codes.js";
import { readBytes, readSource, readSourceIfThere } from "./files.js";

/** How a source is compiled: what the C preprocessor is given (`-I`, `-D NAME[=VALUE]`, `-U NAME`), and `--arch` and `--strict`. */
export interface CompileSettings {
  readonly include: readonly string[];
  readonly define: readonly string[];
  readonly undefine?: readonly string[];
  readonly arch?: string;
  readonly strict?: boolean;
}

export interface ProgramFiles extends CompileSettings {
  /** P4-16 source, or BMv2 JSON by the suffix `.json`. */
  readonly path: string;
  /** P4Info of a BMv2 JSON; absent: the one beside it. */
  readonly p4info?: string;
  /** Of a source for TNA: as the switch runs it (default), or as `fit` reads it. */
  readonly form?: "switch" | "hardware";
}

/** What happens when a BMv2 JSON has no P4Info: P40018 as an error or a warning, or nothing. */
export type MissingP4Info = "error" | "warning" | "ignore";

export interface LoadedProgram {
  program: Program;
  /** Whether the program has a P4Info; if not, that of `program` is empty. */
  hasP4Info: boolean;
  /** The P4 source and the files that it includes, by their paths; of a BMv2 JSON, the source that it names. */
  sources: ReadonlyMap<string, SourceFile>;
  /** Of a program for a Tofino: makes the schema of BF Runtime, which only its controllers need. */
  bfrt?: () => Promise<BfrtSchema | undefined>;
}

/** Suffixes of a P4Info beside `NAME.json`, in the order in which they are tried. */
const P4INFO_SUFFIXES = [".p4info.txtpb", ".p4info.txt", ".p4info.json", ".txtpb"];

/**
 * Loads a program. Warnings are added to `diagnostics`. `from` is the place that asks for the program, for the errors
 * about a program that cannot be read, and about a missing P4Info.
 * @throws DiagnosticError with all errors of the files
 */
export async function loadProgram(
  files: ProgramFiles,
  diagnostics: Diagnostics,
  missingP4Info: MissingP4Info,
  from?: Span,
): Promise<LoadedProgram> {
  if (!files.path.endsWith(".json")) return compileProgram(files, diagnostics, from);
  const file = readSource(files.path, from);
  const bmv2 = readBmv2(file, diagnostics);
  diagnostics.throwIfErrors();
  const sources = new Map<string, SourceFile>();
  const source = bmv2!.program === undefined ? undefined : readSourceIfThere(bmv2!.program);
  if (source !== undefined) sources.set(source.path, source);
  const p4info = findP4Info(files, diagnostics, missingP4Info, from);
  return {
    program: { bmv2: bmv2!, p4info: p4info ?? createP4Info() },
    hasP4Info: p4info !== undefined,
    sources,
  };
}

/** The compiler is imported when there is something to compile, so that a switch with a compiled program starts fast. */
async function compileProgram(
  files: ProgramFiles,
  diagnostics: Diagnostics,
  from: Span | undefined,
): Promise<LoadedProgram> {
  const { compile } = await import("../p4/index.js");
  const sources = new Map<string, SourceFile>();
  const result = compile(compileInput(files, sources, from), diagnostics);
  diagnostics.throwIfErrors();
  const { program } = result!;
  const loaded = { program, hasP4Info: true, sources };
  return program.bmv2.architecture === undefined ? loaded : { ...loaded, bfrt: () => schemaOf(files) };
}

/** Compiles the program once more: its schema is made of the form that the compiler keeps for controllers, not of the switch's. */
async function schemaOf(files: ProgramFiles): Promise<BfrtSchema | undefined> {
  const { build, controlPlaneOf } = await import("../p4/index.js");
  const diagnostics = new Diagnostics();
  const built = build(compileInput(files), diagnostics);
  const p4info = built && controlPlaneOf(built, diagnostics);
  return p4info && bfrtSchema(p4info, diagnostics);
}

/** The compiler's input from files. `sources`, if given, receives every file that is read; `from` as in {@link loadProgram}. */
export function compileInput(
  { path, include, define, undefine = [], arch, strict, form }: ProgramFiles,
  sources?: Map<string, SourceFile>,
  from?: Span,
): CompileInput & { file: SourceFile } {
  checkKind(path, from);
  const file = readSource(path, from);
  sources?.set(file.path, file);
  return {
    file,
    // As the C preprocessor searches: first the folder of the including file, unless in angle brackets; then each -I. An absolute path is no search.
    resolveInclude: (name, fromFile, system) => {
      const beside = system ? [] : [dirname(fromFile.path)];
      for (const folder of isAbsolute(name) ? [""] : [...beside, ...include]) {
        const found = readSourceIfThere(join(folder, name));
        if (found === undefined) continue;
        sources?.set(found.path, found);
        return found;
      }
      return undefined;
    },
    defines: macrosOf(define),
    undefines: undefine,
    ...given({ arch, strict, form }),
  };
}

/** Files of other kinds by their suffix, with what takes them. */
const OTHER_KINDS: Readonly<Record<string, string>> = {
  yaml: "YAML: `p4loom run FILE` takes an experiment, `p4loom grade FOLDER` the folder of an exercise.yaml",
  yml: "YAML: `p4loom run FILE` takes an experiment",
  json: "JSON: `p4loom fit`, `switch` and `stf` take a BMv2 JSON",
  stf: "a packet test: `p4loom stf PROGRAM TEST.stf` runs it",
  txtpb: "a P4Info: `--p4info FILE` takes it",
  pcap: "packets: `p4loom trace` and `p4loom coverage` take them beside a program",
  pcapng: "packets: `p4loom trace` and `p4loom coverage` take them beside a program",
};

/** Fails with P40007 for a file whose suffix says that it is no P4 source. */
function checkKind(path: string, from: Span | undefined): void {
  const suffix = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const kind = OTHER_KINDS[suffix];
  if (kind !== undefined)
    fail(CODES.notP4, from, `${path} is no P4 source: its suffix says ${kind}`, "give P4-16 source (.p4)");
}

/** `NAME[=VALUE]` as names with values; a later one replaces an earlier one. */
export function macrosOf(define: readonly string[]): Record<string, string> {
  const macros = define.map((macro): [string, string] => {
    const equals = macro.indexOf("=");
    return equals < 0 ? [macro, "1"] : [macro.slice(0, equals), macro.slice(equals + 1)];
  });
  return Object.fromEntries(macros);
}

function findP4Info(
  { path, p4info: named }: ProgramFiles,
  diagnostics: Diagnostics,
  missing: MissingP4Info,
  from: Span | undefined,
): P4Info | undefined {
  const stem = path.replace(/\.json$/, "");
  const beside = P4INFO_SUFFIXES.map((suffix) => stem + suffix);
  const found = named ?? beside.find((candidate) => existsSync(candidate));
  if (found !== undefined) return readP4InfoFile(found, "--p4info", diagnostics);
  if (missing === "ignore") return undefined;
  const cure = `give --p4info FILE, or put it beside as ${beside[0]}`;
  if (missing === "error") fail(CODES.noP4Info, from, `no P4Info for ${path}`, cure);
  diagnostics.warning(
    CODES.noP4Info,
    from,
    `no P4Info for ${path}: controllers have to send a pipeline config before they write or read`,
    cure,
  );
  return undefined;
}

/** A P4Info in the format that the suffix of its file names. `option`: the option that gave the path, for P40004. */
function readP4InfoFile(path: string, option: string, diagnostics: Diagnostics): P4Info {
  const format = checkP4InfoSuffix(path, option);
  const p4info = readP4Info(format === "binary" ? readBytes(path) : readSource(path), format, diagnostics);
  diagnostics.throwIfErrors();
  return p4info!;
}

/** The format that a suffix names; fails with P40004 if it names none. */
export function checkP4InfoSuffix(
  path: string,
  option: string,
): NonNullable<ReturnType<typeof p4InfoFormatOf>> {
  const format = p4InfoFormatOf(path);
  if (format !== undefined) return format;
  fail(
    CODES.p4infoSuffix,
    undefined,
    `${option} ${path}: the suffix names no format`,
    "use .txtpb or .txt (text), .json, .bin or .pb (binary)",
  );
}
