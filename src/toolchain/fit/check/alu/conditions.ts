/**
 * Conditions of a register action: each comparison adds a word of the entry, a word of the packet and a constant, each with its sign, and
 * looks at the sum (bf-asm/salu_inst.cpp, CmpOP). Conditions combine the outcomes in any way.
 */
import type { bmv2 } from "../../../program/index.js";
import type { Target } from "../../target.js";
import { type Findings, isComplex, isNarrowing, type Operand, operandOf, type Source } from "./operands.js";

type Expr = bmv2.AluExpr;

/** A condition whose text is equal for equal conditions. */
export interface Condition {
  readonly kind: "compare" | "not" | "and" | "or";
  readonly parts: readonly Condition[];
  readonly text: string;
}

export interface ConditionContext {
  readonly method: bmv2.AluMethod;
  readonly alu: Target["stateful"];
  readonly findings: Findings;
  operand(operand: Operand): void;
}

const OPPOSITES: Readonly<Record<string, string>> = {
  "!=": "==",
  ">=": "<",
  "<=": ">",
};
const COMPARISONS = new Set(["==", "!=", "<", "<=", ">", ">="]);

/** Undefined for what has no form here, or a finding. */
export function conditionOf(expr: Expr, context: ConditionContext): Condition | undefined {
  if (expr.kind === "unary" && expr.op === "!") {
    const inner = conditionOf(expr.operand, context);
    return inner === undefined ? undefined : negationOf(inner);
  }
  if (expr.kind === "binary" && (expr.op === "&&" || expr.op === "||")) {
    const left = conditionOf(expr.left, context);
    const right = conditionOf(expr.right, context);
    if (left === undefined || right === undefined) return undefined;
    return joined(expr.op === "&&" ? "and" : "or", left, right);
  }
  if (expr.kind === "binary" && COMPARISONS.has(expr.op)) return comparison(expr, context);
  if (expr.kind === "cast" && expr.type === "bool") return valueIsNot0(expr.operand, context);
  return expr.type === "bool" ? valueIsNot0(expr, context) : undefined;
}

export function negationOf(condition: Condition): Condition {
  const [first, second] = condition.parts;
  if (condition.kind === "not") return first!;
  if (condition.kind === "compare") return { kind: "not", parts: [condition], text: `!${condition.text}` };
  return joined(condition.kind === "and" ? "or" : "and", negationOf(first!), negationOf(second!));
}

function joined(kind: "and" | "or", left: Condition, right: Condition): Condition {
  return { kind, parts: [left, right], text: `(${left.text} ${kind === "and" ? "&&" : "||"} ${right.text})` };
}

function valueIsNot0(expr: Expr, context: ConditionContext): Condition | undefined {
  if (expr.kind === "number") return undefined;
  const operand = operandOf(expr, context.findings);
  if (operand === undefined) return undefined;
  context.operand(operand);
  const equal: Condition = { kind: "compare", parts: [], text: `${operand.text} == 0` };
  return negationOf(equal);
}

function comparison(
  expr: Extract<Expr, { kind: "binary" }>,
  context: ConditionContext,
): Condition | undefined {
  if (expr.left.type === "bool") return undefined;
  const terms = [...(termsOf(expr.left, false, context) ?? [undefined])];
  terms.push(...(termsOf(expr.right, true, context) ?? [undefined]));
  const known = terms.filter((term) => term !== undefined);
  for (const term of known) context.operand(term);
  if (known.length < terms.length) return undefined;
  checkTerms(expr, known, context);
  checkSigned(expr, context);
  checkRange(expr, known, context);
  const isOpposite = Object.hasOwn(OPPOSITES, expr.op);
  const op = isOpposite ? OPPOSITES[expr.op]! : expr.op;
  const made: Condition = { kind: "compare", parts: [], text: known.map(({ text }) => text).join(` ${op} `) };
  const named = { ...made, text: `${op}: ${made.text}` };
  return isOpposite ? negationOf(named) : named;
}

/** One of each kind. */
function checkTerms(expr: Expr, terms: readonly Operand[], { findings }: ConditionContext): void {
  for (const [kind, what, instead] of [
    [
      "memory",
      "words of the entry",
      "the ALU compares the words with values of the packet, not with each other",
    ],
    ["packet", "values of the packet", "compute their sum or difference in an earlier table"],
    ["constant", "constants", "join them in one"],
  ] as const) {
    const found = terms.filter((term) => term.kind === kind);
    if (found.length < 2) continue;
    findings.add("condition", expr.source_info, {
      what: `a comparison takes ${found.length} ${what}: ${found.map(({ text }) => text).join(", ")}`,
      instead: `a comparison adds one word of the entry, one value of the packet and one constant: ${instead}`,
    });
    return;
  }
}

/** A sum or difference with a sign is compared on the whole word. */
function checkSigned(expr: Extract<Expr, { kind: "binary" }>, { method, findings }: ConditionContext): void {
  const { left, right, op } = expr;
  const isSum = [left, right].some((one) => one.kind === "binary" && (one.op === "+" || one.op === "-"));
  if (op === "==" || op === "!=" || left.type !== "int" || !isSum || left.width >= method.width) return;
  findings.add("condition", expr.source_info, {
    what: `a sum of int<${left.width}> is compared by order, and the ALU works on ${method.width} bits`,
    instead: `widen the operands to int<${method.width}>, or take words of ${left.width} bits`,
  });
}

/** Constants of an order without sign are numbers of so many bits with a sign. */
function checkRange(
  expr: Extract<Expr, { kind: "binary" }>,
  terms: readonly Operand[],
  { alu, findings }: ConditionContext,
): void {
  const { ordered_constant_bits: bits } = alu;
  if (bits === null || expr.op === "==" || expr.op === "!=" || expr.left.type === "int") return;
  const limit = 1n << BigInt(bits - 1);
  for (const term of terms) {
    if (term.kind !== "constant" || (term.value >= -limit && term.value < limit)) continue;
    findings.add("constant", term.source ?? expr.source_info, {
      what: `it compares by order with ${term.value < 0n ? -term.value : term.value}`,
      instead: `constants of such a comparison are -${limit} to ${limit - 1n}: test the highest bit in an earlier table`,
    });
  }
}

/** The parts of one side of a comparison, with their signs; undefined where the form is not known, or with a finding. */
function termsOf(expr: Expr, negative: boolean, context: ConditionContext): Operand[] | undefined {
  const { findings } = context;
  if (expr.kind === "number") {
    if (expr.value === 0n) return [];
    const text = expr.source_info?.source_fragment ?? String(expr.value);
    // The compiler gives a constant with the opposite sign no type.
    return negative
      ? [{ kind: "constant", value: -expr.value, width: undefined, text, source: expr.source_info }]
      : [{ kind: "constant", value: expr.value, width: expr.width, text, source: expr.source_info }];
  }
  if (expr.kind === "slice" || isNarrowing(expr)) return cutTerm(expr, context);
  if (expr.kind !== "binary" || expr.op === "++") {
    if (expr.kind === "unary") return undefined;
    const operand = operandOf(expr, findings);
    return operand === undefined ? undefined : [operand];
  }
  return operationTerms(expr, negative, context);
}

function cutTerm(expr: Expr, { findings }: ConditionContext): Operand[] | undefined {
  const inner = expr.kind === "slice" || expr.kind === "cast" ? expr.operand : expr;
  if (inner.kind === "cell") {
    findings.add("condition", expr.source_info, {
      what: "a comparison takes a part of a word of the entry",
      instead: "compare the whole word, mask it with &, or take words of that width",
    });
    return undefined;
  }
  const operand = operandOf(expr, findings);
  return operand === undefined ? undefined : [operand];
}

function operationTerms(
  expr: Extract<Expr, { kind: "binary" }>,
  negative: boolean,
  context: ConditionContext,
): Operand[] | undefined {
  const { findings } = context;
  const refuse = (what: string, instead: string): undefined => {
    findings.add("condition", expr.source_info, { what, instead });
    return undefined;
  };
  const { op, left, right } = expr;
  if (op !== "+" && op !== "-" && op !== "&") {
    if (op === "/" || op === "%") return undefined;
    return refuse(
      `a comparison takes the result of ${op}`,
      "a comparison adds and subtracts, and masks with a constant; compute the rest in an earlier table",
    );
  }
  if (isComplex(expr))
    return refuse(
      "a comparison takes more than one operation in a row",
      "compute parts of it in an earlier table, or move a term to the other side",
    );
  if (op === "&") return maskedTerm(expr, context);
  if (op === "-" && right.kind === "number" && right.value !== 0n) {
    // `a - k` is `a + (2^n - k)` (p4c, frontends, StrengthReduction).
    const value = (1n << BigInt(expr.width)) - right.value;
    const rest = termsOf(left, negative, context);
    return rest === undefined
      ? undefined
      : [...rest, ...(termsOf({ ...right, value }, negative, context) ?? [])];
  }
  const first = termsOf(left, negative, context);
  const second = termsOf(right, op === "-" ? !negative : negative, context);
  return first === undefined || second === undefined ? undefined : [...first, ...second];
}

/** A value with a mask: one of both is a constant. */
function maskedTerm(
  expr: Extract<Expr, { kind: "binary" }>,
  { findings }: ConditionContext,
): Operand[] | undefined {
  const { left, right } = expr;
  const [value, mask] = left.kind === "number" ? [right, left] : [left, right];
  const source: Source = expr.source_info;
  if (mask.kind !== "number") {
    findings.add("condition", source, {
      what: "the mask of a comparison is no constant",
      instead: "mask with a constant, or compute the masked value in an earlier table",
    });
    return undefined;
  }
  const operand = operandOf(value, findings);
  return operand === undefined
    ? undefined
    : [{ ...operand, width: expr.width, text: source?.source_fragment ?? operand.text }];
}
