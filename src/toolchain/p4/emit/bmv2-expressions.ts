/**
 * Expressions for BMv2. It computes with integers of any size, so results are cut to their width where P4 does
 * (`&` for bit<W>, `two_comp_mod` for int<W>); it keeps numbers and truth values apart (`d2b`, `b2d`).
 */

import { fail, maskOf } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import type { BitsType, Expr, ExprOf, Variable } from "../lower/ir.js";
import { fault } from "../lower/ir.js";
import { scalarWidth } from "../lower/ir-types.js";
import { isPlace } from "../lower/places.js";
import type { Layout } from "./layout.js";

type Value = bmv2.Value;

/** A number as p4c writes it: hexadecimal digits for whole bytes; without a width, the fewest digits that hold the value. */
export function hex(value: bigint, width?: number): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString(16);
  const padded = width === undefined ? digits : digits.padStart(2 * Math.ceil(width / 8), "0");
  return `${negative ? "-" : ""}0x${padded}`;
}

export function hexValue(value: bigint, width?: number): Value {
  return { type: "hexstr", value: hex(value, width) };
}

function operation(op: bmv2.BinaryOp | bmv2.UnaryOp, left: Value | null, right: Value): Value {
  return { type: "expression", value: { op, left, right } };
}

export class ExpressionEmitter {
  /** Positions of the parameters of the action that is being converted. */
  #params: readonly Variable[] = [];

  constructor(readonly layout: Layout) {}

  withParams<T>(params: readonly Variable[], part: () => T): T {
    const before = this.#params;
    this.#params = params;
    try {
      return part();
    } finally {
      this.#params = before;
    }
  }

  /** A number, as an operand or inside an expression. */
  number(expr: Expr): Value {
    if (expr.type.kind === "bool" && !isPlace(expr)) return operation("b2d", null, this.truth(expr));
    switch (expr.kind) {
      case "number":
        return hexValue(expr.value, expr.type.width);
      case "member":
        return hexValue(BigInt(expr.index));
      case "variable":
      case "field":
      case "element":
        return this.#placeValue(expr);
      case "stackProperty":
        return operation("last_stack_index", null, {
          type: "header_stack",
          value: this.layout.instance(expr.base),
        });
      case "unary":
        return this.#unary(expr);
      case "binary":
        return this.#binary(expr);
      case "cast":
        return this.#cast(expr);
      case "conditional":
        return {
          type: "expression",
          value: {
            op: "?",
            cond: this.truth(expr.condition),
            left: this.number(expr.whenTrue),
            right: this.number(expr.whenFalse),
          },
        };
      case "string":
        return { type: "string", value: expr.value };
      default:
        return fail(
          CODES.operationNotInBmv2,
          expr.span,
          `not supported yet: ${expr.kind} in an expression on BMv2`,
        );
    }
  }

  /** A truth value. */
  truth(expr: Expr): Value {
    switch (expr.kind) {
      case "bool":
        return { type: "bool", value: expr.value };
      case "valid":
        return operation("d2b", null, {
          type: "field",
          value: [this.layout.instance(expr.header), "$valid$"],
        });
      case "unary":
        return operation("not", null, this.truth(expr.operand));
      case "binary": {
        if (expr.op === "&&" || expr.op === "||")
          return operation(expr.op === "&&" ? "and" : "or", this.truth(expr.left), this.truth(expr.right));
        return this.#compare(expr);
      }
      case "conditional": {
        // BMv2's conditional operator chooses between numbers.
        const chosen: Value = {
          type: "expression",
          value: {
            op: "?",
            cond: this.truth(expr.condition),
            left: this.number(expr.whenTrue),
            right: this.number(expr.whenFalse),
          },
        };
        return operation("d2b", null, chosen);
      }
      case "cast":
        return operation("d2b", null, this.number(expr.operand));
      default:
        return operation("d2b", null, this.number(expr));
    }
  }

  /** A parameter of a primitive. A value that is not a field or constant is wrapped as an expression. */
  parameter(expr: Expr): Value {
    if (expr.kind === "variable" && expr.variable.role === "parameter")
      return { type: "runtime_data", value: this.#paramIndex(expr.variable) };
    const value = this.number(expr);
    if (value.type === "field" || value.type === "hexstr" || value.type === "string") return value;
    return { type: "expression", value };
  }

  #paramIndex(variable: Variable): number {
    const index = this.#params.indexOf(variable);
    if (index < 0) throw new Error(`${variable.name} is no parameter of this action`);
    return index;
  }

  #placeValue(expr: Expr): Value {
    if (expr.kind === "variable" && expr.variable.role === "parameter")
      return { type: "local", value: this.#paramIndex(expr.variable) };
    if (expr.kind === "field" && expr.base.kind === "stackProperty")
      return this.#lastField(expr.base, expr.name);
    const member = expr.kind === "field" ? expr.base : undefined;
    if (expr.kind === "field" && member?.kind === "field" && member.base.kind === "stackProperty")
      return this.#lastMemberField(member.base, member.name, expr.name);
    return { type: "field", value: this.layout.field(expr) };
  }

  /** `stack.last.f`. */
  #lastField(base: ExprOf<"stackProperty">, name: string): Value {
    this.#checkLast(base);
    return { type: "stack_field", value: [this.layout.instance(base.base), name] };
  }

  #checkLast(base: ExprOf<"stackProperty">): void {
    if (base.property !== "last")
      fail(
        CODES.nextOrLast,
        base.span,
        "BMv2 cannot read the element that next names",
        "extract it first and read last",
      );
  }

  /** `stack.last.member.f` of a stack of unions. */
  #lastMemberField(base: ExprOf<"stackProperty">, member: string, name: string): Value {
    this.#checkLast(base);
    return { type: "union_stack_field", value: [this.layout.instance(base.base), member, name] };
  }

  #cut(value: Value, type: BitsType): Value {
    if (type.signed) return operation("two_comp_mod", value, hexValue(BigInt(type.width)));
    return operation("&", value, hexValue(maskOf(type.width), type.width));
  }

  #unary(expr: ExprOf<"unary">): Value {
    const type = bitsOf(expr);
    const operand = this.number(expr.operand);
    if (expr.op === "~") return this.#cut(operation("~", null, operand), type);
    return this.#cut(operation("-", hexValue(0n, type.width), operand), type);
  }

  #binary(expr: ExprOf<"binary">): Value {
    const type = bitsOf(expr);
    const left = this.number(expr.left);
    const right = this.number(expr.right);
    switch (expr.op) {
      case "+":
      case "-":
      case "*":
      case "<<":
        return this.#cut(operation(expr.op, left, right), type);
      case ">>":
        // A right shift only makes a value smaller.
        return operation(">>", left, right);
      case "/":
      case "%":
        if (type.signed) fault(expr.span, `P4 has no ${expr.op} for signed numbers`);
        return operation(expr.op, left, right);
      case "&":
      case "|":
      case "^":
        return operation(expr.op, left, right);
      case "|+|":
      case "|-|":
        return operation(
          type.signed ? "sat_cast" : "usat_cast",
          operation(expr.op === "|+|" ? "+" : "-", left, right),
          hexValue(BigInt(type.width)),
        );
      default:
        return fail(
          CODES.operationNotInBmv2,
          expr.span,
          `not supported yet: the operator ${expr.op} on BMv2`,
        );
    }
  }

  #compare(expr: ExprOf<"binary">): Value {
    const op = expr.op as "==" | "!=" | "<" | "<=" | ">" | ">=";
    return operation(op, this.number(expr.left), this.number(expr.right));
  }

  #cast(expr: ExprOf<"cast">): Value {
    const { operand, type } = expr;
    const value = this.number(operand);
    if (type.kind !== "bits") return value;
    const from = operand.type;
    if (from.kind !== "bits") {
      // A bool or an enum as bits; BMv2 holds it as a number already.
      return (scalarWidth(from) ?? 0) > type.width || type.signed ? this.#cut(value, type) : value;
    }
    if (from.signed === type.signed && from.width <= type.width) return value;
    if (type.signed && !from.signed && from.width < type.width) return value;
    return this.#cut(value, type);
  }
}

function bitsOf(expr: Expr): BitsType {
  if (expr.type.kind !== "bits")
    fail(CODES.operationNotInBmv2, expr.span, `not supported yet: arithmetic on ${expr.type.kind}`);
  return expr.type;
}
