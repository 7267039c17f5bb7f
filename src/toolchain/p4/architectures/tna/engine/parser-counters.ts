/** The counter of a parser as a variable of eight bits; that of Tofino 2 is the top of a stack of four. */
import { defined } from "../../../../../base/index.js";
import { constantBits } from "../../../emit/bmv2-tables.js";
import { binary, cast, equal, number } from "../../../lower/build.js";
import { fold } from "../../../lower/fold.js";
import type { Expr, Stmt, StmtOf } from "../../../lower/ir.js";
import { BOOL, bits, totalWidth } from "../../../lower/ir-types.js";
import { assign, sliceOf } from "../../../lower/plain-values.js";
import type { Lowering } from "./lowering.js";

type Extern = StmtOf<"extern">;

const BYTE = bits(8);
const DEPTH = 4;

export function counterCall(lowering: Lowering, stmt: Extern): Stmt[] {
  const { args, result, span } = stmt;
  const levels = Array.from({ length: DEPTH }, (_, i) =>
    lowering.shared(defined(stmt.instance), `counter${i}`, BYTE),
  );
  const top = defined(levels[0]);
  // With an entry that was pushed so, the one below it counts too.
  const linked = Array.from({ length: DEPTH - 1 }, (_, i) =>
    lowering.shared(defined(stmt.instance), `linked${i}`, BOOL),
  );
  const change = (op: "+" | "-"): Stmt[] => {
    const by = cast(defined(args[0]), BYTE, span);
    const from = (level: number): Stmt[] => {
      const one = levels[level];
      if (one === undefined) return [];
      const link = linked[level];
      const below: Stmt[] =
        link === undefined
          ? []
          : [{ kind: "if", condition: link, whenTrue: from(level + 1), whenFalse: [], span }];
      return [assign(one, binary(op, one, by, BYTE, span), span), ...below];
    };
    return from(0);
  };
  const answer = (value: Expr): Stmt[] => (result === undefined ? [] : [assign(result, value, span)]);
  switch (stmt.name) {
    case "ParserCounter.set":
      return [...limit(lowering, stmt), assign(top, loaded(stmt), span)];
    case "ParserCounter.push":
      return [
        ...limit(lowering, stmt),
        ...moved(levels.slice(1).reverse(), levels.slice(0, -1).reverse()),
        ...moved(linked.slice(1).reverse(), linked.slice(0, -1).reverse()),
        assign(top, loaded(stmt), span),
        assign(defined(linked[0]), flag(stmt), span),
      ];
    case "ParserCounter.pop":
      return [...moved(levels.slice(0, -1), levels.slice(1)), ...moved(linked.slice(0, -1), linked.slice(1))];
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

/** `update_with_top`, which is the last argument. */
function flag({ args, span }: Extern): Expr {
  const last = args.at(-1);
  return last?.type.kind === "bool" ? last : { kind: "bool", value: false, type: BOOL, span };
}

/** `((field rotated right) & mask) + add`; a plain value with one argument. */
function loaded({ args, span }: Extern): Expr {
  const [value, , rotate, mask, add] = args;
  if (rotate === undefined || mask === undefined || add === undefined)
    return cast(plain(defined(value)), BYTE, span);
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
function plain(value: Expr): Expr {
  return totalWidth(value.type) > 8 ? sliceOf(value, 7, 0) : cast(value, BYTE, value.span);
}

/** The byte of the packet in which a field lies, or the low eight bits of a value. */
function low(value: Expr): Expr {
  const width = totalWidth(value.type);
  if (width < 8 && value.kind === "field" && value.base.type.kind === "header") {
    const { fields } = value.base.type;
    const at = fields.findIndex(({ name }) => name === value.name);
    const end = fields.slice(0, at + 1).reduce((sum, { type }) => sum + totalWidth(type), 0);
    const above = number(BigInt((8 - (end % 8)) % 8), BYTE, value.span);
    return binary("<<", cast(value, BYTE, value.span), above, BYTE, value.span);
  }
  return plain(value);
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
  const held = width > 8 ? cast(value, bits(width), span) : low(value);
  const condition = binary("<=", held, cast(max, bits(width), span), BOOL, span);
  return [{ kind: "verify", condition, error, span }];
}
