/** Typing of binary operators (sections 8.5 to 8.9): casts to a common type, widths, constants. */
import { CODES } from "../codes.js";
import type { BinaryExpression, Expression } from "../syntax/ast.js";
import { BOOL, bitType, intType, STRING, sameType, typeToString, UNKNOWN } from "./algebra.js";
import { type Checker, isUnknown } from "./checker.js";
import { coerce, constantOf, converts } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkExpression } from "./expressions.js";
import { type Folded, foldBinary } from "./fold.js";
import { isComparable } from "./nesting.js";
import type { Type } from "./type.js";

export function widthHint(type: Type): string[] {
  return type.kind === "integer" ? ["a literal gets a width in front: 8w5 is a bit<8>, 8s5 an int<8>"] : [];
}

/** A serialisable enum counts as its underlying type in arithmetic. */
export function numericType(type: Type): Type {
  return type.kind === "serializableEnum" ? numericType(type.underlying) : type;
}

export function isNumeric(type: Type): boolean {
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
  if (value?.kind === "problem") cx.error(CODES.constantOutOfRange, e.span, value.message);
  else e.constant = value;
}

function cannot(cx: Checker, e: Operands, left: Type, right: Type, ...notes: string[]): Type {
  cx.error(
    CODES.operandTypes,
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
export function commonType(
  e: { left: Expression; right: Expression },
  left: Type,
  right: Type,
): Type | undefined {
  if (sameType(left, right))
    return left.kind === "structLiteral" || left.kind === "invalidHeader" ? undefined : left;
  if (isLiteral(e.left) && !isLiteral(e.right) && literalFits(left, right)) return right;
  if (isLiteral(e.right) && !isLiteral(e.left) && literalFits(right, left)) return left;
  if (isLiteral(e.left) && isLiteral(e.right)) {
    // Neither side determines the struct or header type.
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

export function isLiteral(e: Expression): boolean {
  return e.kind === "list" || e.kind === "struct" || e.kind === "invalid";
}

/** Whether a `{...}` of type `literal` can be a value of `target`; `coerce` checks the details. */
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
  if (divisor?.kind === "integer" && divisor.value === 0n)
    cx.error(CODES.constantOutOfRange, e.span, "division by zero");
  else fold(cx, e, common);
  return ["<", ">", "<=", ">="].includes(e.op) ? BOOL : common;
}

/** Division is not defined on negative numbers (section 8.8). */
function negativeOperand(cx: Checker, e: Operands): boolean {
  for (const side of [e.left, e.right]) {
    const value = side.constant;
    if (value?.kind !== "integer" || value.value >= 0n) continue;
    cx.error(
      CODES.constantOutOfRange,
      e.span,
      `'${e.op}' is not defined on negative numbers, here ${value.value}`,
    );
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
      cx.error(
        CODES.constantOutOfRange,
        e.right.span,
        `cannot shift by ${amount.value} bits`,
        "shift the other way instead",
      );
      return left;
    }
    if ("width" in left && amount.value >= left.width)
      cx.warning(
        CODES.shiftByWidth,
        e.span,
        `shift by ${amount.value} of a value that has ${left.width} bits: nothing of it is left`,
      );
  } else if (left.kind === "integer" && right.kind !== "integer" && !isCompileTimeKnown(cx, e.right)) {
    cx.error(
      CODES.operandTypes,
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
