/** Short constructors for expressions of the lowered program. */
import type { Span } from "../../../base/index.js";
import { toSigned, toUnsigned } from "../../../base/index.js";
import type { BinaryOp, BitsType, Expr, ExternInstance, IrType, Variable } from "./ir.js";
import { BOOL, bits, fieldOf, sameType } from "./ir-types.js";

/** A number reduced to its type. */
export function number(value: bigint, type: BitsType, span?: Span): Expr {
  const reduced = type.signed ? toSigned(value, type.width) : toUnsigned(value, type.width);
  return { kind: "number", value: reduced, type, span };
}

export function bool(value: boolean, span?: Span): Expr {
  return { kind: "bool", value, type: BOOL, span };
}

export function variable(v: Variable, span?: Span): Expr {
  return { kind: "variable", variable: v, type: v.type, span };
}

export function field(base: Expr, name: string, span?: Span): Expr {
  return { kind: "field", base, name, type: fieldOf(base.type, name).type, span: span ?? base.span };
}

export function element(base: Expr, index: Expr, span?: Span): Expr {
  if (base.type.kind !== "stack") throw new Error("index into something that is no stack");
  return { kind: "element", base, index, type: base.type.element, span: span ?? base.span };
}

/** Element number `index` of a stack. */
export function elementAt(base: Expr, index: number, span?: Span): Expr {
  return element(base, number(BigInt(index), bits(32)), span);
}

export function valid(header: Expr, span?: Span): Expr {
  return { kind: "valid", header, type: BOOL, span: span ?? header.span };
}

export function not(operand: Expr, span?: Span): Expr {
  return { kind: "unary", op: "!", operand, type: BOOL, span: span ?? operand.span };
}

export function and(left: Expr, right: Expr, span?: Span): Expr {
  return { kind: "binary", op: "&&", left, right, type: BOOL, span };
}

export function or(left: Expr, right: Expr, span?: Span): Expr {
  return { kind: "binary", op: "||", left, right, type: BOOL, span };
}

export function binary(op: BinaryOp, left: Expr, right: Expr, type: IrType, span?: Span): Expr {
  return { kind: "binary", op, left, right, type, span };
}

export function equal(left: Expr, right: Expr, span?: Span): Expr {
  return { kind: "binary", op: "==", left, right, type: BOOL, span };
}

/** A cast, or the operand itself when it has the type already. */
export function cast(operand: Expr, type: IrType, span?: Span): Expr {
  if (sameType(operand.type, type)) return operand;
  return { kind: "cast", operand, type, span: span ?? operand.span };
}

/** An instance as a value. */
export function instanceExpr(instance: ExternInstance, span?: Span): Expr {
  return { kind: "instance", instance, type: { kind: "extern", name: instance.extern }, span };
}
