/** Tokens of P4-16 (specification section 6.4), shared by the preprocessor and the parser. */
import type { SourceFile, Span } from "../../../base/index.js";

const keywords = [
  ..."abstract action actions apply bit bool break const continue control default else entries enum".split(
    " ",
  ),
  ..."error exit extern false for header header_union if in inout int key list match_kind out".split(" "),
  ..."package parser priority return select state string struct switch table this transition true".split(" "),
  ..."tuple type typedef value_set varbit void _".split(" "),
];

/** Keywords that may also name things: the grammar's `nonTypeName` and `list`. */
const nameKeywords: ReadonlySet<string> = new Set([
  "actions",
  "apply",
  "entries",
  "key",
  "list",
  "priority",
  "state",
  "type",
]);

export const keywordSet: ReadonlySet<string> = new Set(keywords);

/** Longest first within one first character, as the scanner tries them in this order. */
export const punctuators: readonly string[] = [
  ..."|+|= |-|= <<= >>= &&& ... |+| |-| {#} .. << && || == != >= <= ++ += -= *= /= %= &= |= ^= +: ##".split(
    " ",
  ),
  ..."( ) [ ] { } < > , ; : . = + - * / % & | ^ ~ ! ? @ #".split(" "),
];

/**
 * What a token is: a keyword or punctuator is its own kind; the others are `identifier`, `integer`,
 * `stringLiteral`, `other` (a character that P4 does not use) and `end`.
 */
export type TokenKind = string;

/**
 * A token is a span too: the place of its text, or of the macro use that it came from. Its parts are parameters, since a program has tens of
 * thousands of tokens, and an object for each call would cost more than the rest of the scanner.
 */
export class Token implements Span {
  constructor(
    readonly kind: TokenKind,
    readonly file: SourceFile,
    readonly start: number,
    readonly end: number,
    /** As written; of a string, without the quotes. */
    readonly text: string,
    /** The first token of its line; the newline may also have stood in a macro argument. */
    readonly newline: boolean,
    /** White space or a comment stood before it. */
    readonly space: boolean,
    /** A macro name that must not be expanded any more (C11 6.10.3.4). */
    readonly painted: boolean = false,
  ) {}
}

export function isWord(token: Token): boolean {
  return token.kind === "identifier" || keywordSet.has(token.kind);
}

/** Whether the token can be a name that the program chooses. */
export function isName(token: Token): boolean {
  return token.kind === "identifier" || nameKeywords.has(token.kind);
}

/** The token as it is written in a source file. */
export function tokenText(token: Token): string {
  return token.kind === "stringLiteral" ? `"${token.text}"` : token.text;
}
