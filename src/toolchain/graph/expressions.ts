/** What expressions of the checked tree contain, as far as control flow is concerned. */
import type { ast } from "../p4/index.js";

type Call = ast.CallExpression;

/** Keys of expressions that hold expressions, arguments or fields. Types, declarations and results of the checker are left out. */
const PARTS = [
  ...["base", "index", "high", "low", "operand", "left", "right", "condition", "whenTrue", "whenFalse"],
  ...["callee", "args", "elements", "fields", "value", "mask"],
] as const;

/** The applications of tables in an expression, in order of evaluation: `t.apply().hit && u.apply().miss`. */
export function tableCalls(expression: ast.Expression | undefined): Call[] {
  const found: Call[] = [];
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) {
      part.forEach(visit);
      return;
    }
    if (typeof part !== "object" || part === null) return;
    for (const key of PARTS) visit((part as Record<string, unknown>)[key]);
    if (isCall(part) && part.resolved?.kind === "tableApply") found.push(part);
  };
  visit(expression);
  return found;
}

function isCall(part: object): part is Call {
  return (part as { kind?: unknown }).kind === "call";
}

/** The table of `t.apply().action_run`. */
export function isActionRun(expression: ast.Expression): boolean {
  return (
    expression.kind === "member" &&
    expression.resolved?.kind === "applyResult" &&
    expression.resolved.property === "action_run"
  );
}
