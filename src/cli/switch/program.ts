/** The program of a switch: P4-16 source is compiled, BMv2 JSON is read with its P4Info. */
import { existsSync, readFileSync } from "node:fs";
import { Diagnostics, fail, type SourceFile } from "../../base/index.js";
import {
  createP4Info,
  type P4Info,
  type Program,
  p4InfoFormatOf,
  readBmv2,
  readP4Info,
} from "../../program/index.js";
import { readSource } from "../files.js";
import type { SwitchSetup } from "./options.js";

/** @throws DiagnosticError with all errors; warnings go to `diagnostics` */
export async function loadProgram(
  source: NonNullable<SwitchSetup["program"]>,
  diagnostics: Diagnostics,
): Promise<Program> {
  if (source.path.endsWith(".p4")) return compileProgram(source, diagnostics);
  const file = readSource(source.path);
  const bmv2 = readBmv2(file, diagnostics);
  diagnostics.throwIfErrors();
  return { bmv2: bmv2!, p4info: p4infoOf(file, source.p4info, diagnostics) };
}

/** The compiler is loaded when there is something to compile: a switch of many should start soon and stay small. */
async function compileProgram(
  source: NonNullable<SwitchSetup["program"]>,
  diagnostics: Diagnostics,
): Promise<Program> {
  const [{ compile }, { inputOf }] = await Promise.all([
    import("../../p4/index.js"),
    import("../compile.js"),
  ]);
  const input = inputOf(source.path, { I: source.include, D: source.define, U: [] });
  const result = compile(input, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
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
