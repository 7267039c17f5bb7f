/**
 * Conditions of the checksums that a deparser computes. A deparser has no conditions: a table before it decides, by single bits (p4c,
 * parde/deparser_checksum_update.cpp, getUpdateCondition, which looks at the `if` around the update where it has no `else`). Conditions of `if`s
 * around that one are joined to it, and of joined ones none is a comparison (midend/simplify_nested_if.cpp).
 */
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import { type Expr, quoteExpr, readValue } from "../model/expressions.js";
import { type Statement, structureOf } from "../model/statements.js";
import type { CheckContext } from "./check-context.js";

export function checkChecksumConditions(context: CheckContext): void {
  for (const { primitives = [] } of context.model.program.deparsers)
    checkStatements(context, structureOf(primitives));
}

/** @param around the conditions of the `if`s around the statements */
function checkStatements(
  context: CheckContext,
  statements: readonly Statement[],
  around: readonly Expr[] = [],
): void {
  const { fields } = context.model;
  for (const statement of statements) {
    if (statement.kind !== "if") continue;
    const { condition, yes, no, source } = statement;
    const own = readValue(condition, { fields, parameters: [] });
    if (no.length === 0 && yes.some((one) => isUpdate(context, one)))
      checkCondition(context, [...around, ...conjuncts(own)], source);
    checkStatements(context, yes, [...around, ...conjuncts(own)]);
    checkStatements(context, no, [...around, { kind: "operation", op: "not", parts: [own] }]);
  }
}

function isUpdate({ model }: CheckContext, statement: Statement): boolean {
  if (statement.kind !== "primitive") return false;
  const { op, parameters } = statement.primitive;
  const called = parameters.find(({ type }) => type === "calculation")?.value;
  return (
    op === "modify_field_with_hash_based_offset" &&
    model.program.calculations.find(({ name }) => name === called)?.algo === "csum16"
  );
}

function checkCondition(
  { model, refuse }: CheckContext,
  parts: readonly Expr[],
  source: bmv2.SourceInfo | undefined,
): void {
  const isBit = (expr: Expr) =>
    expr.kind === "field" && expr.access.width === 1 && model.fields.get(expr.access.field)?.width === 1;
  const isTaken = (expr: Expr): boolean => {
    if (isBit(expr)) return true;
    if (expr.kind !== "operation") return false;
    const [left] = expr.parts;
    if (left === undefined) return false;
    if (parts.length > 1) return expr.op === "not" && isBit(left);
    return isCompared(expr) || (expr.op === "not" && (isBit(left) || isCompared(left)));
  };
  const isCompared = (expr: Expr): boolean => {
    if (expr.kind !== "operation" || (expr.op !== "==" && expr.op !== "!=")) return false;
    const [left, right] = expr.parts;
    return left !== undefined && isBit(left) && right?.kind === "constant";
  };
  const wrong = parts.find((part) => !isTaken(part));
  if (wrong === undefined) return;
  const joined = parts.length > 1;
  refuse(
    CODES.checksumCondition,
    source,
    joined
      ? `the deparser updates a checksum where several conditions hold, of which ${quoteExpr(wrong)} is not the validity of a header`
      : `the deparser updates a checksum where ${quoteExpr(wrong)}, which is not a comparison of one bit`,
    "compute the condition into a field of one bit in the control, and test that alone: only validities of headers are taken joined by &&",
  );
}

function conjuncts(expr: Expr): Expr[] {
  return expr.kind === "operation" && expr.op === "and" ? expr.parts.flatMap(conjuncts) : [expr];
}
