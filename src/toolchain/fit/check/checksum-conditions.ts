/**
 * Conditions of the checksums that a deparser computes. A deparser has no conditions: a table before it decides, by single bits (p4c,
 * parde/deparser_checksum_update.cpp, getUpdateCondition, which looks at the `if` around the update where it has no `else`).
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

function checkStatements(context: CheckContext, statements: readonly Statement[]): void {
  for (const statement of statements) {
    if (statement.kind !== "if") continue;
    const { condition, yes, no, source } = statement;
    if (no.length === 0 && yes.some((one) => isUpdate(context, one)))
      checkCondition(context, condition, source);
    checkStatements(context, yes);
    checkStatements(context, no);
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
  condition: bmv2.Value,
  source: bmv2.SourceInfo | undefined,
): void {
  const parts = conjuncts(readValue(condition, { fields: model.fields, parameters: [] }));
  const wrong = parts.find((part) => !isBit(part));
  if (wrong === undefined) return;
  refuse(
    CODES.checksumCondition,
    source,
    `the deparser updates a checksum where ${quoteExpr(wrong)}, which is not a comparison of one bit`,
    "compute the condition into a field of one bit in the control, and test that: several bits joined by && are taken",
  );
}

function conjuncts(expr: Expr): Expr[] {
  return expr.kind === "operation" && expr.op === "and" ? expr.parts.flatMap(conjuncts) : [expr];
}

/** A field of one bit, its complement, or its comparison with a constant. */
function isBit(expr: Expr): boolean {
  if (expr.kind === "field") return expr.access.width === 1;
  if (expr.kind !== "operation") return false;
  const [left, right] = expr.parts;
  if (left?.kind !== "field" || left.access.width !== 1) return false;
  if (expr.op === "not") return true;
  return (expr.op === "==" || expr.op === "!=") && right?.kind === "constant";
}
