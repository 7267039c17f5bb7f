/** Key sets of select cases and table entries (section 8.15): each must be a set of the type of its key. */
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Expression } from "../syntax/ast.js";
import { sameType, typeToString, UNKNOWN, unwrap } from "./algebra.js";
import { type Checker, isUnknown } from "./checker.js";
import { coerce } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkExpression } from "./expressions.js";
import { coerceValue } from "./statements.js";
import type { Type } from "./type.js";

export function isEverything(e: Expression): boolean {
  return e.kind === "default" || e.kind === "dontCare";
}

/** Checks one key set against the type of its key. */
function checkKeySet(cx: Checker, e: Expression, key: Type, what: string): void {
  switch (e.kind) {
    case "default":
    case "dontCare":
      e.type = { kind: "set", element: key };
      return;
    case "mask":
    case "range": {
      const type = checkExpression(cx, e, key);
      if (type.kind !== "set" || isUnknown(key)) return;
      const [first, second] = e.kind === "mask" ? [e.value, e.mask] : [e.low, e.high];
      for (const side of [first, second])
        if (side.type?.kind !== "unknown" && !isCompileTimeKnown(cx, side))
          cx.error(CODES.maskNotConstant, side.span, "a mask or range must be known at compile time");
      const element = elementFor(type.element, key);
      if (element === undefined) {
        cx.mismatch(e.span, { kind: "set", element: key }, type, what);
        return;
      }
      if (type.element.kind === "integer") {
        coerce(cx, first, element, what);
        coerce(cx, second, element, what);
      }
      e.type = { kind: "set", element: key };
      return;
    }
    case "list": {
      if (key.kind !== "tuple" && key.kind !== "struct") {
        if (e.elements.length !== 1 || e.dots) break;
        checkKeySet(cx, defined(e.elements[0]), key, what);
        e.type = { kind: "set", element: key };
        return;
      }
      const types = key.kind === "tuple" ? key.elements : key.fields.map((field) => field.type);
      if (types.length !== e.elements.length) break;
      for (const [index, element] of e.elements.entries())
        checkKeySet(cx, element, defined(types[index]), what);
      e.type = { kind: "set", element: key };
      return;
    }
  }
  const type = checkExpression(cx, e, key);
  if (e.kind === "call" && e.constant === undefined && type.kind !== "unknown") {
    cx.error(CODES.callInWrongPlace, e.span, `${what} cannot hold a call`);
    return;
  }
  if (type.kind === "set") {
    if (!matchesValueSet(type.element, key)) cx.mismatch(e.span, { kind: "set", element: key }, type, what);
    return;
  }
  if (isUnknown(key)) return;
  const inner = unwrap(key);
  if (inner !== key && (type.kind === "integer" || sameType(type, inner))) {
    // A plain number stands for a key of a new type or an enum.
    if (coerce(cx, e, inner, what)) e.implicitCast = key;
    return;
  }
  coerceValue(cx, e, key, what);
}

/** The type that the sides of a mask or range take to be of the key's type; undefined when they cannot. */
function elementFor(element: Type, key: Type): Type | undefined {
  if (sameType(element, key)) return key;
  const under = unwrap(key);
  if (element.kind === "integer") return under.kind === "bit" || under.kind === "int" ? under : undefined;
  return sameType(unwrap(element), under) ? under : undefined;
}

/** A value set holds the key's type, a tuple or struct of several keys' types, or a struct around one key. */
function matchesValueSet(element: Type, key: Type): boolean {
  if (isUnknown(element) || isUnknown(key)) return true;
  const parts = leavesOf(element).map(unwrap);
  const keys = leavesOf(key).map(unwrap);
  return parts.length === keys.length && parts.every((part, i) => sameType(part, defined(keys[i])));
}

/** The fields of a struct or tuple, of nested ones too. */
function leavesOf(type: Type): Type[] {
  if (type.kind === "struct") return type.fields.flatMap((field) => leavesOf(field.type));
  return type.kind === "tuple" ? type.elements.flatMap(leavesOf) : [type];
}

/** Checks the key sets of one case or entry against all keys; one `_` or `default` covers them all. */
export function checkKeySets(
  cx: Checker,
  keySets: readonly Expression[],
  keys: readonly Type[],
  span: Expression["span"],
  what: string,
): void {
  if (keySets.length === 1 && keys.length !== 1) {
    const only = defined(keySets[0]);
    const all: Type = { kind: "tuple", elements: keys.slice() };
    if (isEverything(only)) {
      only.type = { kind: "set", element: all };
      return;
    }
    if (only.kind === "path" || only.kind === "list" || only.kind === "member") {
      checkKeySet(cx, only, all, what);
      return;
    }
  }
  if (keySets.length !== keys.length) {
    cx.error(
      CODES.selectKeys,
      span,
      `${what} has ${keySets.length} value${keySets.length === 1 ? "" : "s"}, ` +
        `${keys.length} ${keys.length === 1 ? "is" : "are"} matched: ${keys.map(typeToString).join(", ")}`,
    );
    for (const keySet of keySets) if (!isEverything(keySet)) checkExpression(cx, keySet);
    return;
  }
  for (const [index, keySet] of keySets.entries()) checkKeySet(cx, keySet, keys[index] ?? UNKNOWN, what);
}
