/** Typing of unary, binary, conditional, slice, index, cast and set expressions (sections 8.5 to 8.15). */
import type {
  BinaryExpression,
  CastExpression,
  ConditionalExpression,
  Expression,
  IndexExpression,
  MaskExpression,
  RangeExpression,
  SliceExpression,
  UnaryExpression,
} from "../syntax/ast.js";
import { BOOL, bitType, intType, STRING, sameType, typeToString, UNKNOWN, unwrap } from "./algebra.js";
import { castAllowed } from "./casts.js";
import { type Checker, isUnknown } from "./checker.js";
import { coerce, constantOf, converts } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkExpression } from "./expressions.js";
import { type Folded, foldBinary, foldCast, foldSlice, foldUnary } from "./fold.js";
import { isComparable } from "./nesting.js";
import type { Type } from "./type.js";
import { resolveType } from "./type-expressions.js";

export function checkUnary(cx: Checker, e: UnaryExpression): Type {
  const type = numericType(checkExpression(cx, e.operand));
  if (type.kind === "unknown") return UNKNOWN;
  if (e.op === "!" ? type.kind !== "bool" : !isNumeric(type) || (e.op === "~" && type.kind === "integer")) {
    const wants = e.op === "!" ? "bool" : e.op === "~" ? "bit<W> or int<W>" : "a number";
    cx.error("P40306", e.span, `'${e.op}' needs ${wants}, this is ${typeToString(type)}`, ...widthHint(type));
    return UNKNOWN;
  }
  if (type !== e.operand.type) e.operand.implicitCast = type;
  const value = constantOf(e.operand);
  if (value !== undefined) e.constant = foldUnary(e.op, value, type);
  return type;
}

function widthHint(type: Type): string[] {
  return type.kind === "integer" ? ["a literal gets a width in front: 8w5 is a bit<8>, 8s5 an int<8>"] : [];
}

/** A serialisable enum counts as its underlying type in arithmetic. */
function numericType(type: Type): Type {
  return type.kind === "serializableEnum" ? numericType(type.underlying) : type;
}

function isNumeric(type: Type): boolean {
  return type.kind === "bit" || type.kind === "int" || type.kind === "integer";
}

export function checkBinary(cx: Checker, e: BinaryExpression): Type {
  const left = checkExpression(cx, e.left);
  const right = checkExpression(cx, e.right);
  return binaryType(cx, e, left, right);
}

/** The type of `left op right` for checked operands; marks casts, folds constants. Also used for `left op= right`. */
export function binaryType(
  cx: Checker,
  e: Pick<BinaryExpression, "op" | "left" | "right" | "span" | "constant">,
  left: Type,
  right: Type,
): Type {
  if (isUnknown(left) || isUnknown(right)) return resultWhenUnknown(e.op);
  switch (e.op) {
    case "&&":
    case "||":
      return logical(cx, e, left, right);
    case "==":
    case "!=":
      return equality(cx, e, left, right);
    case "<<":
    case ">>":
      return shift(cx, e, left, right);
    case "++":
      return concatenation(cx, e, left, right);
    default:
      return arithmetic(cx, e, left, right);
  }
}

type Operands = Pick<BinaryExpression, "op" | "left" | "right" | "span" | "constant">;

function resultWhenUnknown(op: string): Type {
  return ["&&", "||", "==", "!=", "<", ">", "<=", ">="].includes(op) ? BOOL : UNKNOWN;
}

function fold(cx: Checker, e: Operands, type: Type, rightType: Type = type): void {
  const left = constantOf(e.left);
  const right = constantOf(e.right);
  if (e.op === "&&" || e.op === "||") {
    // The right operand is not evaluated where the left one decides.
    if (left?.kind === "bool" && left.value === (e.op === "||") && right === undefined) return;
  }
  if (left === undefined || right === undefined) return;
  const value: Folded | undefined = foldBinary(e.op, left, right, type, rightType);
  if (value?.kind === "problem") cx.error("P40332", e.span, value.message);
  else e.constant = value;
}

function cannot(cx: Checker, e: Operands, left: Type, right: Type, ...notes: string[]): Type {
  cx.error(
    "P40306",
    e.span,
    `'${e.op}' cannot be applied to ${typeToString(left)} and ${typeToString(right)}`,
    ...notes,
  );
  return UNKNOWN;
}

function logical(cx: Checker, e: Operands, left: Type, right: Type): Type {
  if (left.kind !== "bool" || right.kind !== "bool")
    return cannot(cx, e, left, right, "both sides must be bool; compare a number: x != 0");
  fold(cx, e, BOOL);
  return BOOL;
}

function equality(cx: Checker, e: Operands, left: Type, right: Type): Type {
  const common = commonType(e, left, right);
  if (common === undefined) return cannot(cx, e, left, right, "both sides must have the same type");
  if (!isComparable(common) && common.kind !== "typeVariable" && common.kind !== "invalidHeader")
    return cannot(cx, e, left, right, `values of type ${typeToString(common)} cannot be compared`);
  if (common.kind === "typeVariable")
    return cannot(cx, e, left, right, "values of a type parameter can only be assigned and passed on");
  coerce(cx, e.left, common, "the left side");
  coerce(cx, e.right, common, "the right side");
  fold(cx, e, common);
  return BOOL;
}

/** The type that both operands of a comparison or the arms of a conditional take. */
function commonType(e: { left: Expression; right: Expression }, left: Type, right: Type): Type | undefined {
  if (sameType(left, right))
    return left.kind === "structLiteral" || left.kind === "invalidHeader" ? undefined : left;
  if (isLiteral(e.left) && !isLiteral(e.right) && literalFits(left, right)) return right;
  if (isLiteral(e.right) && !isLiteral(e.left) && literalFits(right, left)) return left;
  if (isLiteral(e.left) && isLiteral(e.right)) {
    // Neither side says which struct or header is meant.
    return undefined;
  }
  if (left.kind === "serializableEnum" && right.kind === "serializableEnum") {
    const [a, b] = [numericType(left), numericType(right)];
    return sameType(a, b) ? a : undefined;
  }
  if (left.kind === "serializableEnum" && right.kind === "integer") return numericType(left);
  if (right.kind === "serializableEnum" && left.kind === "integer") return numericType(right);
  if (right.kind === "integer" && converts(right, left)) return left;
  if (converts(left, right)) return right;
  if (converts(right, left)) return left;
  return undefined;
}

function isLiteral(e: Expression): boolean {
  return e.kind === "list" || e.kind === "struct" || e.kind === "invalid";
}

/** Whether a `{...}` of type `literal` may stand for a value of `target`: the fine check is coerce's. */
function literalFits(literal: Type, target: Type): boolean {
  switch (literal.kind) {
    case "tuple":
      return ["tuple", "struct", "header", "stack", "list"].includes(target.kind);
    case "structLiteral":
      return target.kind === "struct" || target.kind === "header";
    case "invalidHeader":
      return target.kind === "header" || target.kind === "headerUnion";
    default:
      return false;
  }
}

function arithmetic(cx: Checker, e: Operands, leftType: Type, rightType: Type): Type {
  const left = numericType(leftType);
  const right = numericType(rightType);
  if (!isNumeric(left) || !isNumeric(right)) {
    const odd = isNumeric(left) ? right : left;
    const advice =
      odd.kind === "newType"
        ? [
            `${typeToString(odd)} is a type of its own: cast it to ${typeToString(odd.underlying)} for arithmetic`,
          ]
        : [];
    return cannot(cx, e, leftType, rightType, ...advice);
  }
  const common =
    left.kind === "integer"
      ? right
      : right.kind === "integer"
        ? left
        : sameType(left, right)
          ? left
          : undefined;
  if (common === undefined) {
    const advice =
      left.kind === right.kind
        ? "both sides must have the same width: cast one of them"
        : "one side is signed, the other is not: cast one of them";
    return cannot(cx, e, leftType, rightType, advice);
  }
  if (common.kind === "integer" && (e.op === "|+|" || e.op === "|-|"))
    return cannot(cx, e, leftType, rightType, ...widthHint(common));
  if (common.kind === "int" && (e.op === "/" || e.op === "%"))
    return cannot(cx, e, leftType, rightType, "division of signed numbers is not defined");
  const divides = e.op === "/" || e.op === "%";
  if (divides && negativeOperand(cx, e)) return common;
  coerce(cx, e.left, common, "the left side");
  coerce(cx, e.right, common, "the right side");
  const divisor = divides ? constantOf(e.right) : undefined;
  if (divisor?.kind === "integer" && divisor.value === 0n) cx.error("P40332", e.span, "division by zero");
  else fold(cx, e, common);
  return ["<", ">", "<=", ">="].includes(e.op) ? BOOL : common;
}

/** Division is not defined on negative numbers (section 8.8). */
function negativeOperand(cx: Checker, e: Operands): boolean {
  for (const side of [e.left, e.right]) {
    const value = side.constant;
    if (value?.kind !== "integer" || value.value >= 0n) continue;
    cx.error("P40332", e.span, `'${e.op}' is not defined on negative numbers, here ${value.value}`);
    return true;
  }
  return false;
}

function shift(cx: Checker, e: Operands, leftType: Type, rightType: Type): Type {
  const left = numericType(leftType);
  const right = numericType(rightType);
  if (!isNumeric(left) || !isNumeric(right)) return cannot(cx, e, leftType, rightType);
  if (left !== leftType) e.left.implicitCast = left;
  if (right !== rightType) e.right.implicitCast = right;
  const amount = constantOf(e.right);
  if (right.kind === "int" && amount === undefined)
    return cannot(cx, e, leftType, rightType, "the number of bits to shift by must be unsigned");
  if (amount?.kind === "integer") {
    if (amount.value < 0n) {
      cx.error("P40332", e.right.span, `cannot shift by ${amount.value} bits`, "shift the other way instead");
      return left;
    }
    if ("width" in left && amount.value >= left.width)
      cx.warning(
        "P40602",
        e.span,
        `shift by ${amount.value} of a value that has ${left.width} bits: nothing of it is left`,
      );
  } else if (left.kind === "integer" && right.kind !== "integer" && !isCompileTimeKnown(cx, e.right)) {
    cx.error(
      "P40306",
      e.span,
      `the width of '${e.op}' is not known: an int is shifted by a value known only at run time`,
      "give the left side a width, as in 32w1 << x",
    );
    return UNKNOWN;
  }
  fold(cx, e, left);
  return left;
}

function concatenation(cx: Checker, e: Operands, leftType: Type, rightType: Type): Type {
  const left = numericType(leftType);
  const right = numericType(rightType);
  if (left.kind === "string" && right.kind === "string") {
    fold(cx, e, STRING);
    return STRING;
  }
  const ok = (type: Type) => type.kind === "bit" || type.kind === "int";
  if (!ok(left) || !ok(right)) {
    const odd = ok(left) ? right : left;
    return cannot(cx, e, leftType, rightType, ...widthHint(odd));
  }
  if (left !== leftType) e.left.implicitCast = left;
  if (right !== rightType) e.right.implicitCast = right;
  fold(cx, e, left, right);
  const width = (left as { width: number }).width + (right as { width: number }).width;
  return left.kind === "bit" ? bitType(width) : intType(width);
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
      "P40306",
      e.span,
      `the two values of '?:' have different types, ${typeToString(left)} and ${typeToString(right)}`,
    );
    return UNKNOWN;
  }
  if (common.kind === "integer" && !isCompileTimeKnown(cx, e.condition)) {
    cx.error(
      "P40306",
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

export function checkSlice(cx: Checker, e: SliceExpression): Type {
  const base = checkExpression(cx, e.base);
  const highType = checkExpression(cx, e.high);
  const lowType = checkExpression(cx, e.low);
  if (e.width !== undefined) checkExpression(cx, e.width);
  const type = numericType(base);
  if (type.kind === "unknown" || highType.kind === "unknown" || lowType.kind === "unknown") return UNKNOWN;
  if (type.kind !== "bit" && type.kind !== "int") {
    cx.error(
      "P40306",
      e.base.span,
      `a slice [high:low] needs bit<W> or int<W>, this is ${typeToString(base)}`,
    );
    return UNKNOWN;
  }
  if (type !== base) e.base.implicitCast = type;
  if (e.width !== undefined && e.low.constant === undefined) return movingSlice(cx, e, type.width);
  const high = sliceBound(cx, e.high, "upper");
  const low = sliceBound(cx, e.low, "lower");
  if (high === undefined || low === undefined) return UNKNOWN;
  if (low < 0n || high < low || high >= BigInt(type.width)) {
    const why =
      high < low ? "the upper bound is less than the lower one" : `the value has bits 0 to ${type.width - 1}`;
    cx.error("P40332", e.span, `the slice [${high}:${low}] is not inside ${typeToString(type)}`, why);
    return UNKNOWN;
  }
  const value = constantOf(e.base);
  if (value !== undefined) e.constant = foldSlice(value, Number(high), Number(low));
  return bitType(Number(high - low) + 1);
}

/** `x[low+:width]` where only the width is known at compile time. */
function movingSlice(cx: Checker, e: SliceExpression, available: number): Type {
  const width = e.width!.constant;
  const low = numericType(e.low.type!);
  if (width?.kind !== "integer") {
    cx.error("P40308", e.width!.span, "the width of a slice must be known at compile time");
    return UNKNOWN;
  }
  if (low.kind !== "bit") {
    cx.error(
      "P40306",
      e.low.span,
      `the start of a slice must be bit<W>, this is ${typeToString(e.low.type!)}`,
    );
    return UNKNOWN;
  }
  if (width.value < 1n || width.value > BigInt(available)) {
    cx.error(
      "P40332",
      e.width!.span,
      `a slice of ${width.value} bits does not lie in a value of ${available} bits`,
    );
    return UNKNOWN;
  }
  if (low !== e.low.type) e.low.implicitCast = low;
  return bitType(Number(width.value));
}

function sliceBound(cx: Checker, e: Expression, which: string): bigint | undefined {
  const value = e.constant;
  if (value?.kind === "integer") return value.value;
  if (!isUnknown(e.type!))
    cx.error("P40308", e.span, `the ${which} bound of a slice must be a number known at compile time`);
  return undefined;
}

export function checkIndex(cx: Checker, e: IndexExpression): Type {
  const base = checkExpression(cx, e.base);
  const indexType = numericType(checkExpression(cx, e.index));
  if (isUnknown(base) && base.kind !== "tuple") return UNKNOWN;
  if (base.kind !== "stack" && base.kind !== "tuple") {
    cx.error("P40306", e.base.span, `only stacks and tuples have elements, this is ${typeToString(base)}`);
    return UNKNOWN;
  }
  const count = base.kind === "stack" ? base.size : base.elements.length;
  if (indexType.kind === "unknown") return base.kind === "stack" ? base.element : UNKNOWN;
  if (!isNumeric(indexType)) {
    cx.error("P40306", e.index.span, `an index must be a number, this is ${typeToString(e.index.type!)}`);
    return UNKNOWN;
  }
  if (indexType !== e.index.type) e.index.implicitCast = indexType;
  const index = constantOf(e.index);
  if (index?.kind === "integer" && (index.value < 0n || index.value >= BigInt(count))) {
    cx.error(
      "P40332",
      e.index.span,
      `index ${index.value} is outside of ${typeToString(base)}`,
      count === 0 ? "it has no elements" : `its elements are 0 to ${count - 1}`,
    );
    return base.kind === "stack" ? base.element : UNKNOWN;
  }
  const whole = constantOf(e.base);
  if (whole?.kind === "aggregate" && index?.kind === "integer")
    e.constant = whole.elements[Number(index.value)];
  if (base.kind === "stack") return base.element;
  if (index?.kind === "integer") return base.elements[Number(index.value)]!;
  cx.error("P40308", e.index.span, "the index into a tuple must be known at compile time");
  return UNKNOWN;
}

export function checkCast(cx: Checker, e: CastExpression): Type {
  const target = resolveType(cx, e.target);
  const from = checkExpression(cx, e.operand, target);
  if (target.kind === "unknown" || isUnknown(from)) return target;
  if (target.kind === "void" || target.kind === "dontCare") {
    cx.error("P40307", e.target.span, `no value can be cast to ${typeToString(target)}`);
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
      "P40307",
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
        "P40307",
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
      "P40306",
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
