/** From type expressions of the syntax tree to types (section 7). */

import type { Span } from "../../../base/index.js";
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  Declaration,
  Identifier,
  NamedType,
  StructLikeDeclaration,
  TypeExpression,
  TypeParameter,
} from "../syntax/ast.js";
import {
  BOOL,
  bitType,
  DONT_CARE,
  ERROR,
  INTEGER,
  intType,
  MATCH_KIND,
  partCount,
  STRING,
  structType,
  typeToString,
  UNKNOWN,
  VOID,
} from "./algebra.js";
import { type Checker, hint } from "./checker.js";
import { checkExpression } from "./expressions.js";
import { scopeNotes } from "./names.js";
import { arrayProblem, elementProblem } from "./nesting.js";
import type { Type } from "./type.js";

/** Widest bit string: what p4c and BMv2 handle as well. */
const MAX_WIDTH = 2048n;

/** More values than this in one variable are a slip of the pen; every pass may walk over all of them. */
const MAX_PARTS = 131072;

/** The type, or `unknown` with a message where it holds more than any program needs. */
export function limitParts(cx: Checker, type: Type, span: Span, what: string): Type {
  const parts = partCount(type);
  if (parts <= MAX_PARTS) return type;
  cx.error(
    CODES.sizeOutOfRange,
    span,
    `${what} holds ${parts} values; it must not hold more than ${MAX_PARTS}`,
  );
  return UNKNOWN;
}

/** How a type is about to be used. */
export interface TypeUse {
  /** Type arguments may be left out and are inferred from the arguments of a constructor. */
  inferArguments?: boolean;
}

/** The type that a type expression denotes; each mistake in it is reported once. */
export function resolveType(cx: Checker, expression: TypeExpression, use: TypeUse = {}): Type {
  const type = resolve(cx, expression, use);
  expression.type = type;
  return type;
}

function resolve(cx: Checker, e: TypeExpression, use: TypeUse): Type {
  switch (e.kind) {
    case "baseType":
      switch (e.name) {
        case "bool":
          return BOOL;
        case "error":
          return ERROR;
        case "match_kind":
          return MATCH_KIND;
        case "string":
          return STRING;
        case "void":
          return VOID;
        case "_":
          return DONT_CARE;
      }
      break;
    case "bitType": {
      if (e.width === undefined) return e.base === "int" ? INTEGER : bitType(1);
      const least = e.base === "int" ? 1n : 0n;
      const width = constantSize(cx, e.width, `the width of ${e.base}<>`, least, MAX_WIDTH);
      if (width === undefined) return UNKNOWN;
      if (e.base === "bit") return bitType(width);
      return e.base === "int" ? intType(width) : { kind: "varbit", width };
    }
    case "stackType": {
      const element = resolveType(cx, e.element);
      const size = constantSize(cx, e.size, "the size of a stack", 0n, 1n << 31n);
      if (element.kind === "unknown" || size === undefined) return UNKNOWN;
      const wrong = arrayProblem(element);
      if (wrong !== undefined) {
        cx.error(
          CODES.typeNesting,
          e.element.span,
          `a stack cannot hold ${wrong}; its elements are headers or header unions`,
        );
        return UNKNOWN;
      }
      return limitParts(cx, { kind: "stack", element, size }, e.span, "this stack");
    }
    case "tupleType": {
      const elements = e.elements.map((element) => resolveType(cx, element));
      for (const [index, element] of elements.entries()) {
        const wrong = elementProblem("tuple", element);
        if (wrong !== undefined)
          cx.error(
            CODES.typeNesting,
            defined(e.elements[index]).span,
            `a tuple cannot hold a field of ${wrong}`,
          );
      }
      return limitParts(cx, { kind: "tuple", elements }, e.span, "this tuple");
    }
    case "listType": {
      const element = resolveType(cx, e.element);
      const wrong = elementProblem("list", element);
      if (wrong !== undefined) cx.error(CODES.typeNesting, e.element.span, `a list cannot hold ${wrong}`);
      return { kind: "list", element };
    }
    case "namedType":
      return resolveNamed(cx, e, use);
  }
}

/** A constant number that is a width or a number of elements. */
export function constantSize(
  cx: Checker,
  expression: Parameters<typeof checkExpression>[1],
  what: string,
  least: bigint,
  most: bigint,
): number | undefined {
  const type = checkExpression(cx, expression);
  if (type.kind === "unknown") return undefined;
  const value = expression.constant;
  if (value === undefined || value.kind !== "integer") {
    cx.error(CODES.sizeNotConstant, expression.span, `${what} must be a number known at compile time`);
    return undefined;
  }
  if (value.value < least || value.value > most) {
    cx.error(
      CODES.sizeOutOfRange,
      expression.span,
      `${what} is ${value.value}; it must be between ${least} and ${most}`,
    );
    return undefined;
  }
  return Number(value.value);
}

function resolveNamed(cx: Checker, e: NamedType, use: TypeUse): Type {
  const scope = e.absolute ? cx.globals : cx.scope;
  const found = scope.lookup(e.name.name);
  if (found === undefined) {
    const types = scope
      .visible()
      .filter((name) => isTypeDeclaration(defined(defined(scope.lookup(name))[0])));
    cx.notDeclaredAmong(e.name, "type", types);
    return UNKNOWN;
  }
  const declaration = defined(found[0]);
  e.declaration = declaration;
  const args = e.args.map((arg) => resolveType(cx, arg));
  switch (declaration.kind) {
    case "typedef":
      return withoutArguments(cx, e, declaration);
    case "enum":
      return withoutArguments(cx, e, declaration);
    case "typeParameter":
      return withoutArguments(cx, e, declaration);
    case "struct":
    case "header":
    case "headerUnion":
      if (declaration.typeParams.length === 0) return withoutArguments(cx, e, declaration);
      if (!rightCount(cx, e.span, declaration, args.length)) return UNKNOWN;
      return specialize(cx, e, declaration, args);
    case "extern":
    case "parser":
    case "control":
    case "package": {
      const infer = use.inferArguments === true && args.length === 0;
      if (!infer && !rightCount(cx, e.span, declaration, args.length)) return UNKNOWN;
      return { kind: declaration.kind, declaration, args } as Type;
    }
    default:
      cx.error(
        CODES.wrongKindOfName,
        e.name.span,
        `'${e.name.name}' is not a type`,
        ...scopeNotes(declaration),
      );
      return UNKNOWN;
  }
}

/** A generic struct with its type arguments: they, and the fields they lead to, must be allowed there. */
function specialize(cx: Checker, e: NamedType, declaration: StructLikeDeclaration, args: Type[]): Type {
  for (const [index, arg] of args.entries()) {
    if (arg.kind === "unknown") return UNKNOWN;
    if (arg.kind === "dontCare" || ["extern", "parser", "control", "package", "void"].includes(arg.kind)) {
      cx.error(
        CODES.typeArguments,
        defined(e.args[index]).span,
        `${typeToString(arg)} cannot be a type argument of '${e.name.name}'`,
      );
      return UNKNOWN;
    }
  }
  const type = structType(declaration, args);
  for (const [index, field] of type.fields.entries()) {
    const wrong = elementProblem(declaration.kind, field.type);
    if (wrong === undefined) continue;
    cx.error(
      CODES.typeNesting,
      e.span,
      `field '${field.name}' of ${typeToString(type)} cannot have ${wrong}`,
      {
        message: "the field is declared here",
        span: defined(declaration.fields[index]).name.span,
      },
    );
    return UNKNOWN;
  }
  return limitParts(cx, type, e.span, typeToString(type));
}

function isTypeDeclaration(declaration: Declaration): boolean {
  switch (declaration.kind) {
    case "typedef":
    case "enum":
    case "typeParameter":
    case "struct":
    case "header":
    case "headerUnion":
    case "extern":
    case "parser":
    case "control":
    case "package":
      return true;
    default:
      return false;
  }
}

function withoutArguments(cx: Checker, e: NamedType, declaration: Declaration): Type {
  if (e.args.length > 0) {
    cx.error(CODES.typeArguments, e.span, `type '${e.name.name}' takes no type arguments`);
    return UNKNOWN;
  }
  return declaredType(cx, declaration);
}

/** The type that a type declaration without parameters stands for. */
export function declaredType(cx: Checker, declaration: Declaration): Type {
  const known = cx.declaredTypes.get(declaration);
  if (known !== undefined) return known;
  let type: Type = UNKNOWN;
  if (declaration.kind === "typeParameter") type = { kind: "typeVariable", declaration };
  else if (
    declaration.kind === "struct" ||
    declaration.kind === "header" ||
    declaration.kind === "headerUnion"
  )
    type = structType(declaration, []);
  cx.declaredTypes.set(declaration, type);
  return type;
}

function rightCount(
  cx: Checker,
  span: Span,
  { name, typeParams: params }: { readonly name: Identifier; readonly typeParams: readonly TypeParameter[] },
  given: number,
): boolean {
  if (given === params.length) return true;
  const names = params.map((param) => param.name.name).join(", ");
  const takes =
    params.length === 0
      ? "no type arguments"
      : `${params.length} type argument${params.length > 1 ? "s" : ""} <${names}>`;
  cx.error(
    CODES.typeArguments,
    span,
    `type '${name.name}' takes ${takes}, ${given === 0 ? "none" : given} given`,
    ...hint(undefined),
  );
  return false;
}
