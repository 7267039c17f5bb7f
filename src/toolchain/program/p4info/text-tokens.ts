/** Tokens of the protobuf text format (Protocol Buffers "Text Format Language Specification"). */

import { fail, type SourceFile, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";

type TokenKind = "name" | "number" | "string" | "symbol" | "end";

export interface Token {
  readonly kind: TokenKind;
  /** The characters as written; of a string token with its quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fF]?)/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'/y;
const BLANK = /(?:[ \t\r\n\f\v]+|#[^\n]*)+/y;
const SYMBOLS = "{}<>[]:;,.-/";

/** The next token at or after `offset`. */
export function nextToken(file: SourceFile, offset: number): Token {
  const { text } = file;
  BLANK.lastIndex = offset;
  const start = BLANK.test(text) ? BLANK.lastIndex : offset;
  if (start >= text.length) return { kind: "end", text: "", start: text.length, end: text.length };
  const token = (kind: TokenKind, end: number): Token => ({ kind, text: text.slice(start, end), start, end });
  for (const [kind, pattern] of [
    ["name", NAME],
    ["number", NUMBER],
    ["string", STRING],
  ] as const) {
    pattern.lastIndex = start;
    if (pattern.test(text)) return token(kind, pattern.lastIndex);
  }
  const char = text[start]!;
  if (SYMBOLS.includes(char)) return token("symbol", start + 1);
  const span: Span = { file, start, end: start + 1 };
  if (char === '"' || char === "'")
    fail(CODES.textSyntax, span, "string without its closing quote on the same line");
  return fail(CODES.textSyntax, span, `unexpected character ${JSON.stringify(char)} in protobuf text`);
}

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
  "'": 39,
  '"': 34,
  "?": 63,
};

const encoder = new TextEncoder();

/** The bytes of a string token. */
export function unquote(file: SourceFile, token: Token): Uint8Array {
  const body = token.text.slice(1, -1);
  if (!body.includes("\\")) return encoder.encode(body);
  const bytes: number[] = [];
  const pieces =
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))|[^\\]+/g;
  for (const part of body.matchAll(pieces)) {
    const [all, octal, hex, short, long, simple] = part;
    const bad = (why: string): never => {
      const start = token.start + 1 + part.index;
      return fail(CODES.textSyntax, { file, start, end: start + all.length }, why);
    };
    if (octal !== undefined) {
      const value = Number.parseInt(octal, 8);
      if (value > 255) bad(`escape ${all} is no byte: the largest octal escape is \\377`);
      bytes.push(value);
    } else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (short !== undefined || long !== undefined) {
      const point = Number.parseInt((short ?? long)!, 16);
      if (point > 0x10ffff) bad(`escape ${all} is beyond the last Unicode character`);
      bytes.push(...encoder.encode(String.fromCodePoint(point)));
    } else if (simple !== undefined) {
      const value = SIMPLE[simple];
      if (value === undefined) bad(`unknown escape ${all} in a string`);
      bytes.push(value!);
    } else bytes.push(...encoder.encode(all));
  }
  return Uint8Array.from(bytes);
}
