/**
 * Expressions that take more than one instruction, as statements of one each: an ALU has two operands (P44019), no multiplier (P44018) and
 * no choice between values (P44038).
 */
import type { SourceFile } from "../../base/index.js";
import { type ast, partsOf } from "../p4/index.js";
import { placeOf } from "./own-text.js";
import { areTexts, indentOf, ownSpan, type Rewrite, textOf, widthOf } from "./rewrite.js";

/** Operators whose result a container's ALU computes from two operands of one width. */
const ALU = new Set(["+", "-", "&", "|", "^"]);

/** The statement as several; undefined where it is one instruction, or where no rule divides it. */
export function dividedAssignment(
  file: SourceFile,
  statement: ast.AssignmentStatement,
  freshName: () => string,
  isInAction: boolean,
): Rewrite | undefined {
  const span = ownSpan(file, statement);
  const { left, right, op } = statement;
  const width = widthOf(left);
  if (span === undefined || op !== undefined || width === undefined) return undefined;
  if (right.kind === "conditional" && !isInAction) {
    const { condition, whenTrue, whenFalse } = right;
    if (!areTexts(condition, whenTrue, whenFalse)) return undefined;
    const set = (value: ast.Expression) => `{ ${textOf(left)} = ${textOf(value)}; }`;
    const replacement = `if (${textOf(condition)}) ${set(whenTrue)} else ${set(whenFalse)}`;
    return { kind: "branch", words: words(statement, "a branch"), span, replacement };
  }
  if (!areTexts(right)) return undefined;
  const steps = new Steps(freshName, width);
  const last = steps.of(right);
  if (last === undefined || steps.lines.length === 0) return undefined;
  const lines = [...steps.lines, `${textOf(left)} = ${last};`];
  const indent = `\n${indentOf(span)}`;
  const replacement = `{${lines.map((line) => `${indent}    ${line}`).join("")}${indent}}`;
  return { kind: "arithmetic", words: words(statement, `${lines.length} statements`), span, replacement };
}

function words(statement: ast.Statement, what: string): string {
  const text = textOf(statement).replace(/\s+/g, " ");
  const short = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  return `${placeOf(statement.span)}: ${short} becomes ${what}`;
}

/** A statement with a call whose argument takes more than one instruction: the argument is computed before, in a variable. */
export function dividedArgument(
  file: SourceFile,
  statement: ast.Statement,
  freshName: () => string,
): Rewrite | undefined {
  const span = ownSpan(file, statement);
  if (span === undefined) return undefined;
  const [call, another] = callsIn(statement);
  if (call === undefined || another !== undefined) return undefined;
  let text = "";
  let at = span.start;
  const lines: string[] = [];
  for (const { value } of call.args) {
    const own = ownSpan(file, value);
    const width = widthOf(value);
    if (own === undefined || width === undefined || !isDeep(value) || !areTexts(value)) continue;
    const steps = new Steps(freshName, width);
    const last = steps.of(value);
    if (last === undefined) continue;
    const name = freshName();
    lines.push(...steps.lines, `bit<${width}> ${name} = ${last};`);
    text += file.text.slice(at, own.start) + name;
    at = own.end;
  }
  if (lines.length === 0) return undefined;
  lines.push(text + file.text.slice(at, span.end));
  const indent = `\n${indentOf(span)}`;
  // What a declaration names must stay visible behind it.
  const replacement =
    statement.kind === "declaration"
      ? lines.join(indent)
      : `{${lines.map((line) => `${indent}    ${line}`).join("")}${indent}}`;
  return { kind: "arithmetic", words: words(statement, `${lines.length} statements`), span, replacement };
}

/** A computation of a computation. */
function isDeep(value: ast.Expression): boolean {
  if (value.kind !== "binary" || value.constant !== undefined) return false;
  return [value.left, value.right].some((part) => part.kind === "binary" && part.constant === undefined);
}

function callsIn(value: unknown): ast.CallExpression[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(callsIn);
  const node = value as ast.Expression;
  const here = node.kind === "call" ? [node] : [];
  return [...here, ...partsOf(value).flatMap(callsIn)];
}

/** Intermediate results in variables of their own, so that what the statement changes is read before it is changed. */
class Steps {
  readonly lines: string[] = [];

  constructor(
    readonly freshName: () => string,
    readonly width: number,
  ) {}

  /** One instruction for the whole, as text; its operands are in variables where they are computed. Undefined: no rule. */
  of(value: ast.Expression): string | undefined {
    if (value.kind !== "binary") return undefined;
    if (value.op === "*") return this.#product(value);
    if (!ALU.has(value.op) || widthOf(value) !== this.width) return undefined;
    const [left, right] = [this.#operand(value.left), this.#operand(value.right)];
    return left === undefined || right === undefined ? undefined : `${left} ${value.op} ${right}`;
  }

  #operand(value: ast.Expression): string | undefined {
    if (value.kind !== "binary" || value.constant !== undefined) return operandText(value);
    const result = this.of(value);
    return result === undefined ? undefined : this.#variable(result);
  }

  #variable(value: string): string {
    const name = this.freshName();
    this.lines.push(`bit<${this.width}> ${name} = ${value};`);
    return name;
  }

  /** A product with a constant of at most three ones: shifted values, added. Modulo 2^width both are the same (P4-16 8.6). */
  #product({ left, right }: ast.BinaryExpression): string | undefined {
    const [factor, constant] = right.constant !== undefined ? [left, right.constant] : [right, left.constant];
    if (constant?.kind !== "integer" || constant.value <= 0n || widthOf(factor) !== this.width)
      return undefined;
    const text = this.#operand(factor);
    const shifts = [...constant.value.toString(2)].reverse().flatMap((bit, at) => (bit === "1" ? [at] : []));
    if (text === undefined || shifts.length < 2 || shifts.length > 3) return undefined;
    const parts = shifts.map((shift) => (shift === 0 ? text : this.#variable(`${text} << ${shift}`)));
    const [first, second, third] = parts;
    return third === undefined
      ? `${first} + ${second}`
      : `${this.#variable(`${first} + ${second}`)} + ${third}`;
  }
}

/** An operand, in parentheses where its text may need them. */
function operandText(value: ast.Expression): string {
  const text = textOf(value);
  return /^[\w.[\]:]+$/.test(text) || value.kind === "call" ? text : `(${text})`;
}
