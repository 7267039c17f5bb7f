/** The program of a switch: P4-16 source is compiled, BMv2 JSON is read with its P4Info. */
import { existsSync, readFileSync } from "node:fs";
import { Diagnostics, fail, type SourceFile, type Span } from "../../base/index.js";
import { compile } from "../../p4/index.js";
import {
  type Bmv2Program,
  createP4Info,
  type P4Info,
  type Program,
  p4InfoFormatOf,
  readP4Info,
} from "../../program/index.js";
import { inputOf } from "../compile.js";
import { readSource } from "../files.js";
import type { SwitchSetup } from "./options.js";

/** Lists that every BMv2 program has, and those that older compilers leave out. */
const NEEDED = ["header_types", "headers", "parsers", "actions", "pipelines"] as const;
const OPTIONAL =
  "header_stacks header_union_types header_unions header_union_stacks field_lists errors enums parse_vsets \
   deparsers meter_arrays counter_arrays register_arrays calculations learn_lists checksums extern_instances".split(
    /\s+/,
  );

/** @throws DiagnosticError with all errors; warnings go to `diagnostics` */
export function loadProgram(source: NonNullable<SwitchSetup["program"]>, diagnostics: Diagnostics): Program {
  if (source.path.endsWith(".p4")) return compileProgram(source, diagnostics);
  const file = readSource(source.path);
  return { bmv2: readBmv2(file), p4info: p4infoOf(file, source.p4info, diagnostics) };
}

function compileProgram(source: NonNullable<SwitchSetup["program"]>, diagnostics: Diagnostics): Program {
  const input = inputOf(source.path, { I: source.include, D: source.define, U: [] });
  const result = compile(input, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

/** Fails with P40015. Only what the switch relies on at once is checked; it checks the rest as it makes its code. */
function readBmv2(file: SourceFile): Bmv2Program {
  const start: Span = { file, start: 0, end: 1 };
  let bmv2: Record<string, unknown>;
  try {
    bmv2 = JSON.parse(file.text) as Record<string, unknown>;
  } catch (error) {
    fail("P40015", start, `not JSON: ${(error as Error).message}`);
  }
  for (const key of NEEDED) {
    if (!Array.isArray(bmv2?.[key])) fail("P40015", start, `not a BMv2 program: it has no list "${key}"`);
  }
  const empty = Object.fromEntries(OPTIONAL.map((key) => [key, []]));
  return { ...empty, ...bmv2 } as unknown as Bmv2Program;
}

function p4infoOf(file: SourceFile, named: string | undefined, diagnostics: Diagnostics): P4Info {
  const stem = file.path.replace(/\.json$/, "");
  const beside = [".p4info.txtpb", ".p4info.txt", ".p4info.json", ".txtpb"].map((suffix) => stem + suffix);
  const path = named ?? beside.find((name) => existsSync(name));
  if (path === undefined) {
    diagnostics.warning(
      "P40018",
      undefined,
      `no P4Info for ${file.path}: controllers have to send a pipeline config before they write or read`,
      `give --p4info FILE, or put it beside as ${beside[0]}`,
    );
    return createP4Info();
  }
  const format = p4InfoFormatOf(path);
  if (format === undefined) {
    fail(
      "P40004",
      undefined,
      `--p4info ${path}: the suffix names no format`,
      "use .txtpb, .txt, .json, .bin or .pb",
    );
  }
  const problems = new Diagnostics();
  const p4info = readP4Info(format === "binary" ? readBytes(path) : readSource(path), format, problems);
  problems.throwIfErrors();
  for (const problem of problems.list) diagnostics.add(problem);
  return p4info!;
}

/** A file that is not text, or may be: the checks and errors of {@link readSource}. */
export function readBytes(path: string): Uint8Array {
  return readFileSync(readSource(path).path);
}
