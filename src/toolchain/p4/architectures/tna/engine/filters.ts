/**
 * Low-pass filters and weighted random early detection as two hidden registers of 128 bits a cell: `NAME.$spec`, which controllers write (in
 * BF Runtime it is the filter's own table), and `NAME.$state`, the mean and the time of its last change. The words of a cell are those of
 * `switch/codegen/filters.ts`, the first in the low bits.
 */
import { defined } from "../../../../../base/index.js";
import { cast, equal, number } from "../../../lower/build.js";
import type { Expr, ExternInstance, Stmt, StmtOf } from "../../../lower/ir.js";
import { bits } from "../../../lower/ir-types.js";
import { assign, local, primitiveCall, toBits } from "../../../lower/plain-values.js";
import { argument } from "../p4info-scope.js";
import type { Lowering } from "./lowering.js";

type Extern = StmtOf<"extern">;

const WORD = bits(32);
const CELL_BITS = 128;

/** What is filtered, the cell, and the place of the answer of the primitive. */
function parts(lowering: Lowering, stmt: Extern): { answer: Expr; before: Stmt[]; args: Expr[] } {
  const { program, registers } = lowering;
  const { instance, args, span } = stmt;
  const filter = defined(instance);
  const isDirect = filter.extern.startsWith("Direct");
  const size = isDirect ? registers.entriesOf(filter) : defined(argument(filter, "size"));
  const value = local(program, "filtered", WORD, span);
  const answer = local(program, "filtered", WORD, span);
  const index = isDirect ? registers.entryOf(filter) : cast(toBits(defined(args[1])), WORD, span);
  const [spec, state] = ["$spec", "$state"].map((name) =>
    registers.hidden(filter, name, { size, width: CELL_BITS }),
  );
  const reference = (of: ExternInstance | undefined): Expr => ({
    kind: "instance",
    instance: defined(of),
    type: { kind: "extern", name: "register" },
    span,
  });
  return {
    answer,
    before: [assign(value, cast(toBits(defined(args[0])), WORD, span), span), assign(answer, value, span)],
    args: [answer, reference(spec), reference(state), value, index],
  };
}

/** `Lpf.execute`: the mean of a value, or its rate. */
export function filtered(lowering: Lowering, stmt: Extern): Stmt[] {
  const { result, span } = stmt;
  if (result === undefined) return [];
  if (lowering.form === "hardware") return inHardware(lowering, stmt);
  const { answer, before, args } = parts(lowering, stmt);
  return [
    ...before,
    primitiveCall("tna.low_pass", undefined, args, { outs: [0], span }),
    assign(result, cast(answer, result.type, span), span),
  ];
}

/** `Wred.execute`: whether to drop, by chance. */
export function dropsEarly(lowering: Lowering, stmt: Extern): Stmt[] {
  const { result, instance, span } = stmt;
  if (result === undefined) return [];
  const value = (name: string, usual: bigint): Expr =>
    cast(argument(defined(instance), name) ?? number(usual, bits(8), span), result.type, span);
  const keeps = value("no_drop_value", 0n);
  if (lowering.form === "hardware") return inHardware(lowering, stmt);
  const { answer, before, args } = parts(lowering, stmt);
  return [
    ...before,
    primitiveCall("tna.early_drop", undefined, args, { outs: [0], span }),
    {
      kind: "if",
      condition: equal(answer, number(0n, WORD, span), span),
      whenTrue: [assign(result, keeps, span)],
      whenFalse: [assign(result, value("drop_value", 1n), span)],
      span,
    },
  ];
}

/** One visit of the ALU beside the filter's memory. */
function inHardware(lowering: Lowering, stmt: Extern): Stmt[] {
  const { result, span } = stmt;
  if (result === undefined) return [];
  const { answer, args } = parts(lowering, stmt);
  const [, , state, , index] = args;
  const cells = state?.kind === "instance" ? state.instance : undefined;
  // The ALU widens what comes in, so the value needs no field of the ALU's width.
  const value = toBits(defined(stmt.args[0]));
  return [
    primitiveCall("tna.alu", cells, [answer, defined(index), value], { outs: [0], span }),
    assign(result, cast(answer, result.type, span), span),
  ];
}
