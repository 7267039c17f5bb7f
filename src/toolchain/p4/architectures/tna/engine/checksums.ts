/**
 * Checksum engines as sums of 16-bit words in ones' complement (RFC 1071). In a parser an engine adds up in a variable; in a deparser
 * an update is one calculation.
 */
import { defined } from "../../../../../base/index.js";
import { binary, cast, equal, number } from "../../../lower/build.js";
import { fold } from "../../../lower/fold.js";
import type { Expr, Stmt, StmtOf } from "../../../lower/ir.js";
import { bits } from "../../../lower/ir-types.js";
import { assign, local, primitiveCall } from "../../../lower/plain-values.js";
import type { Lowering } from "./lowering.js";

type Extern = StmtOf<"extern">;

const WORD = bits(16);
const WIDE = bits(17);

export function checksumCall(lowering: Lowering, stmt: Extern): Stmt[] {
  const { program } = lowering;
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
    default:
      return residual(lowering, stmt, sum);
  }
}

/**
 * `subtract_all_and_deposit`: what the parser reads from here on is subtracted too, and the rest goes into the argument. The switch does
 * this where the control begins, when the parser has ended.
 */
function residual(lowering: Lowering, { instance, args, span }: Extern, sum: Expr): Stmt[] {
  const { program } = lowering;
  const place = args[0];
  const pipe = program.pipes.find(({ blocks }) =>
    blocks.some(({ kind, body }) => kind === "parser" && body.instances.includes(defined(instance))),
  );
  const parser = pipe?.blocks.find(({ body }) => body.instances.includes(defined(instance)));
  const role = parser?.role === "egressParser" ? "egress" : "ingress";
  const control = pipe?.blocks.find((block) => block.role === role);
  if (place === undefined || control === undefined || control.kind === "parser") return [];
  const from = local(program, "from", bits(32), span);
  const rest = local(program, "rest", WORD, span);
  const began: Expr = {
    kind: "unary",
    op: "!",
    operand: equal(from, number(0n, bits(32), span), span),
    type: { kind: "bool" },
    span,
  };
  const whenTrue: Stmt[] = [
    primitiveCall("tna.parsed", undefined, [rest, from], { outs: [0], span }),
    ...added(lowering, sum, rest),
    assign(place, cast(sum, place.type, span), span),
  ];
  lowering.beginnings.push({
    control: control.body,
    body: [{ kind: "if", condition: began, whenTrue, whenFalse: [], span }],
  });
  return [primitiveCall("tna.place", undefined, [from], { outs: [0], span })];
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
