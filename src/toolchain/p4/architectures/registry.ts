/** The architectures that the compiler knows, one folder each. */
import type { Diagnostics, SourceFile } from "../../../base/index.js";
import type { P4Info } from "../../program/index.js";
import type { BackEnd, Output } from "../emit/back-end.js";
import type { Architecture } from "../lower/architecture.js";
import type { IrProgram } from "../lower/ir.js";
import { portableBackEnd } from "../portable/back-end.js";
import type { SourceUnit } from "../syntax/ast.js";
import { pna, pnaNic } from "./pna/architecture.js";
import { expiringTables } from "./pna/expiry.js";
import { learnedEntries } from "./pna/learning.js";
import { PNA_NAMES, PNA_NIC_NAMES } from "./pna/names.js";
import { psa } from "./psa/architecture.js";
import { PSA_NAMES } from "./psa/names.js";
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
    form?: "switch" | "hardware",
  ) => Output | undefined;
  /** The P4Info of a lowered program, where no back end makes it. */
  readonly controlPlane?: (
    lowered: IrProgram,
    unit: SourceUnit,
    diagnostics: Diagnostics,
  ) => P4Info | undefined;
}

const listsOfPna = (program: IrProgram) => [...learnedEntries(program), ...expiringTables(program)];

const TARGETS: readonly [Target, ...Target[]] = [
  { architecture: v1model, backEnd: emitV1model },
  { architecture: psa, backEnd: portableBackEnd(PSA_NAMES) },
  { architecture: pnaNic, backEnd: portableBackEnd(PNA_NIC_NAMES, listsOfPna) },
  { architecture: pna, backEnd: portableBackEnd(PNA_NAMES, listsOfPna) },
  { architecture: tna, controlPlane: emitTnaP4Info, execution: tnaProgram },
  { architecture: t2na, controlPlane: emitTnaP4Info, execution: tnaProgram },
];

/** The names that `--arch` takes. */
export const ARCHITECTURES: readonly string[] = TARGETS.map(({ architecture }) => architecture.name);

/** The macros that `--arch` presets, as the vendor's compiler driver does for the chip; `-D` and `-U` come after them. */
export function presetMacros(name: string | undefined): Readonly<Record<string, string>> {
  return TARGETS.find(({ architecture }) => architecture.name === name)?.architecture.macros ?? {};
}

/**
 * The architecture of that name, undefined if there is none. Without a name: the one whose package `main` is; where several have
 * a package of this name, or there is no `main`, the one whose file the program includes; if it includes none, the one whose
 * macros are given. Of one vendor's chips, what the program includes counts more than the name: `-D __TARGET_TOFINO__=2` makes a
 * program of `tna.p4` one for the second chip.
 */
export function targetOf(
  unit: SourceUnit,
  {
    arch: name,
    defines = {},
  }: { readonly arch?: string; readonly defines?: Readonly<Record<string, string>> },
): Target | undefined {
  const included = TARGETS.find(includedBy(unit));
  const named = TARGETS.find(({ architecture }) => architecture.name === name);
  if (name !== undefined) return sameFamily(named, included) ? included : named;
  const made = packageOfMain(unit);
  const having = TARGETS.filter(({ architecture }) => architecture.packages.some((one) => one.name === made));
  return (
    having.find((one) => one === included) ??
    having.find(presetBy(defines)) ??
    having[0] ??
    included ??
    TARGETS[0]
  );
}

/** The architecture whose file the program includes, where it is of another family than the named one. */
export function includedInstead(unit: SourceUnit, name: string): string | undefined {
  const names = TARGETS.filter(includedBy(unit)).map(({ architecture }) => architecture.name);
  return names.includes(name) ? undefined : names[0];
}

/** Whether both have the same packages: they are then told apart by the chip. */
function sameFamily(a: Target | undefined, b: Target | undefined): boolean {
  return a !== undefined && a.architecture.packages === b?.architecture.packages;
}

function presetBy(defines: Readonly<Record<string, string>>): (target: Target) => boolean {
  return ({ architecture: { macros = {} } }) =>
    Object.entries(macros).some(([name, value]) => Object.hasOwn(defines, name) && defines[name] === value);
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
