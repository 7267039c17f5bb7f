/** Conditions that every packet meets, or none: the compiler removes them, and what then is never reached. */
import { compareNumbers } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import { type Expr, readValue } from "../expressions.js";
import { type Editing, nodeOrder, redirect } from "./graph.js";

/** Removes conditions with a known result, and those whose branches are the same. True when something changed. */
export function foldConditions(
  editing: Editing,
  pipeline: bmv2.Pipeline,
  signed: ReadonlySet<string>,
): boolean {
  let changed = false;
  for (const condition of [...pipeline.conditionals]) {
    const expr = readValue(condition.expression, { fields: editing.fields, parameters: [] });
    const known =
      condition.true_next === condition.false_next
        ? true
        : truthOf(expr, hasSign(condition.expression) ? undefined : signed);
    if (known === undefined) continue;
    redirect(pipeline, condition.name, known ? condition.true_next : condition.false_next);
    pipeline.conditionals = pipeline.conditionals.filter((other) => other !== condition);
    changed = true;
  }
  if (changed) keepReached(pipeline);
  return changed;
}

function keepReached(pipeline: bmv2.Pipeline): void {
  const order = nodeOrder(pipeline);
  if (order === undefined) return;
  const reached = new Set(order);
  pipeline.tables = pipeline.tables.filter(({ name }) => reached.has(name));
  pipeline.conditionals = pipeline.conditionals.filter(({ name }) => reached.has(name));
}

/** The condition reads a value as a number with a sign, whatever its field's type. */
function hasSign(value: unknown): boolean {
  return JSON.stringify(value).includes('"two_comp_mod"');
}

/**
 * The result of a condition where it does not depend on the packet.
 * @param signed fields with a sign; undefined: any field may have one
 */
function truthOf(expr: Expr, signed: ReadonlySet<string> | undefined): boolean | undefined {
  if (expr.kind === "constant") return expr.value !== 0n;
  if (expr.kind !== "operation") return undefined;
  const [left, right] = expr.parts;
  if (left === undefined) return undefined;
  const known = (part: Expr | undefined) => (part === undefined ? undefined : truthOf(part, signed));
  if (expr.op === "not") {
    const inner = known(left);
    return inner === undefined ? undefined : !inner;
  }
  if (expr.op === "and" || expr.op === "or") {
    const decisive = expr.op === "or";
    const [a, b] = [known(left), known(right)];
    if (a === decisive || b === decisive) return decisive;
    return a === undefined || b === undefined ? undefined : !decisive;
  }
  if (right?.kind !== "constant") return undefined;
  if (left.kind === "constant") return compareNumbers(expr.op, left.value, right.value);
  // No value without a sign is below zero.
  if (right.value !== 0n || left.kind !== "field" || signed?.has(left.access.field) !== false)
    return undefined;
  return expr.op === ">=" ? true : expr.op === "<" ? false : undefined;
}
