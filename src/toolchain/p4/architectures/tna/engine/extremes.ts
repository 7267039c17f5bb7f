/** `min8`, `max8`, `min16` and `max16` of register actions: the smallest or largest of the bytes, or of the words, of a cell that a mask chooses. */
import { defined } from "../../../../../base/index.js";
import { and, binary, cast, equal, number, or } from "../../../lower/build.js";
import type { Expr, IrProgram, Stmt, StmtOf } from "../../../lower/ir.js";
import { BOOL, bits, totalWidth } from "../../../lower/ir-types.js";
import { isPlace } from "../../../lower/places.js";
import { assign, local, sliceOf, toBits, zero } from "../../../lower/plain-values.js";

/** The name of a call with what it looks for, and the bits of a part. */
export const EXTREME = /^\w+\.(min|max)(8|16)$/;

export function extremeCall(program: IrProgram, stmt: StmtOf<"extern">): Stmt[] {
  const { args, outs, result, span } = stmt;
  const [, kind, text] = defined(EXTREME.exec(stmt.name) ?? undefined);
  const width = Number(text);
  const [value, mask, ...more] = args;
  const index = outs[0] === undefined ? undefined : args[outs[0]];
  const added = more.find((_, i) => !outs.includes(i + 2));
  const cell = toBits(defined(value));
  const held = local(program, "cell", cell.type, span);
  const chosen = local(program, "chosen", defined(mask).type, span);
  const best = local(program, "best", bits(width), span);
  const place = local(program, "place", bits(8), span);
  const found = local(program, "found", BOOL, span);
  const body: Stmt[] = [
    assign(held, cell, span),
    assign(chosen, defined(mask), span),
    assign(best, zero(best.type, span), span),
    assign(found, { kind: "bool", value: false, type: BOOL, span }, span),
    ...(index === undefined ? [] : [assign(index, zero(index.type, span), span)]),
  ];
  for (let i = 0; width * (i + 1) <= totalWidth(cell.type) && i < totalWidth(chosen.type); i++) {
    const part = sliceOf(held, width * i + width - 1, width * i);
    const taken = equal(sliceOf(chosen, i, i), number(1n, bits(1), span), span);
    const better = binary(kind === "min" ? "<" : ">", part, best, BOOL, span);
    const none: Expr = { kind: "unary", op: "!", operand: found, type: BOOL, span };
    const whenTrue: Stmt[] = [
      assign(best, part, span),
      assign(found, { kind: "bool", value: true, type: BOOL, span }, span),
    ];
    whenTrue.push(assign(place, number(BigInt(i), bits(8), span), span));
    if (index?.type.kind === "bits") whenTrue.push(assign(index, number(BigInt(i), index.type, span), span));
    body.push({
      kind: "if",
      condition: and(taken, or(none, better, span), span),
      whenTrue,
      whenFalse: [],
      span,
    });
  }
  const answer = result === undefined ? [] : [assign(result, cast(best, result.type, span), span)];
  if (added === undefined || !isPlace(defined(value))) return [...body, ...answer];
  // What is added afterwards changes the chosen part of the cell, not the answer.
  for (let i = 0; width * (i + 1) <= totalWidth(cell.type); i++) {
    const part: Expr = {
      kind: "slice",
      operand: defined(value),
      high: width * i + width - 1,
      low: width * i,
      type: best.type,
      span,
    };
    const sum = binary("+", best, cast(added, best.type, span), best.type, span);
    const condition = and(found, equal(place, number(BigInt(i), bits(8), span), span), span);
    body.push({ kind: "if", condition, whenTrue: [assign(part, sum, span)], whenFalse: [], span });
  }
  return [...body, ...answer];
}
