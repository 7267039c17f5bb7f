/** Operands of a stateful ALU's instructions and comparisons: words of the entry, values of the packet, constants. */
import type { bmv2 } from "../../../program/index.js";

type Expr = bmv2.AluExpr;
export type Source = bmv2.SourceInfo | undefined;

export type Rule = "width" | "operation" | "condition" | "bit" | "writes" | "output" | "constant";

/** Takes what the ALU does not do, each with what would be right. */
export interface Findings {
  add(rule: Rule, source: Source, text: { readonly what: string; readonly instead: string }): void;
}

interface OperandBase {
  /** Bits; undefined where the compiler gives the operand no type. */
  readonly width: number | undefined;
  readonly text: string;
  readonly source: Source;
}

export type Operand = OperandBase &
  (
    | { readonly kind: "memory"; readonly word: 0 | 1 | null }
    | { readonly kind: "packet" }
    | { readonly kind: "constant"; readonly value: bigint }
    | { readonly kind: "other" }
  );

/** Operations that cannot be operands of another one (isComplexInstruction). */
const OPERATIONS = new Set(["+", "-", "|+|", "|-|", "&", "|", "^", "/", "%"]);

/** An operand of the operation is an operation. */
export function isComplex(expr: Extract<Expr, { kind: "binary" }>): boolean {
  return [expr.left, expr.right].some(
    (part) =>
      (part.kind === "binary" && OPERATIONS.has(part.op)) || (part.kind === "unary" && part.op === "-"),
  );
}

export function isZero(expr: Expr): boolean {
  return expr.kind === "number" && expr.value === 0n;
}

export function isNarrowing(expr: Expr): boolean {
  return (
    expr.kind === "cast" &&
    expr.type !== "bool" &&
    expr.operand.type !== "bool" &&
    expr.width < expr.operand.width
  );
}

/** A value of the packet alone, whatever it is cut and joined from: the hash engine hands it in. */
function isOfPacket(expr: Expr): boolean {
  if (expr.kind === "packet" || expr.kind === "number") return true;
  if (expr.kind === "slice" || expr.kind === "cast") return isOfPacket(expr.operand);
  return expr.kind === "binary" && expr.op === "++" && isOfPacket(expr.left) && isOfPacket(expr.right);
}

/**
 * The one operand that an expression is. Undefined, with a finding where it is certain, for what takes an instruction of its own or has no
 * form here.
 */
export function operandOf(expr: Expr, findings: Findings): Operand | undefined {
  const { source_info: source, width } = expr;
  const text = source?.source_fragment ?? expr.kind;
  switch (expr.kind) {
    case "number":
      return { kind: "constant", value: expr.value, width, text, source };
    case "cell":
      return { kind: "memory", word: expr.word, width: expr.word === null ? undefined : width, text, source };
    case "packet":
      return { kind: "packet", width, text, source };
    case "unary":
      return expr.op === "~" || expr.op === "-" ? operandOf(expr.operand, findings) : undefined;
    case "slice":
      return cut(expr, expr.operand, findings);
    case "cast": {
      const { operand } = expr;
      if (operand.type === "bool" || expr.type === "bool") return undefined;
      if (isNarrowing(expr)) return cut(expr, operand, findings);
      if (width === operand.width) return operandOf(operand, findings);
      // A number with its sign is widened by the hash engine; others get zeros, which need nothing.
      if (operand.type !== "int") return operandOf(operand, findings);
      return isOfPacket(operand) ? { kind: "packet", width, text, source } : undefined;
    }
    case "binary":
      if (expr.op === "<<" || expr.op === ">>" || expr.op === "*") {
        findings.add("operation", source, {
          what: `it computes ${expr.op}`,
          instead:
            "the ALU of a register adds, subtracts, saturates and combines bits: compute the value before, in an earlier table",
        });
        return undefined;
      }
      if (expr.op !== "++") return undefined;
      if (isZero(expr.left)) return operandOf(expr.right, findings);
      return isOfPacket(expr) ? { kind: "packet", width, text, source } : undefined;
    default:
      return undefined;
  }
}

function cut(expr: Expr, whole: Expr, findings: Findings): Operand | undefined {
  // The compiler shifts by cutting other bits.
  if (whole.kind === "binary" && whole.op === ">>" && whole.right.kind === "number" && isOfPacket(whole.left))
    return {
      kind: "packet",
      width: expr.width,
      text: expr.source_info?.source_fragment ?? "",
      source: expr.source_info,
    };
  const operand = operandOf(whole, findings);
  return operand === undefined
    ? undefined
    : { ...operand, width: expr.width, text: expr.source_info?.source_fragment ?? operand.text };
}
