/** Compile-time values as expressions, default values (section 7.3), and conversions to a wanted type. */
import type { Span } from "../../../../base/index.js";
import { bitLength, defined, fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type { ConstantValue, Type } from "../../types/index.js";
import { bool, cast, field, number } from "../build.js";
import { fold } from "../fold.js";
import type { BitsType, Expr, IrType } from "../ir.js";
import { bits, isHeaderStack, sameType } from "../ir-types.js";
import { isPlace } from "../places.js";
import type { Env } from "./context.js";
import { irType, resolveType } from "./context.js";

/** The type of an `int` value without width: as wide as the value needs, so that it keeps it. */
function naturalBits(value: bigint): BitsType {
  return value < 0n ? bits(bitLength(-value) + 1, true) : bits(Math.max(1, bitLength(value)));
}

/** A constant of the checker as an expression of its type. */
export function constantExpr(
  env: Env,
  constant: ConstantValue,
  declared: Type | undefined,
  span: Span | undefined,
): Expr | undefined {
  const type = declared === undefined ? undefined : resolveType(env, declared);
  switch (constant.kind) {
    case "integer": {
      if (type === undefined || type.kind === "integer")
        return number(constant.value, naturalBits(constant.value), span);
      const target = irType(env, type, span);
      if (target.kind === "bits") return number(constant.value, target, span);
      return target.kind === "bool" ? bool(constant.value !== 0n, span) : undefined;
    }
    case "bool":
      return bool(constant.value, span);
    case "string":
      return { kind: "string", value: constant.value, type: { kind: "string" }, span };
    case "member": {
      if (type === undefined) return undefined;
      return memberExpr(env, constant.member.name.name, irType(env, type, span), span);
    }
    case "aggregate": {
      const target = irType(env, constant.type, span);
      if (target.kind !== "struct" && target.kind !== "header") return undefined;
      const fieldTypes = elementTypes(resolveType(env, constant.type));
      const elements = constant.elements.map((element, index) =>
        constantExpr(env, element, fieldTypes[index], span),
      );
      if (elements.some((element) => element === undefined)) return undefined;
      return { kind: "aggregate", elements: elements as Expr[], type: target, span };
    }
    case "invalidHeader": {
      if (type === undefined || (type.kind !== "header" && type.kind !== "headerUnion")) return undefined;
      return { kind: "invalid", type: irType(env, type, span), span };
    }
    case "instance":
      return undefined;
  }
}

function elementTypes(type: Type): (Type | undefined)[] {
  if (type.kind === "tuple") return type.elements;
  if (type.kind === "struct" || type.kind === "header" || type.kind === "structLiteral")
    return type.fields.map((one) => one.type);
  return [];
}

/** A member of an enum or of `error` by name. */
export function memberExpr(env: Env, name: string, type: IrType, span: Span | undefined): Expr {
  if (type.kind === "error")
    return { kind: "member", name, index: env.context.errorNames.indexOf(name), type, span };
  if (type.kind === "enum") return { kind: "member", name, index: type.members.indexOf(name), type, span };
  throw new Error(`${name} is a member of no enum`);
}

/** The value of `...`: zero, false, the first member, an invalid header, and the same for parts. */
export function defaultValue(env: Env, type: IrType, span: Span | undefined): Expr {
  switch (type.kind) {
    case "bits":
      return number(0n, type, span);
    case "bool":
      return bool(false, span);
    case "error":
      return memberExpr(env, "NoError", type, span);
    case "enum":
      return memberExpr(env, defined(type.members[0]), type, span);
    case "struct":
      return {
        kind: "aggregate",
        elements: type.fields.map((one) => defaultValue(env, one.type, span)),
        type,
        span,
      };
    case "stack":
      if (!isHeaderStack(type)) {
        const element = defaultValue(env, type.element, span);
        return { kind: "aggregate", elements: Array.from({ length: type.size }, () => element), type, span };
      }
      return { kind: "invalid", type, span };
    case "header":
    case "union":
      return { kind: "invalid", type, span };
    default:
      return fail(CODES.dotsWithoutDefault, span, `not supported yet: a default value of type ${type.kind}`);
  }
}

/** The value as one of type `target`: lists and struct literals become that struct, scalars are cast. */
export function convert(env: Env, expr: Expr, target: IrType): Expr {
  if (sameType(expr.type, target)) return expr;
  if (target.kind === "bits" || target.kind === "bool") {
    if (expr.type.kind === target.kind && target.kind === "bool") return expr;
    return fold(cast(expr, target));
  }
  if (target.kind === "struct" || target.kind === "header") {
    const source = expr.type;
    if (expr.kind === "invalid") return { ...expr, type: target };
    if (source.kind !== "struct" && source.kind !== "header") return expr;
    const parts = partsOf(expr);
    if (parts === undefined) return expr;
    // A literal with field names is matched by name, a list by position.
    const byName = source.kind === "struct" && source.name === "";
    const elements = target.fields.map((wanted, index) => {
      const from = byName ? source.fields.findIndex((one) => one.name === wanted.name) : index;
      const part = parts[from];
      return part === undefined ? defaultValue(env, wanted.type, expr.span) : convert(env, part, wanted.type);
    });
    return { kind: "aggregate", elements, type: target, span: expr.span };
  }
  if (expr.kind === "invalid") return { ...expr, type: target };
  if (target.kind === "stack" && expr.kind === "aggregate") {
    return { ...expr, type: target, elements: expr.elements.map((one) => convert(env, one, target.element)) };
  }
  return expr;
}

/** The fields of a value of struct type, one expression each. */
function partsOf(expr: Expr): Expr[] | undefined {
  if (expr.kind === "aggregate") return expr.elements;
  const type = expr.type;
  if (isPlace(expr) && (type.kind === "struct" || type.kind === "header"))
    return type.fields.map((one) => field(expr, one.name, expr.span));
  return undefined;
}

/** The number that an expression must be at compile time. */
export function constantNumber(expr: Expr, what: string): bigint {
  const folded = fold(expr);
  if (folded.kind === "number") return folded.value;
  if (folded.kind === "bool") return folded.value ? 1n : 0n;
  if (folded.kind === "member") return BigInt(folded.index);
  return fail(CODES.valueNotConstant, expr.span, `${what} must be known at compile time`);
}
