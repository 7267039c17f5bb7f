/** Annotations (P4-16 section 18.2). */
import { Diagnostics } from "../../../base/index.js";
import type { Annotation, Expression, Identifier } from "./ast.js";
import { Cursor, spanOf } from "./cursor.js";
import { parseExpression } from "./expression-parser.js";
import { isName, isWord, Token, tokenText } from "./token.js";
import { parseType, startsType } from "./type-parser.js";

export function parseAnnotations(cursor: Cursor): Annotation[] {
  const annotations: Annotation[] = [];
  while (cursor.at("@")) annotations.push(parseAnnotation(cursor));
  return annotations;
}

function parseAnnotation(cursor: Cursor): Annotation {
  const start = cursor.advance();
  const word = cursor.token;
  if (!isWord(word)) cursor.failExpected("the name of an annotation");
  cursor.advance();
  if (word.text === "pragma" && !word.space) return parsePragma(cursor, start);
  const name = word.text;
  if (cursor.at("(")) {
    const open = cursor.advance();
    const tokens = balancedTokens(cursor, open);
    const body = unstructured(cursor, tokens);
    return { name, span: cursor.from(start), body };
  }
  if (cursor.at("[")) {
    const body = structured(cursor);
    return { name, span: cursor.from(start), body };
  }
  return { name, span: cursor.from(start), body: { kind: "none" } };
}

/** `@pragma name ...` to the end of the line, a form from before annotations. */
function parsePragma(cursor: Cursor, start: Token): Annotation {
  const word = cursor.token;
  if (!isWord(word) || word.newline) cursor.failExpected("the name of the pragma on the same line");
  cursor.advance();
  const tokens: Token[] = [];
  while (!cursor.token.newline) tokens.push(cursor.advance());
  const body: Annotation["body"] = tokens.length === 0 ? { kind: "none" } : unstructured(cursor, tokens);
  return { name: word.text, span: cursor.from(start), body };
}

/** Takes everything up to the parenthesis that closes `open`. */
function balancedTokens(cursor: Cursor, open: Token): Token[] {
  const tokens: Token[] = [];
  for (let depth = 0; ; ) {
    const { kind } = cursor.token;
    if (kind === ")" && depth-- === 0) break;
    if (kind === "end") break;
    if (kind === "(") depth++;
    tokens.push(cursor.advance());
  }
  cursor.expectClose(")", open);
  return tokens;
}

function unstructured(cursor: Cursor, tokens: readonly Token[]): Annotation["body"] {
  const [first] = tokens;
  if (tokens.length === 1 && first!.kind === "stringLiteral") {
    const value: Expression = { kind: "stringLiteral", span: spanOf(first!), value: first!.text };
    return { kind: "unstructured", text: tokenText(first!), values: [value] };
  }
  const text = tokens.map(tokenText).join(" ");
  return { kind: "unstructured", text, values: parseValues(cursor, tokens) };
}

/** The tokens as a list of expressions or types; undefined if they are something else, which is no mistake. */
function parseValues(cursor: Cursor, tokens: readonly Token[]): Expression[] | undefined {
  const { file, end } = cursor.previous;
  const quiet = new Diagnostics();
  const inner = new Cursor(
    [...tokens, new Token("end", file, end, end, "", true, true)],
    quiet,
    cursor.symbols,
  );
  const values = inner.attempt(() => {
    const list: Expression[] = [];
    while (!inner.at("end")) {
      list.push(parseValue(inner));
      if (!inner.at("end")) inner.expect(",");
    }
    return list;
  });
  return quiet.hasErrors ? undefined : values;
}

function parseValue(cursor: Cursor): Expression {
  if (!startsType(cursor)) return parseExpression(cursor);
  const next = cursor.peek().kind;
  if (isName(cursor.token) && (next === "." || next === "(")) return parseExpression(cursor);
  const typeExpression = parseType(cursor);
  return { kind: "typeName", span: typeExpression.span, typeExpression };
}

/** `[a, b]` or `[key = a, other = b]`. */
function structured(cursor: Cursor): Annotation["body"] {
  const open = cursor.advance();
  if (isName(cursor.token) && cursor.peek().kind === "=") {
    const pairs: { key: Identifier; value: Expression }[] = [];
    do {
      if (cursor.at("]")) break;
      const key = cursor.name("a key");
      cursor.expect("=", "and the value of the key");
      pairs.push({ key, value: parseExpression(cursor) });
    } while (cursor.accept(","));
    cursor.expectClose("]", open);
    return { kind: "pairs", pairs };
  }
  const values: Expression[] = [];
  while (!cursor.at("]")) {
    values.push(parseExpression(cursor));
    if (!cursor.accept(",")) break;
  }
  cursor.expectClose("]", open);
  return { kind: "expressions", values };
}
