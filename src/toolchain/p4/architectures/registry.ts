/** The architectures that the compiler knows, one folder each. */
import type { Diagnostics, SourceFile } from "../../../base/index.js";
import type { P4Info } from "../../program/index.js";
import type { BackEnd, Output } from "../emit/back-end.js";
import type { Architecture } from "../lower/architecture.js";
import type { IrProgram } from "../lower/ir.js";
import type { SourceUnit } from "../syntax/ast.js";
import { t2na, tna } from "./tna/architecture.js";
import { tnaProgram } from "./tna/engine/program.js";
import { emitTnaP4Info } from "./tna/p4info.js";
import { v1model } from "./v1model/architecture.js";
import { emitV1model } from "./v1model/back-end.js";

export interface Target {
  readonly architecture: Architecture;
  /** Absent where the lowered program is all that there is. */
  readonly backEnd?: BackEnd;
  /** The program as the embedded switch runs it, where no back end makes it. */
  readonly execution?: (
    unit: SourceUnit,
    file: SourceFile,
    architecture: Architecture,
    diagnostics: Diagnostics,
  ) => Output | undefined;
  /** The P4Info of a lowered program, where no back end makes it. */
  readonly controlPlane?: (
    lowered: IrProgram,
    unit: SourceUnit,
    diagnostics: Diagnostics,
  ) => P4Info | undefined;
}

const TARGETS: readonly [Target, ...Target[]] = [
  { architecture: v1model, backEnd: emitV1model },
  { architecture: tna, controlPlane: emitTnaP4Info, execution: tnaProgram },
  { architecture: t2na, controlPlane: emitTnaP4Info, execution: tnaProgram },
];

/** The names that `--arch` takes. */
export const ARCHITECTURES: readonly string[] = TARGETS.map(({ architecture }) => architecture.name);

/**
 * The architecture of that name, undefined if there is none. Without a name: the one whose package `main` is; where several have
 * a package of this name, or there is no `main`, the one whose file the program includes.
 */
export function targetOf(unit: SourceUnit, name?: string): Target | undefined {
  if (name !== undefined) return TARGETS.find(({ architecture }) => architecture.name === name);
  const made = packageOfMain(unit);
  const having = TARGETS.filter(({ architecture }) => architecture.packages.some((one) => one.name === made));
  const included = includedBy(unit);
  return having.find(included) ?? having[0] ?? TARGETS.find(included) ?? TARGETS[0];
}

/**
 * The architecture whose file the program includes, where it is another one than the named one: tna and t2na have packages of the
 * same names, and a program would otherwise get the outputs of the wrong chip.
 */
export function includedInstead(unit: SourceUnit, name: string): string | undefined {
  const names = TARGETS.filter(includedBy(unit)).map(({ architecture }) => architecture.name);
  return names.includes(name) ? undefined : names[0];
}

function includedBy(unit: SourceUnit): (target: Target) => boolean {
  const files = new Set(unit.declarations.map(({ span }) => baseName(span.file)));
  return ({ architecture }) => architecture.includes.some((one) => files.has(one));
}

function packageOfMain(unit: SourceUnit): string | undefined {
  for (const one of unit.declarations)
    if (one.kind === "instance" && one.name.name === "main" && one.resolved?.kind === "constructor")
      return one.resolved.declaration.name.name;
  return undefined;
}

function baseName({ path }: SourceFile): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
