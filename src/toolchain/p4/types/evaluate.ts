/** Values of compile-time known expressions, for passes that know what constructor parameters stand for. */
import type { Declaration, Expression } from "../syntax/ast.js";
import { type Substitution, substitute } from "./algebra.js";
import { equalConstants, foldBinary, foldCast, foldSlice, foldUnary } from "./fold.js";
import type { ConstantValue, Type } from "./type.js";

export interface Environment {
  /** Values of constructor parameters, and of anything else that is fixed where the expression is used. */
  values?: ReadonlyMap<Declaration, ConstantValue>;
  /** What type parameters stand for. */
  types?: Substitution;
}

/**
 * The value of an expression after the implicit cast at its place; undefined when it is not known at compile time.
 * The expression must have been checked.
 */
export function evaluate(e: Expression, env: Environment = {}): ConstantValue | undefined {
  const value = e.constant ?? compute(e, env);
  if (value === undefined || e.implicitCast === undefined) return value;
  return foldCast(value, close(e.implicitCast, env));
}

function close(type: Type, env: Environment): Type {
  return env.types === undefined ? type : substitute(type, env.types);
}

function compute(e: Expression, env: Environment): ConstantValue | undefined {
  switch (e.kind) {
    case "path": {
      const { declaration } = e;
      if (declaration === undefined) return undefined;
      const known = env.values?.get(declaration);
      if (known !== undefined) return known;
      if (declaration.kind === "constant")
        return declaration.constant ?? evaluate(declaration.initializer, env);
      return undefined;
    }
    case "unary": {
      const operand = evaluate(e.operand, env);
      return operand === undefined ? undefined : foldUnary(e.op, operand, close(e.type!, env));
    }
    case "binary":
      return binary(e, env);
    case "conditional": {
      const condition = evaluate(e.condition, env);
      if (condition?.kind !== "bool") return undefined;
      return evaluate(condition.value ? e.whenTrue : e.whenFalse, env);
    }
    case "cast": {
      const operand = evaluate(e.operand, env);
      return operand === undefined ? undefined : foldCast(operand, close(e.type!, env));
    }
    case "slice": {
      const [base, high, low] = [e.base, e.high, e.low].map((part) => evaluate(part, env));
      if (base === undefined || high?.kind !== "integer" || low?.kind !== "integer") return undefined;
      return foldSlice(base, Number(high.value), Number(low.value));
    }
    case "index": {
      const [base, index] = [evaluate(e.base, env), evaluate(e.index, env)];
      if (base?.kind !== "aggregate" || index?.kind !== "integer") return undefined;
      return base.elements[Number(index.value)];
    }
    case "member": {
      const base = evaluate(e.base, env);
      if (base?.kind !== "aggregate" || !("fields" in base.type)) return undefined;
      return base.elements[base.type.fields.findIndex((field) => field.name === e.member.name)];
    }
    case "list":
      return whole(e.implicitCast ?? e.type!, e.elements, env);
    case "struct": {
      const type = e.implicitCast ?? e.type!;
      if (!("fields" in type)) return undefined;
      const byName = new Map(e.fields.map((field) => [field.name.name, field.value]));
      const parts = type.fields.map((field) => byName.get(field.name));
      return parts.includes(undefined) ? undefined : whole(type, parts as Expression[], env);
    }
    default:
      return undefined;
  }
}

function whole(type: Type, parts: readonly Expression[], env: Environment): ConstantValue | undefined {
  const elements: ConstantValue[] = [];
  for (const part of parts) {
    const value = evaluate(part, env);
    if (value === undefined) return undefined;
    elements.push(value);
  }
  return { kind: "aggregate", type: close(type, env), elements };
}

function binary(e: Extract<Expression, { kind: "binary" }>, env: Environment): ConstantValue | undefined {
  const left = evaluate(e.left, env);
  if (left?.kind === "bool" && (e.op === "&&" || e.op === "||") && left.value === (e.op === "||"))
    return left;
  const right = evaluate(e.right, env);
  if (left === undefined || right === undefined) return undefined;
  if (e.op === "==" || e.op === "!=")
    return { kind: "bool", value: equalConstants(left, right) === (e.op === "==") };
  const type = close(e.left.implicitCast ?? e.left.type!, env);
  const value = foldBinary(e.op, left, right, type, close(e.right.implicitCast ?? e.right.type!, env));
  return value?.kind === "problem" ? undefined : value;
}
