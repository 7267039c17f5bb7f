/** Expressions of `#if` and `#elif`: C's integer constant expressions in 64 bits (C11 section 6.10.1). */
import type { Span } from "../../../base/index.js";
import { isWord, type Token, tokenText } from "./token.js";

/** Why an expression has no value. */
export class ConditionError {
  constructor(
    readonly span: Span,
    readonly message: string,
  ) {}
}

const precedences = new Map<string, number>([
  ...["||"].map((op) => [op, 1] as const),
  ...["&&"].map((op) => [op, 2] as const),
  ...["|"].map((op) => [op, 3] as const),
  ...["^"].map((op) => [op, 4] as const),
  ...["&"].map((op) => [op, 5] as const),
  ...["==", "!="].map((op) => [op, 6] as const),
  ...["<", ">", "<=", ">="].map((op) => [op, 7] as const),
  ...["<<", ">>"].map((op) => [op, 8] as const),
  ...["+", "-"].map((op) => [op, 9] as const),
  ...["*", "/", "%"].map((op) => [op, 10] as const),
]);

const MAX_DEPTH = 200;

/**
 * Whether a condition holds. `tokens` are expanded and `defined` is already replaced; a name that is left
 * counts as 0. `line` is the place of the directive, for an expression that ends too early.
 * @throws ConditionError
 */
export function evaluateCondition(tokens: readonly Token[], line: Span): boolean {
  const evaluation = new Evaluation(tokens, line);
  const value = evaluation.conditional();
  evaluation.expectEnd();
  return value !== 0n;
}

class Evaluation {
  #index = 0;
  #depth = 0;
  /** Above zero in an operand whose value is not used; a division by zero is not an error there. */
  #unevaluated = 0;

  constructor(
    readonly tokens: readonly Token[],
    readonly line: Span,
  ) {}

  conditional(): bigint {
    const condition = this.#binary(1);
    if (this.#peek() !== "?") return condition;
    this.#index++;
    const whenTrue = this.#unlessDead(condition !== 0n, () => this.conditional());
    this.#expect(":");
    const whenFalse = this.#unlessDead(condition === 0n, () => this.conditional());
    return condition !== 0n ? whenTrue : whenFalse;
  }

  expectEnd(): void {
    const token = this.tokens[this.#index];
    if (token !== undefined)
      throw new ConditionError(
        token,
        `expected an operator or the end of the line, found '${tokenText(token)}'`,
      );
  }

  #unlessDead(alive: boolean, operand: () => bigint): bigint {
    if (!alive) this.#unevaluated++;
    const value = operand();
    if (!alive) this.#unevaluated--;
    return value;
  }

  #peek(): string | undefined {
    const token = this.tokens[this.#index];
    const next = this.tokens[this.#index + 1];
    if (token?.kind === ">" && next?.kind === ">" && !next.space) return ">>";
    return token?.kind;
  }

  #expect(kind: string): void {
    const token = this.tokens[this.#index];
    if (token?.kind !== kind)
      throw new ConditionError(
        token ?? this.line,
        `expected '${kind}'${token === undefined ? " before the end of the line" : `, found '${tokenText(token)}'`}`,
      );
    this.#index++;
  }

  #binary(least: number): bigint {
    let left = this.#unary();
    for (;;) {
      const op = this.#peek();
      const precedence = op === undefined ? undefined : precedences.get(op);
      if (precedence === undefined || precedence < least) return left;
      const token = this.tokens[this.#index]!;
      this.#index += op === ">>" ? 2 : 1;
      const alive = op === "&&" ? left !== 0n : op === "||" ? left === 0n : true;
      const right = this.#unlessDead(alive, () => this.#binary(precedence + 1));
      left = BigInt.asIntN(64, this.#apply(op!, left, right, token));
    }
  }

  #apply(op: string, a: bigint, b: bigint, token: Token): bigint {
    const truth = (value: boolean) => (value ? 1n : 0n);
    switch (op) {
      case "||":
        return truth(a !== 0n || b !== 0n);
      case "&&":
        return truth(a !== 0n && b !== 0n);
      case "|":
        return a | b;
      case "^":
        return a ^ b;
      case "&":
        return a & b;
      case "==":
        return truth(a === b);
      case "!=":
        return truth(a !== b);
      case "<":
        return truth(a < b);
      case ">":
        return truth(a > b);
      case "<=":
        return truth(a <= b);
      case ">=":
        return truth(a >= b);
      case "<<":
      case ">>": {
        if (b < -64n || b > 64n) b = b < 0n ? -64n : 64n;
        return op === "<<" ? a << b : a >> b;
      }
      case "+":
        return a + b;
      case "-":
        return a - b;
      case "*":
        return a * b;
      default:
        if (b === 0n) {
          if (this.#unevaluated > 0) return 0n;
          throw new ConditionError(token, "division by zero");
        }
        return op === "/" ? a / b : a % b;
    }
  }

  #unary(): bigint {
    const token = this.tokens[this.#index];
    if (token === undefined) throw new ConditionError(this.line, "the expression ends too early");
    this.#index++;
    if (token.kind === "integer") return parseInteger(token);
    if (isWord(token)) return 0n;
    if (!"(!~-+".includes(token.kind))
      throw new ConditionError(token, `expected a number or a name, found '${tokenText(token)}'`);
    if (++this.#depth > MAX_DEPTH) throw new ConditionError(token, "the expression is nested too deeply");
    let value: bigint;
    if (token.kind === "(") {
      value = this.conditional();
      this.#expect(")");
    } else {
      const operand = this.#unary();
      value =
        token.kind === "!"
          ? operand === 0n
            ? 1n
            : 0n
          : token.kind === "~"
            ? ~operand
            : token.kind === "-"
              ? -operand
              : operand;
    }
    this.#depth--;
    return BigInt.asIntN(64, value);
  }
}

/** A C integer: decimal, 0x, 0b or octal with a leading 0; suffixes u and l mean nothing here. */
function parseInteger(token: Token): bigint {
  const match = /^(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)[uUlL]*$/.exec(token.text);
  if (match === null)
    throw new ConditionError(
      token,
      `'${token.text}' is no integer here; the preprocessor knows C's numbers, without widths and underscores`,
    );
  const digits = match[1]!;
  return BigInt.asIntN(64, BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits));
}
