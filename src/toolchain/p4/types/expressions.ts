/** The type, and where there is one the compile-time value, of every expression (section 8). */
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  Declaration,
  Expression,
  ListExpression,
  PathExpression,
  StructExpression,
} from "../syntax/ast.js";
import { BOOL, bitType, DONT_CARE, INTEGER, intType, MATCH_KIND, STRING, UNKNOWN } from "./algebra.js";
import { checkBinary } from "./binary.js";
import { checkCall } from "./calls.js";
import type { Checker } from "./checker.js";
import { constantOf } from "./coerce.js";
import { fits, wrap } from "./fold.js";
import { checkMember } from "./members.js";
import { checkCast, checkConditional, checkSetExpression, checkUnary } from "./operators.js";
import { checkIndex, checkSlice } from "./slices.js";
import type { ConstantValue, Type } from "./type.js";
import { declaredType, resolveType } from "./type-expressions.js";

/**
 * Finds the type of an expression and writes it, with names resolved and constants folded, into the tree.
 * `expected` is the type its place will ask for: it helps inference, it is not enforced here (see coerce).
 */
export function checkExpression(cx: Checker, e: Expression, expected?: Type): Type {
  const type = infer(cx, e, expected);
  e.type = type;
  return type;
}

function infer(cx: Checker, e: Expression, expected: Type | undefined): Type {
  switch (e.kind) {
    case "intLiteral": {
      if (e.width === undefined) {
        e.constant = { kind: "integer", value: e.value };
        return INTEGER;
      }
      if (e.width < 1 && e.signed) {
        cx.error(
          CODES.sizeOutOfRange,
          e.span,
          `int<${e.width}> is no type: a signed number has at least one bit`,
        );
        return UNKNOWN;
      }
      const type = e.signed ? intType(e.width) : bitType(e.width);
      if (!fits(e.value, type)) {
        const what = `${type.kind}<${e.width}>`;
        cx.warning(
          CODES.literalCutOff,
          e.span,
          `${e.value} does not fit in ${what}; it becomes ${wrap(e.value, type)}`,
        );
      }
      e.constant = { kind: "integer", value: wrap(e.value, type) };
      return type;
    }
    case "boolLiteral":
      e.constant = { kind: "bool", value: e.value };
      return BOOL;
    case "stringLiteral":
      e.constant = { kind: "string", value: e.value };
      return STRING;
    case "path":
      return checkPath(cx, e);
    case "typeName":
      return { kind: "typeName", type: resolveType(cx, e.typeExpression, { inferArguments: true }) };
    case "member":
      return checkMember(cx, e);
    case "index":
      return checkIndex(cx, e);
    case "slice":
      return checkSlice(cx, e);
    case "unary":
      return checkUnary(cx, e);
    case "binary":
      return checkBinary(cx, e);
    case "conditional":
      return checkConditional(cx, e, expected);
    case "cast":
      return checkCast(cx, e);
    case "call":
      return checkCall(cx, e, expected);
    case "list":
      return checkList(cx, e, expected);
    case "struct":
      return checkStruct(cx, e, expected);
    case "invalid":
      e.constant = { kind: "invalidHeader" };
      return { kind: "invalidHeader" };
    case "this":
      if (cx.thisType !== undefined) return cx.thisType;
      cx.error(
        CODES.undeclaredName,
        e.span,
        "'this' can only be used in the implementation of an abstract method",
      );
      return UNKNOWN;
    case "mask":
    case "range":
      return checkSetExpression(cx, e);
    case "default":
      return { kind: "default" };
    case "dontCare":
      return DONT_CARE;
    case "dots":
      return DONT_CARE;
  }
}

function checkPath(cx: Checker, e: PathExpression): Type {
  const scope = e.absolute ? cx.globals : cx.scope;
  const found = scope.lookup(e.name.name);
  if (found === undefined) {
    const kind = cx.matchKindByName.get(e.name.name);
    if (kind !== undefined) {
      e.declaration = kind;
      e.constant = { kind: "member", member: kind };
      return MATCH_KIND;
    }
    cx.notDeclared(e.name);
    return UNKNOWN;
  }
  const declaration = defined(found[0]);
  e.declaration = declaration;
  return nameType(cx, e, declaration);
}

function nameType(cx: Checker, e: PathExpression, declaration: Declaration): Type {
  switch (declaration.kind) {
    case "variable":
    case "parameter":
      return declaration.type ?? UNKNOWN;
    case "constant":
      if (declaration.constant !== undefined) e.constant = declaration.constant;
      return declaration.type ?? UNKNOWN;
    case "instance":
      e.constant = { kind: "instance", declaration };
      return declaration.type ?? UNKNOWN;
    case "action":
      return { kind: "action", declaration };
    case "table":
      return { kind: "table", declaration };
    case "function":
      return {
        kind: "function",
        declaration,
        params: declaration.params,
        returns: declaration.returnType?.type ?? UNKNOWN,
      };
    case "valueSet":
      return declaration.type ?? UNKNOWN;
    case "state":
      return { kind: "state" };
    case "enumMember": {
      const value = cx.enumValues.get(declaration);
      if (value !== undefined) e.constant = value;
      return cx.memberTypes.get(declaration) ?? UNKNOWN;
    }
    case "parser":
    case "control":
    case "package":
    case "extern":
      return { kind: "typeName", type: { kind: declaration.kind, declaration, args: [] } as Type };
    case "struct":
    case "header":
    case "headerUnion":
    case "enum":
    case "typedef":
    case "typeParameter":
      return { kind: "typeName", type: declaredType(cx, declaration) };
    default:
      return UNKNOWN;
  }
}

/** The type of a `{ ... }` without an expected type: a tuple of the types of its elements. */
function checkList(cx: Checker, e: ListExpression, expected: Type | undefined): Type {
  const elements = e.elements.map((element, index) => checkExpression(cx, element, slot(expected, index)));
  for (const [index, element] of e.elements.entries()) {
    if (!isObject(defined(elements[index]))) continue;
    cx.error(CODES.wrongKindOfName, element.span, "an element of a list must be a value");
    elements[index] = UNKNOWN;
  }
  const type: Type = { kind: "tuple", elements };
  if (!e.dots) {
    const constant = whole(type, e.elements);
    if (constant !== undefined) e.constant = constant;
  }
  return type;
}

function checkStruct(cx: Checker, e: StructExpression, expected: Type | undefined): Type {
  const seen = new Map<string, StructExpression["fields"][number]>();
  const fields = [];
  for (const field of e.fields) {
    const wanted =
      expected !== undefined && (expected.kind === "struct" || expected.kind === "header")
        ? expected.fields.find((candidate) => candidate.name === field.name.name)?.type
        : undefined;
    const type = checkExpression(cx, field.value, wanted);
    const first = seen.get(field.name.name);
    if (first !== undefined) cx.duplicate(field.name, first.name);
    else {
      seen.set(field.name.name, field);
      fields.push({ name: field.name.name, type: isObject(type) ? UNKNOWN : type });
    }
    if (isObject(type)) cx.error(CODES.wrongKindOfName, field.value.span, "a field must be a value");
  }
  const type: Type = { kind: "structLiteral", fields };
  if (!e.dots && fields.length === e.fields.length) {
    const constant = whole(
      type,
      e.fields.map((field) => field.value),
    );
    if (constant !== undefined) e.constant = constant;
  }
  return type;
}

/** Kinds of names in expressions that are not values and cannot be stored in a list. */
function isObject(type: Type): boolean {
  return ["typeName", "table", "action", "function", "state", "applyResult", "actionRun", "void"].includes(
    type.kind,
  );
}

function slot(expected: Type | undefined, index: number): Type | undefined {
  switch (expected?.kind) {
    case "tuple":
      return expected.elements[index];
    case "struct":
    case "header":
      return expected.fields[index]?.type;
    case "stack":
    case "list":
      return expected.element;
    default:
      return undefined;
  }
}

function whole(type: Type, parts: readonly Expression[]): ConstantValue | undefined {
  const elements: ConstantValue[] = [];
  for (const part of parts) {
    const value = constantOf(part);
    if (value === undefined) return undefined;
    elements.push(value);
  }
  return { kind: "aggregate", type, elements };
}
