/**
 * Checksum engines as sums of 16-bit words in ones' complement (RFC 1071). In a parser an engine adds up in a variable; in a deparser
 * an update is one calculation.
 */
import { defined } from "../../../../../base/index.js";
import { binary, cast, equal, number } from "../../../lower/build.js";
import { fold } from "../../../lower/fold.js";
import type { Expr, Stmt, StmtOf } from "../../../lower/ir.js";
import { bits } from "../../../lower/ir-types.js";
import type { Lowering } from "./lowering.js";
import { assign, local, primitiveCall } from "./values.js";

type Extern = StmtOf<"extern">;

const WORD = bits(16);
const WIDE = bits(17);

export function checksumCall(lowering: Lowering, stmt: Extern): Stmt[] {
  const { program, notes } = lowering;
  const { instance, args, result, span } = stmt;
  const sum = lowering.shared(defined(instance), "checksum", WORD);
  const all = number(0xffffn, WORD, span);
  switch (stmt.name) {
    case "Checksum.add":
    case "Checksum.subtract": {
      // The calculation gives the complement of the sum, which is what is added to subtract.
      const complement = local(program, "sum", WORD, span);
      const word: Expr =
        stmt.name === "Checksum.add"
          ? { kind: "unary", op: "~", operand: complement, type: WORD, span }
          : complement;
      return [
        primitiveCall("tna.checksum", undefined, [complement, defined(args[0])], {
          outs: [0],
          fields: 1,
          span,
        }),
        ...added(lowering, sum, word),
      ];
    }
    case "Checksum.verify": {
      // The answer is the error: true for a wrong sum.
      if (result === undefined) return [];
      const right = equal(sum, all, span);
      return [assign(result, { kind: "unary", op: "!", operand: right, type: right.type, span }, span)];
    }
    case "Checksum.get":
      return result === undefined ? [] : [assign(result, cast(sum, result.type, span), span)];
    case "Checksum.update": {
      if (result === undefined) return [];
      const made = local(program, "sum", WORD, span);
      const [data, zeros] = args;
      const isZerosAsOnes = zeros !== undefined && fold(zeros);
      const value: Expr =
        isZerosAsOnes && isZerosAsOnes.kind === "bool" && isZerosAsOnes.value
          ? {
              kind: "conditional",
              condition: equal(made, number(0n, WORD, span), span),
              whenTrue: all,
              whenFalse: made,
              type: WORD,
              span,
            }
          : made;
      return [
        primitiveCall("tna.checksum", undefined, [made, defined(data)], { outs: [0], fields: 1, span }),
        assign(result, cast(value, result.type, span), span),
      ];
    }
    default: {
      const residual = args[0];
      notes.add(
        span,
        `the switch does not do ${stmt.name} as the hardware does`,
        "the residual is what was added up to this place",
      );
      return residual === undefined ? [] : [assign(residual, cast(sum, residual.type, span), span)];
    }
  }
}

/** `sum` plus a word, with the carry added. */
function added({ program }: Lowering, sum: Expr, word: Expr): Stmt[] {
  const { span } = word;
  const wide = local(program, "sum", WIDE, span);
  const carry: Expr = cast(
    { kind: "slice", operand: wide, high: 16, low: 16, type: bits(1), span },
    WORD,
    span,
  );
  const low: Expr = { kind: "slice", operand: wide, high: 15, low: 0, type: WORD, span };
  return [
    assign(wide, binary("+", cast(sum, WIDE, span), cast(word, WIDE, span), WIDE, span), span),
    assign(sum, binary("+", low, carry, WORD, span), span),
  ];
}
