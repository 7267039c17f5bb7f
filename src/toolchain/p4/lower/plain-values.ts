/** Values of any type as plain bits and back, as a register's cell holds them: the first field in the high bits. */
import type { Span } from "../../../base/index.js";
import { binary, cast, field, number } from "./build.js";
import type { Expr, ExternInstance, IrProgram, IrType, Stmt } from "./ir.js";
import { newLocal } from "./ir.js";
import { BOOL, bits, totalWidth } from "./ir-types.js";

export function toBits(value: Expr): Expr {
  const { type, span } = value;
  if (type.kind === "struct" || type.kind === "header") {
    const parts = type.fields.map((one) => toBits(field(value, one.name, span)));
    return parts.reduce((left, right) =>
      binary("++", left, right, bits(totalWidth(left.type) + totalWidth(right.type)), span),
    );
  }
  return cast(value, bits(totalWidth(type)), span);
}

/** The value of a type whose bits begin `skip` bits below the top of `source`. */
export function fromBits(source: Expr, type: IrType, skip = 0): Expr {
  const { span } = source;
  if (type.kind === "struct" || type.kind === "header") {
    let at = skip;
    const elements = type.fields.map((one) => {
      const part = fromBits(source, one.type, at);
      at += totalWidth(one.type);
      return part;
    });
    return { kind: "aggregate", elements, type, span };
  }
  const high = totalWidth(source.type) - skip - 1;
  return cast(sliceOf(source, high, high - totalWidth(type) + 1), type, span);
}

export function sliceOf(operand: Expr, high: number, low: number): Expr {
  const width = totalWidth(operand.type);
  if (low === 0 && high === width - 1) return cast(operand, bits(width), operand.span);
  return { kind: "slice", operand, high, low, type: bits(high - low + 1), span: operand.span };
}

/** 0 in all parts of a value. */
export function zero(type: IrType, span: Span | undefined): Expr {
  if (type.kind === "struct" || type.kind === "header")
    return { kind: "aggregate", elements: type.fields.map((one) => zero(one.type, span)), type, span };
  if (type.kind === "bits") return number(0n, type, span);
  if (type.kind === "bool") return { kind: "bool", value: false, type: BOOL, span };
  return cast(number(0n, bits(totalWidth(type)), span), type, span);
}

export function assign(left: Expr, right: Expr, span: Span | undefined): Stmt {
  return { kind: "assign", left, right, span };
}

export function local(program: IrProgram, name: string, type: IrType, span: Span | undefined): Expr {
  const made = newLocal(program, name, type, span);
  return { kind: "variable", variable: made, type, span };
}

/** A call of one of the primitives that the switch has. */
export function primitiveCall(
  name: string,
  instance: ExternInstance | undefined,
  args: Expr[],
  { outs = [], fields, span }: { outs?: number[]; fields?: number; span: Span | undefined },
): Stmt {
  const about = fields === undefined ? {} : { fields };
  return { kind: "extern", name, instance, args, outs, result: undefined, about, span };
}
