/** Implicit casts (section 8.11.2): bringing an expression to the type that its place asks for. */

import type { Note } from "../../../base/index.js";
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Expression, ListExpression, StructExpression } from "../syntax/ast.js";
import { sameType, typeToString, unwrapNew } from "./algebra.js";
import { type Checker, holdsUnknown, isUnknown } from "./checker.js";
import { defaultValue } from "./default-value.js";
import { fits, foldCast, wrap } from "./fold.js";
import type { ConstantValue, StructLikeType, Type } from "./type.js";

/** Whether a value of type `from` becomes one of type `to` without being asked to. */
export function converts(from: Type, to: Type): boolean {
  if (sameType(from, to)) return true;
  if (from.kind === "unknown" || to.kind === "unknown" || to.kind === "dontCare") return true;
  switch (from.kind) {
    case "integer":
      return to.kind === "bit" || to.kind === "int";
    case "bit":
    case "int":
      return to.kind === "integer";
    case "serializableEnum":
      return converts(from.underlying, to);
    case "tuple":
      return (
        to.kind === "tuple" &&
        from.elements.length === to.elements.length &&
        from.elements.every((element, i) => converts(element, defined(to.elements[i])))
      );
    case "invalidHeader":
      return to.kind === "header" || to.kind === "headerUnion";
    case "dontCare":
      return true;
    default:
      return false;
  }
}

/**
 * Makes `expression` a value of `target`: marks implicit casts in it, or reports that there is none.
 * `what` begins the message ("the right side", "argument 'x'").
 */
export function coerce(
  cx: Checker,
  expression: Expression,
  target: Type,
  what: string,
  ...notes: (Note | string)[]
): boolean {
  const from = expression.type;
  if (from === undefined || from.kind === "unknown" || target.kind === "unknown") return true;
  if (target.kind === "dontCare" || (sameType(from, target) && !isLiteralForm(expression))) return true;
  switch (expression.kind) {
    case "list":
      return coerceList(cx, expression, target, what, notes);
    case "struct":
      return coerceStruct(cx, expression, target, what, notes);
    case "invalid":
      if (target.kind !== "header" && target.kind !== "headerUnion") break;
      expression.implicitCast = target;
      return true;
    case "dots":
      return coerceDots(cx, expression, target, what);
    case "conditional":
      if (
        from.kind !== "integer" &&
        !isLiteralForm(expression.whenTrue) &&
        !isLiteralForm(expression.whenFalse)
      )
        break;
      if (expression.constant !== undefined && from.kind === "integer") break;
      expression.implicitCast = target;
      return (
        coerce(cx, expression.whenTrue, target, what, ...notes) &&
        coerce(cx, expression.whenFalse, target, what, ...notes)
      );
  }
  if (isUnknown(from) || isUnknown(target)) return true;
  if (!converts(from, target) && !fitsObject(from, target)) {
    cx.mismatch(expression.span, target, from, what, ...notes, ...castAdvice(from, target));
    return false;
  }
  if (!converts(from, target)) return true;
  expression.implicitCast = target;
  warnIfCut(cx, expression, target);
  return true;
}

/** An object whose expected type has `_` for some of its type arguments. */
function fitsObject(from: Type, target: Type): boolean {
  if ((from.kind !== "extern" && from.kind !== "package") || target.kind !== from.kind) return false;
  if (from.declaration !== target.declaration) return false;
  return target.args.every((arg, i) => arg.kind === "dontCare" || sameType(arg, from.args[i] ?? arg));
}

function isLiteralForm(e: Expression): boolean {
  if (e.kind === "conditional") return isLiteralForm(e.whenTrue) || isLiteralForm(e.whenFalse);
  return e.kind === "list" || e.kind === "struct" || e.kind === "invalid" || e.kind === "dots";
}

/** A literal that its type cuts off. */
function warnIfCut(cx: Checker, expression: Expression, target: Type): void {
  const value = expression.constant;
  if (value?.kind !== "integer" || fits(value.value, target)) return;
  const becomes = wrap(value.value, target);
  cx.warning(
    CODES.literalCutOff,
    expression.span,
    `${value.value} does not fit in ${typeToString(target)}; it becomes ${becomes}`,
  );
}

function castAdvice(from: Type, target: Type): string[] {
  const [a, b] = [unwrapNew(from), unwrapNew(target)];
  const numeric = (t: Type) => t.kind === "bit" || t.kind === "int" || t.kind === "integer";
  if (numeric(a) && numeric(b) && (a.kind === b.kind || sameWidth(a, b) || from.kind === "integer"))
    return [`an explicit cast converts it: (${typeToString(target)})`];
  if (target.kind === "serializableEnum" && numeric(a))
    return [`an explicit cast makes it a member: (${typeToString(target)})`];
  return [];
}

function sameWidth(a: Type, b: Type): boolean {
  return "width" in a && "width" in b && a.width === b.width;
}

function coerceList(
  cx: Checker,
  list: ListExpression,
  target: Type,
  what: string,
  notes: (Note | string)[],
): boolean {
  const slots = slotsOf(target, list.elements.length);
  if (slots === undefined) {
    cx.mismatch(list.span, target, list.type!, what, ...notes);
    return false;
  }
  const wanted = slots.length;
  if (list.elements.length > wanted || (list.elements.length < wanted && !list.dots)) {
    cx.error(
      CODES.elementCount,
      list.span,
      `${what}: ${typeToString(target)} has ${wanted} ${target.kind === "stack" ? "elements" : "fields"}, ` +
        `${list.elements.length} given`,
      ...notes,
    );
    return false;
  }
  let good = true;
  for (const [index, element] of list.elements.entries()) {
    const slot = defined(slots[index]);
    const name = slot.name === undefined ? `element ${index + 1}` : `field '${slot.name}'`;
    if (!coerce(cx, element, slot.type, name)) good = false;
  }
  if (list.dots && !fillable(cx, list, slots.slice(list.elements.length), target)) good = false;
  if (!sameType(list.type!, target)) list.implicitCast = target;
  list.constant = aggregate(
    target,
    slots.map((slot, i) =>
      i < list.elements.length ? constantOf(defined(list.elements[i])) : defaultValue(cx, slot.type),
    ),
  );
  return good;
}

interface Slot {
  name: string | undefined;
  type: Type;
}

/** What the elements of a `{ ... }` become in a type; undefined when the type cannot be written so. */
function slotsOf(target: Type, count: number): Slot[] | undefined {
  switch (target.kind) {
    case "struct":
    case "header":
      return target.fields.slice();
    case "tuple":
      return target.elements.map((type) => ({ name: undefined, type }));
    case "structLiteral":
      return target.fields.slice();
    case "stack":
      return Array.from({ length: target.size }, () => ({ name: undefined, type: target.element }));
    case "list":
      return Array.from({ length: count }, () => ({ name: undefined, type: target.element }));
    default:
      return undefined;
  }
}

function fillable(cx: Checker, at: Expression, slots: Slot[], target: Type): boolean {
  for (const slot of slots) {
    if (
      slot.type.kind === "typeVariable" ||
      defaultValue(cx, slot.type) !== undefined ||
      holdsUnknown(slot.type)
    )
      continue;
    cx.error(
      CODES.noDefaultValue,
      at.span,
      `'...' cannot fill ${slot.name === undefined ? "an element" : `field '${slot.name}'`} of ` +
        `${typeToString(target)}: type ${typeToString(slot.type)} has no default value`,
    );
    return false;
  }
  return true;
}

function coerceStruct(
  cx: Checker,
  e: StructExpression,
  target: Type,
  what: string,
  notes: (Note | string)[],
): boolean {
  if (target.kind === "structLiteral" && sameType(e.type!, target)) return true;
  if (target.kind !== "struct" && target.kind !== "header") {
    cx.mismatch(e.span, target, e.type!, what, ...notes);
    return false;
  }
  let good = true;
  const values = new Map<string, Expression>();
  for (const { name, value } of e.fields) {
    const field = target.fields.find((candidate) => candidate.name === name.name);
    if (field === undefined) {
      cx.error(
        CODES.noSuchMember,
        name.span,
        `${typeToString(target)} has no field '${name.name}'`,
        ...fieldList(target),
      );
      good = false;
      continue;
    }
    values.set(name.name, value);
    if (!coerce(cx, value, field.type, `field '${name.name}'`)) good = false;
  }
  const missing = target.fields.filter((field) => !values.has(field.name));
  if (missing.length > 0 && good) {
    if (e.dots) good = fillable(cx, e, missing, target);
    else {
      const names = missing.map((field) => `'${field.name}'`).join(", ");
      cx.error(
        CODES.fieldMissing,
        e.span,
        `${what}: no value for field${missing.length > 1 ? "s" : ""} ${names} of ${typeToString(target)}`,
        "end the list with '...' to give the others their default values",
      );
      good = false;
    }
  }
  e.implicitCast = target;
  e.constant = aggregate(
    target,
    target.fields.map((field) => {
      const value = values.get(field.name);
      return value === undefined ? defaultValue(cx, field.type) : constantOf(value);
    }),
  );
  return good;
}

function fieldList(type: StructLikeType): string[] {
  return [`its fields are ${type.fields.map((field) => field.name).join(", ")}`];
}

function coerceDots(cx: Checker, e: Expression, target: Type, what: string): boolean {
  const value = defaultValue(cx, target);
  e.implicitCast = target;
  if (value !== undefined) e.constant = value;
  else if (target.kind !== "typeVariable" && !holdsUnknown(target)) {
    cx.error(CODES.noDefaultValue, e.span, `${what}: type ${typeToString(target)} has no default value`);
    return false;
  }
  return true;
}

function aggregate(type: Type, elements: (ConstantValue | undefined)[]): ConstantValue | undefined {
  if (elements.some((element) => element === undefined)) return undefined;
  return { kind: "aggregate", type, elements: elements as ConstantValue[] };
}

/** The compile-time value of an expression after the implicit cast at its place. */
export function constantOf(expression: Expression): ConstantValue | undefined {
  const { constant, implicitCast } = expression;
  if (constant === undefined || implicitCast === undefined) return constant;
  return foldCast(constant, implicitCast);
}
