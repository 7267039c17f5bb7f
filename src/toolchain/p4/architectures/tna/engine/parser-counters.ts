/** The counter of a parser as a variable of eight bits; that of Tofino 2 is the top of a stack of four. */
import { defined } from "../../../../../base/index.js";
import { constantBits } from "../../../emit/bmv2-tables.js";
import { binary, cast, equal, number } from "../../../lower/build.js";
import { fold } from "../../../lower/fold.js";
import type { Expr, Stmt, StmtOf } from "../../../lower/ir.js";
import { BOOL, bits, totalWidth } from "../../../lower/ir-types.js";
import type { Lowering } from "./lowering.js";
import { assign, sliceOf } from "./values.js";

type Extern = StmtOf<"extern">;

const BYTE = bits(8);
const DEPTH = 4;

export function counterCall(lowering: Lowering, stmt: Extern): Stmt[] {
  const { args, result, span } = stmt;
  const levels = Array.from({ length: DEPTH }, (_, i) =>
    lowering.shared(defined(stmt.instance), `counter${i}`, BYTE),
  );
  const top = defined(levels[0]);
  const change = (op: "+" | "-"): Stmt[] => [
    assign(top, binary(op, top, cast(defined(args[0]), BYTE, span), BYTE, span), span),
  ];
  const answer = (value: Expr): Stmt[] => (result === undefined ? [] : [assign(result, value, span)]);
  switch (stmt.name) {
    case "ParserCounter.set":
      return [...limit(lowering, stmt), assign(top, loaded(stmt), span)];
    case "ParserCounter.push":
      return [
        ...limit(lowering, stmt),
        ...moved(levels.slice(1).reverse(), levels.slice(0, -1).reverse()),
        assign(top, loaded(stmt), span),
      ];
    case "ParserCounter.pop":
      return moved(levels.slice(0, -1), levels.slice(1));
    case "ParserCounter.increment":
      return change("+");
    case "ParserCounter.decrement":
      return change("-");
    case "ParserCounter.is_zero":
      return answer(equal(top, number(0n, BYTE, span), span));
    default:
      return answer(binary(">=", top, number(128n, BYTE, span), BOOL, span));
  }
}

function moved(to: readonly Expr[], from: readonly Expr[]): Stmt[] {
  return to.map((one, i) => assign(one, defined(from[i]), one.span));
}

/** `((field rotated right) & mask) + add`; a plain value with one argument. */
function loaded({ args, span }: Extern): Expr {
  const [value, , rotate, mask, add] = args;
  const isPlain = rotate === undefined || mask === undefined || add === undefined;
  if (isPlain) return cast(low(defined(value)), BYTE, span);
  const by = Number(constantBits(fold(rotate))) % 8;
  const byte = low(defined(value));
  const right = binary(">>", byte, number(BigInt(by), BYTE, span), BYTE, span);
  const left = binary("<<", byte, number(BigInt((8 - by) % 8), BYTE, span), BYTE, span);
  const rotated = by === 0 ? byte : binary("|", right, left, BYTE, span);
  // Tofino 1 gives the number of the highest bit, Tofino 2 the bits themselves.
  const given = constantBits(fold(mask));
  const kept = totalWidth(mask.type) === 3 ? (1n << (given + 1n)) - 1n : given;
  const masked = binary("&", rotated, number(kept, BYTE, span), BYTE, span);
  return binary("+", masked, cast(add, BYTE, span), BYTE, span);
}

/** The low eight bits. */
function low(value: Expr): Expr {
  const width = totalWidth(value.type);
  return width > 8 ? sliceOf(value, 7, 0) : cast(value, BYTE, value.span);
}

/** A field above the limit is an error of the parser. */
function limit({ program }: Lowering, { args, span }: Extern): Stmt[] {
  const [value, max, rotate] = args;
  if (value === undefined || max === undefined || rotate === undefined) return [];
  const name = "CounterRange";
  const error: Expr = {
    kind: "member",
    name,
    index: program.errors.indexOf(name),
    type: { kind: "error" },
    span,
  };
  const width = Math.max(8, totalWidth(value.type));
  const condition = binary("<=", cast(value, bits(width), span), cast(max, bits(width), span), BOOL, span);
  return [{ kind: "verify", condition, error, span }];
}
