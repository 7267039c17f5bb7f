/** Expressions: names become storage, calls become statements before the expression (section 8.1). */

import { defined, fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type {
  BinaryExpression,
  ConditionalExpression,
  Expression,
  ListExpression,
  MemberExpression,
  PathExpression,
  StructExpression,
} from "../../syntax/ast.js";
import { binary, cast, element, field, number, variable } from "../build.js";
import { fold } from "../fold.js";
import type { BinaryOp, Expr, IrType, Stmt } from "../ir.js";
import { fault, known } from "../ir.js";
import { BOOL, bits, isAggregate, sameType } from "../ir-types.js";
import { isFixedPlace } from "../places.js";
import { callExpression } from "./calls.js";
import { constantExpr, constantNumber, convert, defaultValue, memberExpr } from "./constants.js";
import type { Env } from "./context.js";
import { collect, emit, inOrder, irType, placeOperand, saveValue, valueOperand } from "./context.js";
import { applyResult } from "./tables.js";

/** The value of an expression, implicit casts included. Statements that compute it go to `env.out`. */
export function expression(env: Env, e: Expression): Expr {
  const value = plainValue(env, e);
  return e.implicitCast === undefined ? value : convert(env, value, irType(env, e.implicitCast, e.span));
}

/** The value converted to the given type, or unchanged if the type is undefined. */
export function expressionAs(env: Env, e: Expression, type: IrType | undefined): Expr {
  if (e.kind === "dots" && type !== undefined) return defaultValue(env, type, e.span);
  const value = expression(env, e);
  return type === undefined ? value : convert(env, value, type);
}

function plainValue(env: Env, e: Expression): Expr {
  if (e.constant !== undefined) {
    const constant = constantExpr(env, e.constant, e.type, e.span);
    if (constant !== undefined) return constant;
  }
  switch (e.kind) {
    case "stringLiteral":
      return { kind: "string", value: e.value, type: { kind: "string" }, span: e.span };
    case "path":
      return pathValue(env, e);
    case "member":
      return memberValue(env, e);
    case "index": {
      const [base, index] = inOrder(env, [
        placeOperand((inner) => expression(inner, e.base)),
        valueOperand((inner) => expression(inner, e.index)),
      ]);
      return indexInto(env, base!, index!, e);
    }
    case "slice": {
      const operand = expression(env, e.base);
      const high = Number(constantNumber(expression(env, e.high), "the bounds of a slice"));
      const low = Number(constantNumber(expression(env, e.low), "the bounds of a slice"));
      return fold({ kind: "slice", operand, high, low, type: bits(high - low + 1), span: e.span });
    }
    case "unary": {
      const operand = expression(env, e.operand);
      if (e.op === "+") return operand;
      return fold({ kind: "unary", op: e.op, operand, type: operand.type, span: e.span });
    }
    case "binary":
      return binaryValue(env, e);
    case "conditional":
      return conditionalValue(env, e);
    case "cast": {
      const target = irType(env, e.target.type ?? e.type, e.span);
      return convertExplicit(
        env,
        expressionAs(env, e.operand, isAggregate(target) ? target : undefined),
        target,
      );
    }
    case "call":
      return known(callExpression(env, e), e.span, "this call has no value");
    case "list":
      return listValue(env, e);
    case "struct":
      return structValue(env, e);
    case "invalid":
      return { kind: "invalid", type: irType(env, e.implicitCast ?? e.type, e.span), span: e.span };
    default:
      return fail(CODES.valueNotSupported, e.span, `not supported yet: ${e.kind} as a value`);
  }
}

function convertExplicit(env: Env, value: Expr, target: IrType): Expr {
  if (isAggregate(target) || value.kind === "invalid") return convert(env, value, target);
  if (sameType(value.type, target)) return value;
  return fold(cast(value, target));
}

function pathValue(env: Env, e: PathExpression): Expr {
  const declaration = known(e.declaration, e.span, `${e.name.name} was not resolved`);
  const binding = env.scope.find(declaration);
  if (binding?.kind === "value") {
    const expr = binding.expr;
    return expr.kind === "variable" || expr.kind === "field" ? { ...expr, span: e.span } : expr;
  }
  if (declaration.kind === "constant") {
    const type = declaration.type === undefined ? undefined : irType(env, declaration.type, e.span);
    return expressionAs({ ...env, scope: env.context.globalScope }, declaration.initializer, type);
  }
  return fail(CODES.valueNotSupported, e.span, `not supported yet: ${e.name.name} as a value`);
}

function memberValue(env: Env, e: MemberExpression): Expr {
  const resolved = e.resolved;
  switch (resolved?.kind) {
    case "field": {
      const base = expression(env, e.base);
      if (base.type.kind === "stack" || !isAggregate(base.type))
        fail(CODES.valueNotSupported, e.span, `not supported yet: the field ${e.member.name} of this value`);
      return fold(field(base, e.member.name, e.span));
    }
    case "stack": {
      const base = expression(env, e.base);
      if (base.type.kind !== "stack") fault(e.span, "a stack property of no stack");
      if (resolved.property === "size") return number(BigInt(base.type.size), bits(32), e.span);
      const type = resolved.property === "lastIndex" ? bits(32) : base.type.element;
      return { kind: "stackProperty", base, property: resolved.property, type, span: e.span };
    }
    case "enumMember": {
      const type = irType(env, e.type, e.span);
      if (type.kind === "error" || type.kind === "enum")
        return memberExpr(env, resolved.member.name.name, type, e.span);
      if (resolved.member.value === undefined) fault(e.span, "an enum member without a value");
      return convertExplicit(env, expression(env, resolved.member.value), type);
    }
    case "applyResult":
      return applyResult(env, e.base, resolved.property, e.span);
    default:
      return fail(CODES.valueNotSupported, e.span, `not supported yet: ${e.member.name} as a value`);
  }
}

function indexInto(env: Env, base: Expr, index: Expr, e: Expression): Expr {
  if (base.type.kind === "struct") {
    // A tuple: the index is known.
    const at = Number(constantNumber(index, "the index of a tuple"));
    return fold(field(base, defined(base.type.fields[at]).name, e.span));
  }
  if (base.kind === "aggregate") return defined(base.elements[Number(constantNumber(index, "this index"))]);
  const folded = fold(index);
  if (folded.kind === "number" && base.type.kind === "stack") {
    if (folded.value < 0n || folded.value >= BigInt(base.type.size))
      fail(
        CODES.indexOutsideArray,
        e.span,
        `index ${folded.value} is outside an array of ${base.type.size} elements`,
      );
    return element(base, folded, e.span);
  }
  // The index has its present value, also when its storage changes before the element is used.
  const fixed = folded.kind === "variable" || folded.kind === "number" ? folded : saveIndex(env, folded);
  return element(base, fixed, e.span);
}

function saveIndex(env: Env, index: Expr): Expr {
  return isFixedPlace(index) ? index : saveValue(env, index, "index");
}

function binaryValue(env: Env, e: BinaryExpression): Expr {
  if (e.op === "&&" || e.op === "||") {
    const left = expression(env, e.left);
    let right: Expr | undefined;
    const effects = collect(env, (inner) => {
      right = expression(inner, e.right);
    });
    if (effects.length === 0) return fold(binary(e.op, left, right!, BOOL, e.span));
    // The right side runs only when the left one does not decide.
    const result = saveValue(env, left);
    const body: Stmt[] = [...effects, { kind: "assign", left: result, right: right!, span: e.span }];
    emit(env, {
      kind: "if",
      condition: result,
      whenTrue: e.op === "&&" ? body : [],
      whenFalse: e.op === "&&" ? [] : body,
      span: e.span,
    });
    return result;
  }
  const [left, right] = inOrder(env, [
    valueOperand((inner) => expression(inner, e.left)),
    valueOperand((inner) => expression(inner, e.right)),
  ]);
  return binaryOf(env, e.op, left!, right!, e);
}

const COMPARISONS = new Set<string>(["==", "!=", "<", "<=", ">", ">="]);

function binaryOf(env: Env, op: BinaryOp, left: Expr, right: Expr, e: BinaryExpression): Expr {
  if (COMPARISONS.has(op)) {
    if (isAggregate(left.type) && !sameType(left.type, right.type)) {
      if (right.kind === "aggregate" || right.kind === "invalid") right = convert(env, right, left.type);
      else left = convert(env, left, right.type);
    }
    return fold(binary(op, left, right, BOOL, e.span));
  }
  if (op === "<<" || op === ">>") return fold(binary(op, left, right, left.type, e.span));
  const type = irType(env, e.type, e.span);
  return fold(binary(op, left, right, type, e.span));
}

function conditionalValue(env: Env, e: ConditionalExpression): Expr {
  const condition = fold(expression(env, e.condition));
  let whenTrue: Expr | undefined;
  let whenFalse: Expr | undefined;
  const trueBody = collect(env, (inner) => {
    whenTrue = expression(inner, e.whenTrue);
  });
  const falseBody = collect(env, (inner) => {
    whenFalse = expression(inner, e.whenFalse);
  });
  const type = irType(env, e.type, e.span);
  const first = convert(env, whenTrue!, type);
  const second = convert(env, whenFalse!, type);
  if (trueBody.length === 0 && falseBody.length === 0 && !isAggregate(type))
    return fold({ kind: "conditional", condition, whenTrue: first, whenFalse: second, type, span: e.span });
  const result = variable(env.context.newLocal("tmp", type, e.span), e.span);
  emit(env, {
    kind: "if",
    condition,
    whenTrue: [...trueBody, { kind: "assign", left: result, right: first, span: e.whenTrue.span }],
    whenFalse: [...falseBody, { kind: "assign", left: result, right: second, span: e.whenFalse.span }],
    span: e.span,
  });
  return result;
}

function listValue(env: Env, e: ListExpression): Expr {
  const target = e.implicitCast ?? e.type;
  const elements = inOrder(
    env,
    e.elements.map((part) => valueOperand((inner) => expression(inner, part))),
  );
  const declared = target === undefined ? undefined : resolvedKind(env, target, e);
  if (declared?.kind === "struct" || declared?.kind === "header") {
    const all = declared.fields.map((one, index) =>
      elements[index] === undefined
        ? defaultValue(env, one.type, e.span)
        : convert(env, elements[index], one.type),
    );
    return { kind: "aggregate", elements: all, type: declared, span: e.span };
  }
  if (declared?.kind === "stack") {
    const all = elements.map((one) => convert(env, one, declared.element));
    for (let i = all.length; i < declared.size; i++) all.push(defaultValue(env, declared.element, e.span));
    return { kind: "aggregate", elements: all, type: declared, span: e.span };
  }
  const fields = elements.map((one, index) => ({ name: `f${index}`, type: one.type, annotations: [] }));
  return { kind: "aggregate", elements, type: { kind: "struct", name: "tuple", fields }, span: e.span };
}

/** The declared type of a literal, where it has one that exists at run time. */
function resolvedKind(env: Env, type: Expression["type"], e: Expression): IrType | undefined {
  if (type === undefined || type.kind === "list" || type.kind === "structLiteral") return undefined;
  // Elements of type `int` have no width of their own yet: the tuple takes its elements' types.
  if (type.kind === "tuple" && type.elements.some((one) => one.kind === "integer")) return undefined;
  return irType(env, type, e.span);
}

function structValue(env: Env, e: StructExpression): Expr {
  const values = inOrder(
    env,
    e.fields.map((part) => valueOperand((inner) => expression(inner, part.value))),
  );
  const declared = resolvedKind(env, e.implicitCast ?? e.type, e);
  if (declared?.kind === "struct" || declared?.kind === "header") {
    const elements = declared.fields.map((one) => {
      const index = e.fields.findIndex((part) => part.name.name === one.name);
      return index < 0 ? defaultValue(env, one.type, e.span) : convert(env, defined(values[index]), one.type);
    });
    return { kind: "aggregate", elements, type: declared, span: e.span };
  }
  const fields = values.map((one, index) => ({
    name: defined(e.fields[index]).name.name,
    type: one.type,
    annotations: [],
  }));
  return { kind: "aggregate", elements: values, type: { kind: "struct", name: "", fields }, span: e.span };
}

/** The place that an expression on the left of an assignment, or an `out` argument, names. */
export function placeOf(env: Env, e: Expression): Expr {
  if (e.kind === "slice") {
    const operand = placeOf(env, e.base);
    const high = Number(constantNumber(expression(env, e.high), "the bounds of a slice"));
    const low = Number(constantNumber(expression(env, e.low), "the bounds of a slice"));
    return { kind: "slice", operand, high, low, type: bits(high - low + 1), span: e.span };
  }
  return plainValue(env, e.constant === undefined ? e : { ...e, constant: undefined });
}
