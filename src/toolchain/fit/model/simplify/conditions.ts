/** Conditions that every packet meets, or none: the compiler removes them, and what then is never reached. */
import { compareNumbers } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import { type Expr, readValue } from "../expressions.js";
import { type Editing, nodeOrder, redirect } from "./graph.js";

/** Fields with a sign, and whether a comparison with what a field's bits hold at most is known (p4c folds it only when it makes gateways). */
interface Folding {
  readonly signed: ReadonlySet<string>;
  readonly byRange: boolean;
}

/** Removes conditions with a known result, and those whose branches are the same. True when something changed. */
export function foldConditions(editing: Editing, pipeline: bmv2.Pipeline, folding: Folding): boolean {
  let changed = false;
  for (const condition of [...pipeline.conditionals]) {
    const expr = readValue(condition.expression, { fields: editing.fields, parameters: [] });
    const known =
      condition.true_next === condition.false_next && !editing.late.conditions.has(condition.name)
        ? true
        : truthOf(expr, hasSign(condition.expression) ? undefined : folding);
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
 * @param folding undefined: any field may have a sign
 */
function truthOf(expr: Expr, folding: Folding | undefined): boolean | undefined {
  if (expr.kind === "constant") return expr.value !== 0n;
  if (expr.kind !== "operation") return undefined;
  const [left, right] = expr.parts;
  if (left === undefined) return undefined;
  const known = (part: Expr | undefined) => (part === undefined ? undefined : truthOf(part, folding));
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
  // A value without a sign is neither below zero nor above what its bits hold.
  if (left.kind !== "field" || folding?.signed.has(left.access.field) !== false) return undefined;
  if (right.value === 0n && (expr.op === ">=" || expr.op === "<")) return expr.op === ">=";
  if (!folding.byRange) return undefined;
  const most = (1n << BigInt(left.access.width)) - 1n;
  if (right.value > most && (expr.op === "==" || expr.op === "!=")) return expr.op === "!=";
  if (expr.op === "==" || expr.op === "!=") return undefined;
  const least = compareNumbers(expr.op, 0n, right.value);
  return least === compareNumbers(expr.op, most, right.value) ? least : undefined;
}
