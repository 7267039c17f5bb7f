/** Types as written (P4-16 section 7, grammar `typeRef`). */
import { CODES } from "../codes.js";
import type { BitType, Expression, NamedType, TypeExpression } from "./ast.js";
import { type Cursor, spanOf } from "./cursor.js";
import { parseExpression } from "./expression-parser.js";
import { isName, type Token } from "./token.js";

const baseTypeKeywords = new Set([
  "bit",
  "int",
  "varbit",
  "bool",
  "error",
  "match_kind",
  "string",
  "tuple",
  "void",
]);

/** Whether a type certainly begins at this token: a keyword or a known type name. `error.x` is an expression. */
export function startsType(cursor: Cursor, distance = 0): boolean {
  const token = cursor.peek(distance);
  const next = cursor.peek(distance + 1);
  if (baseTypeKeywords.has(token.kind)) return token.kind !== "error" || next.kind !== ".";
  if (token.kind === "list") return next.kind === "<";
  if (token.kind === ".") return isName(next) && cursor.symbols.lookup(next.text, true)?.isType === true;
  return isName(token) && cursor.symbols.lookup(token.text)?.isType === true;
}

/** A type; `what` says in a message what it is for. */
export function parseType(cursor: Cursor, what = "a type"): TypeExpression {
  return cursor.nested(() => {
    const start = cursor.token;
    let type = parseSimpleType(cursor, what);
    while (cursor.at("[")) type = parseStackSuffix(cursor, type, start);
    return type;
  });
}

/** The `[size]` of `T[size]`; also after a declared name, as p4c allows. */
export function parseStackSuffix(cursor: Cursor, element: TypeExpression, start: Token): TypeExpression {
  const open = cursor.advance();
  const size = unclosed(cursor, () => parseExpression(cursor));
  cursor.expectClose("]", open);
  return { kind: "stackType", span: cursor.from(start), element, size };
}

function parseSimpleType(cursor: Cursor, what: string): TypeExpression {
  const token = cursor.token;
  switch (token.kind) {
    case "bit":
    case "int":
    case "varbit":
      return parseBitType(cursor, token.kind);
    case "bool":
    case "error":
    case "match_kind":
    case "string":
    case "void":
      cursor.advance();
      return { kind: "baseType", span: spanOf(token), name: token.kind };
    case "tuple": {
      cursor.advance();
      if (!cursor.at("<")) cursor.failExpected("'<' and the types of the tuple");
      const elements = parseTypeArguments(cursor);
      return { kind: "tupleType", span: cursor.from(token), elements };
    }
    case "list":
      if (cursor.peek().kind === "<") {
        cursor.advance();
        const elements = parseTypeArguments(cursor);
        if (elements.length !== 1)
          cursor.fail(
            CODES.severalElementTypes,
            cursor.from(token),
            `a list has one element type, not ${elements.length}`,
          );
        return { kind: "listType", span: cursor.from(token), element: elements[0]! };
      }
      return parseNamedType(cursor);
    case ".":
      return parseNamedType(cursor);
    default:
      if (isName(token)) return parseNamedType(cursor);
      if (["header", "struct", "enum", "header_union"].includes(token.kind))
        return cursor.fail(
          CODES.misplacedDeclaration,
          token,
          `expected ${what}, found the keyword '${token.text}'`,
          `declare the ${token.text} on its own and use its name here`,
        );
      return cursor.failExpected(what);
  }
}

function parseBitType(cursor: Cursor, base: BitType["base"]): BitType {
  const start = cursor.advance();
  let width: Expression | undefined;
  if (cursor.at("<")) {
    const open = cursor.advance();
    width = withClosingAngle(cursor, () => parseExpression(cursor));
    cursor.expectClose(">", open);
  } else if (base === "varbit") cursor.failExpected("'<' and the largest width of the varbit");
  return { kind: "bitType", span: cursor.from(start), base, width };
}

/** `T`, `.T`, `T<A>`. */
export function parseNamedType(cursor: Cursor): NamedType {
  const start = cursor.token;
  const absolute = cursor.accept(".");
  const name = cursor.name("the name of a type");
  const args = cursor.at("<") ? parseTypeArguments(cursor) : [];
  return { kind: "namedType", span: cursor.from(start), absolute, name, args };
}

/** `<A, B>`, with `_` and `void` among the arguments. */
export function parseTypeArguments(cursor: Cursor): TypeExpression[] {
  const open = cursor.advance();
  const args: TypeExpression[] = [];
  withClosingAngle(cursor, () => {
    if (cursor.at(">")) return;
    do {
      if (cursor.at("_")) {
        args.push({ kind: "baseType", span: spanOf(cursor.advance()), name: "_" });
      } else args.push(parseType(cursor));
    } while (cursor.accept(","));
  });
  cursor.expectClose(">", open);
  return args;
}

function withClosingAngle<T>(cursor: Cursor, parse: () => T): T {
  const before = cursor.closingAngle;
  cursor.closingAngle = true;
  const result = parse();
  cursor.closingAngle = before;
  return result;
}

/** Runs a parser inside brackets, where `>` compares again. */
export function unclosed<T>(cursor: Cursor, parse: () => T): T {
  const before = cursor.closingAngle;
  cursor.closingAngle = false;
  const result = parse();
  cursor.closingAngle = before;
  return result;
}
