/**
 * What a stateful ALU of Tofino 2 answers beside values of cells: the address of the cell, and the predicate, which has one bit set, that of
 * the results of its comparisons. Both are variables of the register action that each run of it sets.
 */
import { defined } from "../../../../../base/index.js";
import { binary, cast, number } from "../../../lower/build.js";
import type { Expr, ExternInstance, IrMethod, IrProgram, Stmt, StmtOf } from "../../../lower/ir.js";
import { bits, totalWidth } from "../../../lower/ir-types.js";
import { effectsOf, forEachStmt, operandsOf } from "../../../lower/walk.js";
import { assign, local, toBits } from "./values.js";

type Extern = StmtOf<"extern">;

export const OUTPUT = /^(?:Direct)?(?:RegisterAction|LearnAction|MinMaxAction)\d?\.(address|predicate)$/;

const COMPARISONS = new Set(["==", "!=", "<", "<=", ">", ">="]);

/** An ALU has four comparisons. */
const MOST_COMPARISONS = 4;

/** Bits below the number of the cell in an address: the place within a line of 128 bits, and the word. */
const CELL_BITS = 6n;
const WORD_BITS = 5n;

const WORD = bits(32);

/** The different comparisons of a method, in the order in which they are written. */
function comparisonsOf({ body }: IrMethod): Expr[] {
  const found = new Map<string, Expr>();
  const visit = (expr: Expr): void => {
    if (expr.kind === "binary" && COMPARISONS.has(expr.op)) found.set(keyOf(expr), expr);
    else for (const operand of operandsOf(expr)) visit(operand);
  };
  forEachStmt(body, (stmt) => {
    for (const expr of effectsOf(stmt).reads) visit(expr);
  });
  return [...found.values()];
}

/** Equal for expressions that are written alike. */
function keyOf(expr: Expr): string {
  const { span } = expr;
  return span === undefined ? JSON.stringify(expr.kind) : `${span.start} ${span.end}`;
}

export class AluOutputs {
  readonly #addresses = new Map<ExternInstance, Expr>();
  readonly #predicates = new Map<ExternInstance, Expr>();

  constructor(readonly program: IrProgram) {}

  #of(all: Map<ExternInstance, Expr>, instance: ExternInstance, name: string): Expr {
    let found = all.get(instance);
    if (found === undefined) all.set(instance, (found = local(this.program, name, WORD, instance.span)));
    return found;
  }

  /** What a run of an action does before its method: `index` is the cell, `parameter` what the method calls it. */
  begin(instance: ExternInstance, method: IrMethod, index: Expr): Stmt[] {
    const names = new Set<string>();
    forEachStmt(method.body, (stmt) => {
      if (stmt.kind === "extern") names.add(OUTPUT.exec(stmt.name)?.[1] ?? "");
    });
    const { span } = instance;
    const address = this.#of(this.#addresses, instance, "address");
    const body = [assign(address, cast(toBits(index), WORD, span), span)];
    if (!names.has("predicate")) return body;
    const predicate = this.#of(this.#predicates, instance, "predicate");
    body.push(assign(predicate, number(0n, WORD, span), span));
    for (const [i, comparison] of comparisonsOf(method).slice(0, MOST_COMPARISONS).entries()) {
      const taken = binary("|", predicate, number(1n << BigInt(i), WORD, span), WORD, span);
      body.push({
        kind: "if",
        condition: comparison,
        whenTrue: [assign(predicate, taken, span)],
        whenFalse: [],
        span,
      });
    }
    return body;
  }

  /** The statements in place of a call. The address that actions with `@chain_address` give is for the next action: the number of the cell. */
  answer({ name, instance, args, result, span }: Extern): Stmt[] {
    if (result === undefined) return [];
    const action = defined(instance);
    const [, kind] = defined(OUTPUT.exec(name) ?? undefined);
    const width = totalWidth(result.type);
    if (kind === "predicate") {
      const predicate = this.#of(this.#predicates, action, "predicate");
      const bit = binary("<<", number(1n, WORD, span), predicate, WORD, span);
      return [assign(result, cast(cast(bit, bits(width), span), result.type, span), span)];
    }
    const cell = this.#of(this.#addresses, action, "address");
    const isChained = action.annotations.some((one) => one.name === "chain_address");
    const shifted = (value: Expr, by: bigint): Expr =>
      binary("<<", value, number(by, bits(8), span), WORD, span);
    const [word] = args;
    const whole = isChained
      ? cell
      : word === undefined
        ? shifted(cell, CELL_BITS)
        : binary("|", shifted(cell, CELL_BITS), shifted(cast(word, WORD, span), WORD_BITS), WORD, span);
    return [assign(result, cast(cast(whole, bits(width), span), result.type, span), span)];
  }
}
