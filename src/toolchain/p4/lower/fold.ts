/** Constant folding and the identities that keep hidden conditions short; semantics of P4-16 section 8. */
import { compareNumbers, toUnsigned } from "../../../base/index.js";
import { binary, bool, cast, not, number } from "./build.js";
import type { BinaryOp, BitsType, Expr, ExprOf } from "./ir.js";
import { bits } from "./ir-types.js";
import { mapExpr } from "./walk.js";

/** The expression with everything computed that can be; its type stays. */
export function fold(expr: Expr): Expr {
  return mapExpr(expr, foldStep);
}

/** `bit<0>`: the value is 0, and BMv2 has no place for it. */
export function isZeroWidth(expr: Expr): boolean {
  return expr.type.kind === "bits" && expr.type.width === 0;
}

function foldStep(expr: Expr): Expr {
  if (expr.type.kind === "bits" && isZeroWidth(expr)) return number(0n, expr.type, expr.span);
  switch (expr.kind) {
    case "unary":
      return foldUnary(expr);
    case "binary":
      return foldBinary(expr);
    case "cast":
      return foldCast(expr);
    case "slice":
      return foldSlice(expr);
    case "conditional":
      if (expr.condition.kind === "bool") return expr.condition.value ? expr.whenTrue : expr.whenFalse;
      return expr;
    case "field":
      // A field of a value that was just built.
      if (expr.base.kind === "aggregate") {
        const type = expr.base.type;
        if (type.kind === "struct" || type.kind === "header")
          return expr.base.elements[type.fields.findIndex((field) => field.name === expr.name)] ?? expr;
      }
      return expr;
    default:
      return expr;
  }
}

function foldUnary(expr: ExprOf<"unary">): Expr {
  const operand = expr.operand;
  if (expr.op === "!") {
    if (operand.kind === "bool") return bool(!operand.value, expr.span);
    if (operand.kind === "unary") return operand.operand;
    return expr;
  }
  if (operand.kind !== "number") return expr;
  return number(expr.op === "-" ? -operand.value : ~operand.value, operand.type, expr.span);
}

function foldCast(expr: ExprOf<"cast">): Expr {
  const { operand, type } = expr;
  if (type.kind === "bits") {
    if (operand.kind === "number") return number(operand.value, type, expr.span);
    if (operand.kind === "bool") return number(operand.value ? 1n : 0n, type, expr.span);
    if (operand.kind === "member") return number(BigInt(operand.index), type, expr.span);
    if (operand.type.kind === "bits" && sameBits(operand.type, type)) return operand;
  }
  if (type.kind === "bool") {
    if (operand.kind === "number") return bool(operand.value !== 0n, expr.span);
    if (operand.type.kind === "bool") return operand;
  }
  return expr;
}

function sameBits(a: BitsType, b: BitsType): boolean {
  return a.width === b.width && a.signed === b.signed;
}

function foldSlice(expr: ExprOf<"slice">): Expr {
  const { operand, high, low } = expr;
  if (expr.type.kind !== "bits") return expr;
  if (operand.kind === "number") return number(operand.value >> BigInt(low), expr.type, expr.span);
  if (operand.kind === "slice")
    return sliceOf(operand.operand, high + operand.low, low + operand.low, expr.span);
  if (low === 0 && operand.type.kind === "bits" && !operand.type.signed && high === operand.type.width - 1)
    return operand;
  if (operand.kind === "cast") return foldSliceOfCast(expr, operand);
  if (operand.kind === "binary" && operand.op === "++") return foldSliceOfJoined(expr, operand);
  return expr;
}

function sliceOf(operand: Expr, high: number, low: number, span: Expr["span"]): Expr {
  return foldSlice({ kind: "slice", operand, high, low, type: bits(high - low + 1), span });
}

/** Bits of a cast are those of its operand; above them, zeros where the operand has no sign. */
function foldSliceOfCast(expr: ExprOf<"slice">, { operand }: ExprOf<"cast">): Expr {
  const { high, low, span } = expr;
  const from = operand.type;
  if (expr.type.kind !== "bits" || from.kind !== "bits") return expr;
  if (high < from.width) return sliceOf(operand, high, low, span);
  if (from.signed) return expr;
  if (low >= from.width) return canFail(operand) ? expr : number(0n, expr.type, span);
  return foldCast(cast(sliceOf(operand, from.width - 1, low, span), expr.type, span) as ExprOf<"cast">);
}

/** Bits of a concatenation are those of one side, or a concatenation of parts of both. */
function foldSliceOfJoined(expr: ExprOf<"slice">, { left, right }: ExprOf<"binary">): Expr {
  const { high, low, span } = expr;
  if (left.type.kind !== "bits" || right.type.kind !== "bits" || expr.type.kind !== "bits") return expr;
  const { width } = right.type;
  if (high < width) return canFail(left) ? expr : sliceOf(right, high, low, span);
  if (low >= width) return canFail(right) ? expr : sliceOf(left, high - width, low - width, span);
  const parts = [sliceOf(left, high - width, 0, span), sliceOf(right, width - 1, low, span)] as const;
  return foldBinary(binary("++", ...parts, expr.type, span) as ExprOf<"binary">);
}

/** Where it is evaluated, a packet can be refused: past the packet's end, outside an array, by zero. */
function canFail(expr: Expr): boolean {
  let fails = false;
  mapExpr(expr, (part) => {
    fails ||= part.kind === "lookahead" || part.kind === "stackProperty" || part.kind === "element";
    fails ||= part.kind === "binary" && (part.op === "/" || part.op === "%");
    return part;
  });
  return fails;
}

function foldBinary(expr: ExprOf<"binary">): Expr {
  const { op, left, right } = expr;
  if (op === "&&" || op === "||") return foldLogic(expr);
  if (left.kind === "number" && right.kind === "number") return foldNumbers(expr, left, right);
  if (op === "==" || op === "!=") {
    const same = sameConstant(left, right);
    if (same !== undefined) return bool(same === (op === "=="), expr.span);
    if (right.kind === "bool") return right.value === (op === "==") ? left : not(left, expr.span);
    if (left.kind === "bool") return left.value === (op === "==") ? right : not(right, expr.span);
  }
  return foldNeutral(expr);
}

function foldLogic(expr: ExprOf<"binary">): Expr {
  const { op, left, right } = expr;
  // The value that decides: false for &&, true for ||.
  const decisive = op === "||";
  if (left.kind === "bool") return left.value === decisive ? left : right;
  if (right.kind === "bool" && right.value !== decisive) return left;
  return expr;
}

/** Whether two constants without number are the same; undefined when one is no constant. */
function sameConstant(left: Expr, right: Expr): boolean | undefined {
  if (left.kind === "bool" && right.kind === "bool") return left.value === right.value;
  if (left.kind === "member" && right.kind === "member") return left.index === right.index;
  return undefined;
}

/** x + 0, x & all ones, x * 1, x << 0 and their like. */
function foldNeutral(expr: ExprOf<"binary">): Expr {
  const { op, left, right, type } = expr;
  if (type.kind !== "bits") return expr;
  const zero = (side: Expr): boolean => side.kind === "number" && side.value === 0n;
  switch (op) {
    case "+":
    case "|":
    case "^":
      if (zero(left)) return right;
      return zero(right) ? left : expr;
    case "-":
    case "<<":
    case ">>":
    case "|-|":
      return zero(right) ? left : expr;
    case "|+|":
      if (zero(left)) return right;
      return zero(right) ? left : expr;
    case "&": {
      const ones = (side: Expr): boolean =>
        side.kind === "number" && toUnsigned(side.value, type.width) === toUnsigned(-1n, type.width);
      if (ones(left)) return right;
      return ones(right) ? left : expr;
    }
    case "*":
    case "/":
      if (right.kind === "number" && right.value === 1n) return left;
      return op === "*" && left.kind === "number" && left.value === 1n ? right : expr;
    default:
      return expr;
  }
}

function foldNumbers(expr: ExprOf<"binary">, left: ExprOf<"number">, right: ExprOf<"number">): Expr {
  const a = left.value;
  const b = right.value;
  const compared = compareNumbers(expr.op, a, b);
  if (compared !== undefined) return bool(compared, expr.span);
  if (expr.type.kind !== "bits") return expr;
  if (expr.op === "++") {
    const joined =
      (toUnsigned(a, left.type.width) << BigInt(right.type.width)) | toUnsigned(b, right.type.width);
    return number(joined, expr.type, expr.span);
  }
  const value = computeNumbers(expr.op, a, b, expr.type);
  return value === undefined ? expr : number(value, expr.type, expr.span);
}

function computeNumbers(op: BinaryOp, a: bigint, b: bigint, type: BitsType): bigint | undefined {
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return b === 0n ? undefined : a / b;
    case "%":
      return b === 0n ? undefined : a % b;
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "<<":
      return b >= BigInt(type.width) ? 0n : a << b;
    case ">>":
      if (b < BigInt(type.width)) return a >> b;
      return a < 0n ? -1n : 0n;
    case "|+|":
      return saturate(a + b, type);
    case "|-|":
      return saturate(a - b, type);
    default:
      return undefined;
  }
}

function saturate(value: bigint, type: BitsType): bigint {
  const bitsOf = BigInt(type.width);
  const high = type.signed ? (1n << (bitsOf - 1n)) - 1n : (1n << bitsOf) - 1n;
  const low = type.signed ? -(1n << (bitsOf - 1n)) : 0n;
  if (value > high) return high;
  return value < low ? low : value;
}

/** The bits of the number as a number without sign. */
export function unsignedValue(expr: ExprOf<"number">): bigint {
  return toUnsigned(expr.value, expr.type.width);
}
