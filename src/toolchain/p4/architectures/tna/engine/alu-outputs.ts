/**
 * What a stateful ALU of Tofino 2 answers beside values of cells: the address of the cell, and the predicate, which has one bit set, that of
 * the results of its comparisons. Both are variables of the register action that each run of it sets. An address counts bits: seven bits of
 * place within a line of 128 bits, the number of the line, and from bit 23 on the way of a table that learns, as the programs of the open
 * compiler's `hwlearn` tests take it apart.
 */
import { defined } from "../../../../../base/index.js";
import { binary, cast, number } from "../../../lower/build.js";
import type { Expr, ExternInstance, IrMethod, IrProgram, Stmt, StmtOf } from "../../../lower/ir.js";
import { bits, totalWidth } from "../../../lower/ir-types.js";
import { assign, local, toBits } from "../../../lower/plain-values.js";
import { effectsOf, forEachStmt, operandsOf } from "../../../lower/walk.js";

type Extern = StmtOf<"extern">;

export const OUTPUT = /^(?:Direct)?(?:RegisterAction|LearnAction|MinMaxAction)\d?\.(address|predicate)$/;

const COMPARISONS = new Set(["==", "!=", "<", "<=", ">", ">="]);

/** An ALU has four comparisons. */
const MOST_COMPARISONS = 4;

const WAY_BIT = 23n;

const WORD = bits(32);

/** A cell that an action works on, and the way that it lies in where the table learns. */
export interface Cell {
  readonly index: Expr;
  /** The number of the cell in its way. */
  readonly line?: Expr | undefined;
  readonly way?: Expr | undefined;
  /** What a table that learns looks for. */
  readonly digest?: Expr | undefined;
}

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

  /** What a run of an action does before its method, on a cell of a register of `size` cells. */
  begin(
    instance: ExternInstance,
    method: IrMethod,
    { index, line = index, way }: Cell,
    size: bigint,
  ): Stmt[] {
    const names = new Set<string>();
    forEachStmt(method.body, (stmt) => {
      if (stmt.kind === "extern") names.add(OUTPUT.exec(stmt.name)?.[1] ?? "");
    });
    const { span } = instance;
    const body = this.place(instance, line, size);
    const address = this.#of(this.#addresses, instance, "address");
    if (way !== undefined)
      body.push(assign(address, binary("|", address, shifted(way, WAY_BIT), WORD, span), span));
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

  /**
   * Sets the address. What an action with `@chain_address` gives is for the action of the next stage, whose cells come behind these: the
   * number of the cell there, which is none where the cell is here.
   */
  place(instance: ExternInstance, index: Expr, size: bigint): Stmt[] {
    const { span } = instance;
    const address = this.#of(this.#addresses, instance, "address");
    const cell = cast(toBits(index), WORD, span);
    const value = isChained(instance)
      ? binary("-", cell, number(size, WORD, span), WORD, span)
      : shifted(cell, BigInt(placeBits(instance)));
    return [assign(address, value, span)];
  }

  /** The statements in place of a call. */
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
    const address = this.#of(this.#addresses, action, "address");
    const [word] = args;
    const whole =
      word === undefined || isChained(action)
        ? address
        : binary("|", address, shifted(cast(word, WORD, span), BigInt(placeBits(action) - 1)), WORD, span);
    return [assign(result, cast(cast(whole, bits(width), span), result.type, span), span)];
  }
}

export function isChained({ annotations }: ExternInstance): boolean {
  return annotations.some((one) => one.name === "chain_address");
}

/** Bits below the number of a cell in an address. */
function placeBits({ methods }: ExternInstance): number {
  const cell = methods.find(({ name }) => name === "apply")?.params[0]?.variable;
  const width = cell === undefined ? 0 : totalWidth(cell.type);
  return width > 1 ? Math.ceil(Math.log2(width)) : 0;
}

function shifted(value: Expr, by: bigint): Expr {
  return binary("<<", value, number(by, bits(8), value.span), WORD, value.span);
}
