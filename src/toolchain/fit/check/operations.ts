/** Operations that no ALU of a stage computes, each with what a program can do instead. */
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { type Expr, hasCell, onesOf, quoteExpr, readsOf } from "../model/expressions.js";

interface UnavailableOperation {
  readonly code: string;
  readonly expr: Expr;
  readonly what: string;
  readonly instead: string;
}

export interface AluAbilities {
  /** The result of a comparison is a value. */
  readonly compares: boolean;
  /** A value can depend on a condition, as in the ALU of a register. */
  readonly chooses: boolean;
}

/** Addition or subtraction, saturating or not. */
export function isArithmetic(expr: Expr): boolean {
  return expr.kind === "operation" && ["+", "-", "sat+", "sat-"].includes(expr.op);
}

/** The part of an expression that an ALU cannot compute, the innermost of several; undefined when it can compute all. */
export function unavailableOperation(expr: Expr, alu: AluAbilities): UnavailableOperation | undefined {
  if (expr.kind === "operation" && expr.op === "?" && !alu.chooses) {
    const what = "an action has no conditional value";
    return { code: CODES.conditionalValue, expr, what, instead: branchAdvice(defined(expr.parts[0])) };
  }
  const parts = expr.kind === "operation" ? expr.parts : expr.kind === "cell" ? expr.reads : [];
  for (const part of parts) {
    const inner = unavailableOperation(part, alu);
    if (inner !== undefined) return inner;
  }
  if (expr.kind !== "operation") return undefined;
  const [, right] = expr.parts;
  const constant = right?.kind === "constant" ? right.value : undefined;
  const power = constant === 1n || (constant !== undefined && onesOf(constant - 1n) !== undefined);
  switch (expr.op) {
    case "*":
      return power
        ? undefined
        : {
            code: CODES.multiply,
            expr,
            what: "there is no multiplier",
            instead: "add shifted copies in several stages, or look the product up in a table",
          };
    case "/":
    case "%":
      return power
        ? undefined
        : {
            code: CODES.divide,
            expr,
            what: "there is no divider",
            instead: "divide by a power of two (a shift or a mask), or look the result up in a table",
          };
    case "<<":
    case ">>":
      return constant !== undefined
        ? undefined
        : {
            code: CODES.shiftByField,
            expr,
            what: "the shift count must be a constant",
            instead: "use a table with one action a count",
          };
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "==":
    case "!=":
    case "and":
    case "or":
      return alu.compares || alu.chooses || readsOf(expr).length === 0
        ? undefined
        : {
            code: CODES.comparisonAsValue,
            expr,
            what: "a comparison has no value in an action",
            instead: branchAdvice(expr),
          };
    default:
      return undefined;
  }
}

/**
 * How to write what depends on a condition. A condition on fields moves to the control. Parameters of an action exist
 * only within it, and a register's cell only within its ALU, so these need another way.
 */
export function branchAdvice(condition: Expr): string {
  if (hasCell(condition)) {
    return "write the cell, or the result of the comparison, into a field in this action, and branch on that field in the control";
  }
  if (usesArgument(condition)) {
    return "write one action for each case: the entry that supplies the parameter can choose the action instead";
  }
  return `write one action for each case, and branch in the control: if (${quoteExpr(condition)}) one, else the other`;
}

function usesArgument(expr: Expr): boolean {
  return expr.kind === "argument" || (expr.kind === "operation" && expr.parts.some(usesArgument));
}
