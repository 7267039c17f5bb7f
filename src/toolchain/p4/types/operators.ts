/** Typing of unary, binary, conditional, slice, index, cast and set expressions (sections 8.5 to 8.15). */
import { CODES } from "../codes.js";
import type {
  CastExpression,
  ConditionalExpression,
  MaskExpression,
  RangeExpression,
  UnaryExpression,
} from "../syntax/ast.js";
import { BOOL, sameType, typeToString, UNKNOWN, unwrap } from "./algebra.js";
import { commonType, isLiteral, isNumeric, numericType, widthHint } from "./binary.js";
import { castAllowed } from "./casts.js";
import { type Checker, isUnknown } from "./checker.js";
import { coerce, constantOf, converts } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkExpression } from "./expressions.js";
import { foldCast, foldUnary } from "./fold.js";
import type { Type } from "./type.js";
import { resolveType } from "./type-expressions.js";

export function checkUnary(cx: Checker, e: UnaryExpression): Type {
  const type = numericType(checkExpression(cx, e.operand));
  if (type.kind === "unknown") return UNKNOWN;
  if (e.op === "!" ? type.kind !== "bool" : !isNumeric(type) || (e.op === "~" && type.kind === "integer")) {
    const wants = e.op === "!" ? "bool" : e.op === "~" ? "bit<W> or int<W>" : "a number";
    cx.error(
      CODES.operandTypes,
      e.span,
      `'${e.op}' needs ${wants}, this is ${typeToString(type)}`,
      ...widthHint(type),
    );
    return UNKNOWN;
  }
  if (type !== e.operand.type) e.operand.implicitCast = type;
  const value = constantOf(e.operand);
  if (value !== undefined) e.constant = foldUnary(e.op, value, type);
  return type;
}

export function checkConditional(cx: Checker, e: ConditionalExpression, expected: Type | undefined): Type {
  const condition = checkExpression(cx, e.condition);
  coerce(cx, e.condition, BOOL, "the condition");
  const left = checkExpression(cx, e.whenTrue, expected);
  const right = checkExpression(cx, e.whenFalse, expected);
  if (condition.kind === "unknown" || isUnknown(left) || isUnknown(right)) return UNKNOWN;
  const common =
    left.kind === "integer" && right.kind === "integer"
      ? left
      : commonType({ left: e.whenTrue, right: e.whenFalse }, left, right);
  if (common === undefined) {
    cx.error(
      CODES.operandTypes,
      e.span,
      `the two values of '?:' have different types, ${typeToString(left)} and ${typeToString(right)}`,
      ...(right.kind === "bool" ? ["'?:' groups to the left: write a ? b : (c ? d : e)"] : []),
    );
    return UNKNOWN;
  }
  if (common.kind === "integer" && !isCompileTimeKnown(cx, e.condition)) {
    cx.error(
      CODES.operandTypes,
      e.span,
      "the width of '?:' is not known: both values are int literals without a width",
      ...widthHint(common),
    );
    return UNKNOWN;
  }
  if (!sameType(left, common) || isLiteral(e.whenTrue)) coerce(cx, e.whenTrue, common, "the first value");
  if (!sameType(right, common) || isLiteral(e.whenFalse)) coerce(cx, e.whenFalse, common, "the second value");
  const chosen = e.condition.constant;
  if (chosen?.kind === "bool") e.constant = constantOf(chosen.value ? e.whenTrue : e.whenFalse);
  return common;
}

export function checkCast(cx: Checker, e: CastExpression): Type {
  const target = resolveType(cx, e.target);
  const from = checkExpression(cx, e.operand, target);
  if (target.kind === "unknown" || isUnknown(from)) return target;
  if (target.kind === "void" || target.kind === "dontCare") {
    cx.error(CODES.noSuchCast, e.target.span, `no value can be cast to ${typeToString(target)}`);
    return UNKNOWN;
  }
  if (isLiteral(e.operand) || e.operand.kind === "dots") {
    coerce(cx, e.operand, target, "the value");
    e.constant = constantOf(e.operand);
    return target;
  }
  if (!castAllowed(from, target)) {
    const [a, b] = [unwrap(from), unwrap(target)];
    const both = (a.kind === "bit" && b.kind === "int") || (a.kind === "int" && b.kind === "bit");
    cx.error(
      CODES.noSuchCast,
      e.span,
      `no cast from ${typeToString(from)} to ${typeToString(target)}`,
      ...(both ? ["sign and width cannot change at once: cast twice"] : []),
    );
    return UNKNOWN;
  }
  const value = constantOf(e.operand);
  if (value !== undefined) {
    e.constant = foldCast(value, target);
    if (e.constant === undefined)
      cx.error(
        CODES.noSuchCast,
        e.span,
        `${value.kind === "integer" ? value.value : "the value"} cannot be cast to bool; only 0 and 1 can`,
      );
  }
  return target;
}

/** `value &&& mask` and `low .. high`: a set. */
export function checkSetExpression(cx: Checker, e: MaskExpression | RangeExpression): Type {
  const [first, second] = e.kind === "mask" ? [e.value, e.mask] : [e.low, e.high];
  const left = checkExpression(cx, first);
  const right = checkExpression(cx, second);
  if (isUnknown(left) || isUnknown(right)) return UNKNOWN;
  const op = e.kind === "mask" ? "&&&" : "..";
  let common: Type | undefined = sameType(left, right) ? left : undefined;
  if (common === undefined) {
    const [a, b] = [numericType(left), numericType(right)];
    if (converts(left, right)) common = right;
    else if (converts(right, left)) common = left;
    else if (sameType(a, b)) common = a;
    else if (a.kind === "integer" && isNumeric(b)) common = b;
    else if (b.kind === "integer" && isNumeric(a)) common = a;
  }
  const inner = common === undefined ? undefined : numericType(common);
  if (common === undefined || inner === undefined || !isNumeric(inner)) {
    cx.error(
      CODES.operandTypes,
      e.span,
      `'${op}' cannot be applied to ${typeToString(left)} and ${typeToString(right)}`,
      "both sides must be numbers of the same type",
    );
    return UNKNOWN;
  }
  if (common.kind !== "integer") {
    coerce(cx, first, common, "the left side");
    coerce(cx, second, common, "the right side");
  }
  return { kind: "set", element: common };
}
