/** The programs of a project, compiled from its texts. */
import { type Diagnostics, fail, folderOfPath, pathIn, SourceFile } from "../../base/index.js";
import { compile, type IncludeResolver } from "../../toolchain/p4/index.js";
import { createP4Info, type Program, readBmv2, readP4Info } from "../../toolchain/program/index.js";
import { CODES } from "./codes.js";
import type { ProjectFiles } from "./files.js";
import type { ProgramView } from "./protocol.js";

interface CompiledProgram {
  readonly program: Program;
  /** Paths of its source files in the project. */
  readonly sources: ReadonlySet<string>;
}

/**
 * Compiles P4 source, or reads BMv2 JSON with its P4Info. Undefined after errors. `edited`: texts that replace those of the
 * files.
 */
export function compileFrom(
  files: ProjectFiles,
  path: string,
  diagnostics: Diagnostics,
  edited: ReadonlyMap<string, string> = new Map(),
  p4info?: string,
): CompiledProgram | undefined {
  const sources = new Set([path]);
  const sourceOf = (name: string): SourceFile | undefined => {
    const text = edited.get(name) ?? files.text(name);
    return text === undefined ? undefined : new SourceFile(name, text);
  };
  const file = sourceOf(path) ?? fail(CODES.noFile, undefined, `the project has no file ${path}`);
  if (path.endsWith(".json")) {
    const bmv2 = readBmv2(file, diagnostics);
    const info = p4info === undefined ? undefined : sourceOf(p4info);
    const described = info === undefined ? createP4Info() : readP4Info(info, undefined, diagnostics);
    if (bmv2 === undefined || described === undefined || diagnostics.hasErrors) return undefined;
    return { program: { bmv2, p4info: described }, sources };
  }
  const find = includesOf(sourceOf);
  const resolveInclude: IncludeResolver = (name, from, system) => {
    const found = find(name, from, system);
    if (found !== undefined) sources.add(found.path);
    return found;
  };
  const result = compile({ file, resolveInclude }, diagnostics);
  return result === undefined || diagnostics.hasErrors ? undefined : { program: result.program, sources };
}

/** Searches an included file in the folder of the including file (not for `<>`), then in the project's folder. */
export function includesOf(sourceOf: (path: string) => SourceFile | undefined): IncludeResolver {
  return (name, from, system) => {
    for (const folder of system ? [""] : [folderOfPath(from.path), ""]) {
      const found = sourceOf(pathIn(folder, name));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** The header types of a program's packets, for the packet builder. */
export function headersOf({ bmv2 }: Program): ProgramView["headers"] {
  const used = new Set(
    bmv2.headers.filter(({ metadata }) => !metadata).map(({ header_type }) => header_type),
  );
  return bmv2.header_types
    .filter(({ name }) => used.has(name))
    .map(({ name, fields }) => ({
      name,
      fields: fields
        .filter(([field]) => !field.startsWith("_padding"))
        .map(([field, width]) => ({ name: field, bits: width === "*" ? 0 : width })),
    }));
}
