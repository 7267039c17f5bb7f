/** Arithmetic on compile-time values (sections 8.5 to 8.11): one operator at a time, types given. */
import { defined, toSigned, toUnsigned } from "../../../base/index.js";
import type { BinaryOperator, UnaryExpression } from "../syntax/ast.js";
import { unwrap } from "./algebra.js";
import type { ConstantValue, Type } from "./type.js";

/** An `int` of more bits than this is not shifted or multiplied further: no program needs it. */
const MAX_INTEGER_BITS = 65536n;

export function integer(value: bigint): ConstantValue {
  return { kind: "integer", value };
}

export function boolean(value: boolean): ConstantValue {
  return { kind: "bool", value };
}

/** Brings a number into the range of a type: modulo 2^W for bit, two's complement for int, unchanged for `int`. */
export function wrap(value: bigint, type: Type): bigint {
  const inner = unwrap(type);
  if (inner.kind === "bit" || inner.kind === "varbit") return toUnsigned(value, inner.width);
  if (inner.kind === "int") return toSigned(value, inner.width);
  return value;
}

/** Whether a number is a value of the type without wrapping. */
export function fits(value: bigint, type: Type): boolean {
  return wrap(value, type) === value;
}

/** The value of a unary operation on an operand of type `type`. */
export function foldUnary(
  op: UnaryExpression["op"],
  operand: ConstantValue,
  type: Type,
): ConstantValue | undefined {
  if (op === "!") return operand.kind === "bool" ? boolean(!operand.value) : undefined;
  if (operand.kind !== "integer") return undefined;
  if (op === "+") return operand;
  return integer(wrap(op === "-" ? -operand.value : ~operand.value, type));
}

const HUGE = 1n << MAX_INTEGER_BITS;

/** Further products of such an `int` would grow without end. */
function isHuge(value: bigint): boolean {
  return value >= HUGE || value <= -HUGE;
}

/** What a folded operation can be: a value, or the reason why there is none. */
export type Folded = ConstantValue | { kind: "problem"; message: string };

function problem(message: string): Folded {
  return { kind: "problem", message };
}

/**
 * The value of a binary operation. `type` is the type of both operands after casts; for shifts that of
 * the left one; for `++` the operands' own types are `type` and `rightType`.
 */
export function foldBinary(
  op: BinaryOperator,
  left: ConstantValue,
  right: ConstantValue,
  type: Type,
  rightType: Type,
): Folded | undefined {
  if (op === "==") return boolean(equalConstants(left, right));
  if (op === "!=") return boolean(!equalConstants(left, right));
  if (left.kind === "bool" && right.kind === "bool") {
    if (op === "&&") return boolean(left.value && right.value);
    if (op === "||") return boolean(left.value || right.value);
    return undefined;
  }
  if (left.kind === "string" && right.kind === "string")
    return op === "++" ? { kind: "string", value: left.value + right.value } : undefined;
  if (left.kind !== "integer" || right.kind !== "integer") return undefined;
  const a = left.value;
  const b = right.value;
  switch (op) {
    case "+":
      return integer(wrap(a + b, type));
    case "-":
      return integer(wrap(a - b, type));
    case "*":
      if (isHuge(a) || isHuge(b)) return problem("the numbers are too large to multiply");
      return integer(wrap(a * b, type));
    case "|+|":
      return integer(saturate(a + b, type));
    case "|-|":
      return integer(saturate(a - b, type));
    case "/":
    case "%":
      if (b === 0n) return problem("division by zero");
      if (a < 0n || b < 0n) return problem("division of negative numbers is not defined");
      return integer(op === "/" ? a / b : a % b);
    case "<<":
    case ">>":
      return foldShift(op, a, b, type);
    case "<":
      return boolean(a < b);
    case ">":
      return boolean(a > b);
    case "<=":
      return boolean(a <= b);
    case ">=":
      return boolean(a >= b);
    case "&":
      return integer(wrap(a & b, type));
    case "^":
      return integer(wrap(a ^ b, type));
    case "|":
      return integer(wrap(a | b, type));
    case "++": {
      const low = unwrap(rightType);
      const high = unwrap(type);
      if (!("width" in low) || !("width" in high)) return undefined;
      const joined = (toUnsigned(a, high.width) << BigInt(low.width)) | toUnsigned(b, low.width);
      return integer(high.kind === "int" ? toSigned(joined, high.width + low.width) : joined);
    }
    default:
      return undefined;
  }
}

function foldShift(op: "<<" | ">>", value: bigint, amount: bigint, type: Type): Folded {
  if (amount < 0n) return problem(`shift by a negative amount (${amount})`);
  if (op === ">>") {
    const enough = BigInt(value.toString(2).length + 1);
    return integer(wrap(value >> (amount > enough ? enough : amount), type));
  }
  const inner = unwrap(type);
  if ("width" in inner) return integer(amount >= inner.width ? 0n : wrap(value << amount, type));
  if (amount > MAX_INTEGER_BITS || isHuge(value)) return problem(`shift of an int by ${amount} bits`);
  return integer(value << amount);
}

/** Clamped to the range of a fixed-width type (section 8.6). */
function saturate(value: bigint, type: Type): bigint {
  const inner = unwrap(type);
  if (inner.kind === "bit") {
    const top = (1n << BigInt(inner.width)) - 1n;
    return value < 0n ? 0n : value > top ? top : value;
  }
  if (inner.kind === "int") {
    const top = (1n << BigInt(inner.width - 1)) - 1n;
    return value < -top - 1n ? -top - 1n : value > top ? top : value;
  }
  return value;
}

/** `value[high:low]`. */
export function foldSlice(value: ConstantValue, high: number, low: number): ConstantValue | undefined {
  if (value.kind !== "integer") return undefined;
  return integer(toUnsigned(value.value >> BigInt(low), high - low + 1));
}

/** The value after an explicit or implicit cast to `to`. Casting 2 to bool has no value. */
export function foldCast(value: ConstantValue, to: Type): ConstantValue | undefined {
  const target = unwrap(to);
  switch (value.kind) {
    case "integer":
      if (target.kind === "bool")
        return value.value === 0n || value.value === 1n ? boolean(value.value === 1n) : undefined;
      return integer(wrap(value.value, target));
    case "bool":
      return target.kind === "bool" ? value : integer(value.value ? 1n : 0n);
    case "aggregate":
      return value.type === to ? value : { ...value, type: to };
    default:
      return value;
  }
}

/** Equality of two values of one type; an instance equals itself only. */
export function equalConstants(a: ConstantValue, b: ConstantValue): boolean {
  switch (a.kind) {
    case "integer":
    case "bool":
    case "string":
      return b.kind === a.kind && a.value === b.value;
    case "member":
      return b.kind === "member" && a.member === b.member;
    case "aggregate":
      return (
        b.kind === "aggregate" &&
        a.elements.length === b.elements.length &&
        a.elements.every((element, i) => equalConstants(element, defined(b.elements[i])))
      );
    case "invalidHeader":
      return b.kind === "invalidHeader";
    case "instance":
      return b.kind === "instance" && a.declaration === b.declaration;
  }
}

/** The value as P4 writes it, for messages. */
export function constantToString(value: ConstantValue): string {
  switch (value.kind) {
    case "integer":
    case "bool":
      return String(value.value);
    case "string":
      return JSON.stringify(value.value);
    case "member":
      return value.member.name.name;
    case "aggregate":
      return `{ ${value.elements.map(constantToString).join(", ")} }`;
    case "invalidHeader":
      return "{#}";
    case "instance":
      return value.declaration.name.name;
  }
}
