/** Checking a whole program: declarations in order, then `main`. */
import type { Diagnostics } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  Declaration,
  EnumMember,
  InstanceDeclaration,
  PackageDeclaration,
  SourceUnit,
} from "../syntax/ast.js";
import { checkActionNames } from "./action-names.js";
import { checkControl, checkParser, checkValueSet } from "./blocks.js";
import { Checker } from "./checker.js";
import { checkAction, checkFunction } from "./functions.js";
import { checkConstant, checkInstance } from "./objects.js";
import type { ConstantValue } from "./type.js";
import {
  checkEnum,
  checkErrors,
  checkExtern,
  checkMatchKinds,
  checkPackage,
  checkStructLike,
  checkTypedef,
} from "./type-declarations.js";

/** A program whose tree carries types, constants and resolved names. Meaningful only if no error was reported. */
export interface CheckedProgram {
  unit: SourceUnit;
  /** The package instance `main`; a library has none. */
  main: InstanceDeclaration | undefined;
  /** All members of `error`, in order of declaration: their position is their number. */
  errors: EnumMember[];
  matchKinds: EnumMember[];
  /** Values of the members of enums with an underlying type. */
  enumValues: ReadonlyMap<EnumMember, ConstantValue>;
  /** Top-level names; functions may have several declarations. */
  globals: ReadonlyMap<string, readonly Declaration[]>;
}

export interface CheckOptions {
  /**
   * Refuses what p4c refuses today and older compilers took; otherwise it is accepted with a note
   * that gives the portable form.
   */
  strict?: boolean;
}

/** Types and names of a program. What is wrong goes to `diagnostics` with codes P403xx, warnings with P406xx. */
export function check(
  unit: SourceUnit,
  diagnostics: Diagnostics,
  { strict = false }: CheckOptions = {},
): CheckedProgram {
  const cx = new Checker(diagnostics, strict);
  cx.propertyPrefix = propertyPrefix(unit);
  cx.forTofino = unit.declarations.some(
    (declaration) => declaration.kind === "package" && /^T\d?NA$/.test(architectureOf(declaration) ?? ""),
  );
  for (const declaration of unit.declarations)
    if (!cx.upcoming.has(declaration.name.name)) cx.upcoming.set(declaration.name.name, declaration);
  for (const declaration of unit.declarations) {
    checkTopLevel(cx, declaration);
    if (cx.upcoming.get(declaration.name.name) === declaration) cx.upcoming.delete(declaration.name.name);
  }
  const main = findMain(cx);
  if (main?.type?.kind === "package" && architectureOf(main.type.declaration) !== undefined)
    checkActionNames(cx, unit, main);
  return {
    unit,
    main,
    errors: cx.errors,
    matchKinds: cx.matchKinds,
    enumValues: cx.enumValues,
    globals: cx.globals.names,
  };
}

function checkTopLevel(cx: Checker, d: Declaration): void {
  switch (d.kind) {
    case "constant":
      checkConstant(cx, d);
      return;
    case "instance":
      checkInstance(cx, d);
      return;
    case "action":
      checkAction(cx, d);
      return;
    case "parser":
      checkParser(cx, d);
      return;
    case "control":
      checkControl(cx, d);
      return;
    case "package":
      checkPackage(cx, d);
      return;
    case "extern":
      checkExtern(cx, d);
      return;
    case "function":
      checkFunction(cx, d, d.body === undefined ? "prototype" : "function");
      return;
    case "struct":
    case "header":
    case "headerUnion":
      checkStructLike(cx, d);
      return;
    case "enum":
      checkEnum(cx, d);
      return;
    case "error":
      checkErrors(cx, d);
      return;
    case "matchKind":
      checkMatchKinds(cx, d);
      return;
    case "typedef":
      checkTypedef(cx, d);
      return;
    case "valueSet":
      checkValueSet(cx, d);
      return;
    default:
      cx.error(CODES.instanceInWrongPlace, d.span, "this cannot be declared on the top level");
  }
}

/** What `@pkginfo` of a package says, as `TNA`; v1model's package says nothing. */
function architectureOf(d: PackageDeclaration): string | undefined {
  const mark = d.annotations.find((annotation) => annotation.name === "pkginfo");
  return mark?.body.kind === "unstructured" ? /arch\s*=\s*"(\w+)"/.exec(mark.body.text)?.[1] : undefined;
}

function findMain(cx: Checker): InstanceDeclaration | undefined {
  const main = cx.globals.names.get("main")?.[0];
  if (main === undefined) return undefined;
  if (main.kind !== "instance") return undefined;
  if (main.type?.kind === "package" || main.type?.kind === "unknown") return main;
  cx.error(CODES.mainNoPackage, main.name.span, "'main' must be an instance of a package");
  return undefined;
}

/** What an architecture with a package like `PSA_Switch` puts before the names of its properties of tables: `psa_`. */
function propertyPrefix({ declarations }: SourceUnit): string | undefined {
  for (const one of declarations) {
    const found = one.kind === "package" ? /^([A-Z0-9]+)_/.exec(one.name.name)?.[1] : undefined;
    if (found !== undefined) return `${found.toLowerCase()}_`;
  }
  return undefined;
}
