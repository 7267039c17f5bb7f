/** Key sets: what select cases and table entries match (P4-16 section 8.15). */
import type { Expression } from "./ast.js";
import { type Cursor, spanOf } from "./cursor.js";
import { continueExpression, parseExpression } from "./expression-parser.js";
import { isName } from "./token.js";
import { startsType } from "./type-parser.js";

/** Keys of a select case or a table entry (section 13.6): one, or several in parentheses. */
export function parseKeySet(cursor: Cursor): Expression[] {
  if (!cursor.at("(") || startsCast(cursor)) return [parseKeyElement(cursor)];
  const open = cursor.advance();
  const first = parseKeyElement(cursor);
  const isSimple =
    first.kind !== "mask" && first.kind !== "range" && first.kind !== "default" && first.kind !== "dontCare";
  if (isSimple && cursor.at(")")) {
    // One expression in parentheses, which may be only the begin of a longer one.
    cursor.advance();
    first.span = cursor.from(open);
    return [
      keyRest(
        cursor,
        cursor.nested(() => continueExpression(cursor, first)),
      ),
    ];
  }
  const keys = [first];
  while (cursor.accept(",")) keys.push(parseKeyElement(cursor));
  cursor.expectClose(")", open);
  return keys;
}

/** `(T) ...`, and not `(E.member, ...)` or `(T(...), ...)`. */
function startsCast(cursor: Cursor): boolean {
  if (!startsType(cursor, 1)) return false;
  const first = cursor.peek();
  if (!isName(first) && first.kind !== ".") return true;
  const after = cursor.peek(first.kind === "." ? 3 : 2).kind;
  return after !== "." && after !== "(";
}

function parseKeyElement(cursor: Cursor): Expression {
  const { token } = cursor;
  if (cursor.accept("default")) return { kind: "default", span: spanOf(token) };
  if (cursor.accept("_")) return { kind: "dontCare", span: spanOf(token) };
  return keyRest(cursor, parseExpression(cursor));
}

/** The rest of `value &&& mask` or `low .. high` after the first operand. */
function keyRest(cursor: Cursor, first: Expression): Expression {
  if (cursor.accept("&&&")) {
    const mask = parseExpression(cursor);
    return { kind: "mask", span: cursor.fromSpan(first.span), value: first, mask };
  }
  return rangeRest(cursor, first);
}

/** The rest of `low .. high` after `low`. */
export function rangeRest(cursor: Cursor, first: Expression): Expression {
  if (!cursor.accept("..")) return first;
  const high = parseExpression(cursor);
  return { kind: "range", span: cursor.fromSpan(first.span), low: first, high };
}
