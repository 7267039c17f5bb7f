/** A place in the token list, with what all parts of the parser share: expectations, recovery, depth limit. */
import { closest, type Diagnostics, type Note, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Identifier } from "./ast.js";
import { Symbols } from "./symbols.js";
import { isName, keywordSet, Token } from "./token.js";

/**
 * Bound on the nesting of expressions, statements and types, and on the height of the tree of an expression. Later
 * passes recurse over the tree, so it also bounds their stack.
 */
const MAX_DEPTH = 500;

/** Thrown after an error was recorded, caught where the parser can continue. */
const abort = { name: "syntax error already reported" };

export class Cursor {
  token: Token;
  /** The last token taken; before the first one, the first. */
  previous: Token;
  /** Height of the last expression parsed. */
  height = 0;
  /** In the width of `bit<...>` and in type arguments, `>` closes and does not compare. */
  closingAngle = false;
  #index = 0;
  #depth = 0;
  #lastError = -1;
  /** Braces open so far. */
  #braces = 0;

  constructor(
    readonly tokens: readonly Token[],
    readonly diagnostics: Diagnostics,
    /** Type names seen so far, scope by scope. */
    readonly symbols: Symbols = new Symbols(),
  ) {
    this.token = tokens[0]!;
    this.previous = this.token;
  }

  // ---------------------------------------------------------------- reading

  get index(): number {
    return this.#index;
  }

  at(kind: string): boolean {
    return this.token.kind === kind;
  }

  peek(distance = 1): Token {
    return this.tokens[this.#index + distance] ?? this.tokens.at(-1)!;
  }

  /** Takes the current token. */
  advance(): Token {
    const token = this.token;
    if (token.kind !== "end") {
      if (token.kind === "{") this.#braces++;
      else if (token.kind === "}") this.#braces--;
      this.previous = token;
      this.token = this.tokens[++this.#index]!;
    }
    return token;
  }

  /** Takes the current token if it is of that kind. */
  accept(kind: string): boolean {
    if (this.token.kind !== kind) return false;
    this.advance();
    return true;
  }

  /** @param purpose what the token is for, as in "expected ')' to close ..." */
  expect(kind: string, purpose = ""): Token {
    if (this.token.kind === kind) return this.advance();
    return this.failExpected(`'${kind}'${purpose === "" ? "" : ` ${purpose}`}`);
  }

  /** Takes the closing counterpart of `open`. */
  expectClose(kind: string, open: Token): Token {
    if (this.token.kind === kind) return this.advance();
    return this.fail(
      this.at("end") ? CODES.neverClosed : CODES.unexpectedToken,
      this.at("end") ? open : this.token,
      this.at("end")
        ? `this '${open.text}' is never closed`
        : `expected '${kind}', found ${describe(this.token)}`,
      ...(this.at("end") ? [] : [{ message: `it would close the '${open.text}' here`, span: spanOf(open) }]),
    );
  }

  /** A name chosen by the program. */
  name(what: string): Identifier {
    const { token } = this;
    if (isName(token)) {
      this.advance();
      return { name: token.text, span: spanOf(token) };
    }
    if (keywordSet.has(token.kind))
      this.fail(CODES.keywordAsName, token, `expected ${what}, but '${token.text}' is a keyword of P4`);
    return this.failExpected(what);
  }

  /**
   * The semicolon after something. If it is missing and a new line or `}` follows, the parser continues as if it were
   * there; else it skips to the next semicolon.
   */
  semicolon(after: string): void {
    if (this.accept(";")) return;
    const { token, previous } = this;
    const end = { file: previous.file, start: previous.end, end: previous.end };
    if (token.newline || token.kind === "}" || token.kind === "end") {
      this.error(CODES.missingSemicolon, end, `expected ';' after ${after}`);
      return;
    }
    this.fail(CODES.missingSemicolon, token, `expected ';' after ${after}, found ${describe(token)}`);
  }

  /** The span from a token to the last one taken. */
  from(start: Token): Span {
    const { previous } = this;
    if (start.file !== previous.file) return spanOf(start);
    return {
      file: start.file,
      start: start.start,
      end: Math.max(previous.end, start.end),
    };
  }

  /** The span from a node's begin to the last token taken. */
  fromSpan(start: Span): Span {
    const { previous } = this;
    if (start.file !== previous.file) return start;
    return {
      file: start.file,
      start: Math.min(start.start, previous.start),
      end: Math.max(previous.end, start.end),
    };
  }

  // ---------------------------------------------------------------- errors

  /** Records an error unless there is already one at this token: a second one would only be its echo. */
  error(code: string, span: Span, message: string, ...notes: (Note | string)[]): void {
    if (this.#lastError === this.#index) return;
    this.#lastError = this.#index;
    if (this.token.kind === "other") {
      const { text } = this.token;
      this.diagnostics.error(
        CODES.foreignCharacter,
        spanOf(this.token),
        `the character '${text}' has no meaning in P4`,
      );
      return;
    }
    this.diagnostics.error(code, { file: span.file, start: span.start, end: span.end }, message, ...notes);
  }

  fail(code: string, span: Span, message: string, ...notes: (Note | string)[]): never {
    this.error(code, span, message, ...notes);
    throw abort;
  }

  failExpected(what: string, ...notes: (Note | string)[]): never {
    return this.fail(
      CODES.unexpectedToken,
      this.token,
      `expected ${what}, found ${describe(this.token)}`,
      ...notes,
    );
  }

  /**
   * Reports a misspelt keyword that begins a declaration, a block or a table property, and replaces it by the keyword.
   * Nothing else begins with a name that is not a type, an optional second name, and a brace.
   * @param keywords that can begin the item
   */
  correct(...keywords: string[]): void {
    const { token } = this;
    if (token.kind !== "identifier" || this.symbols.lookup(token.text)?.isType === true) return;
    const next = this.peek();
    const named = isName(next) && !next.newline;
    const after = named || next.kind === "=" ? this.peek(2).kind : next.kind;
    if (after !== "{" && !(named && after === "(")) return;
    const meant = closest(token.text, keywords);
    if (meant === undefined) return;
    this.error(CODES.misspeltKeyword, token, `P4 has no keyword '${token.text}'`, `did you mean ${meant}?`);
    const { file, start, end, newline, space } = token;
    this.token = new Token(meant, file, start, end, meant, newline, space);
  }

  /** Runs a part of the parser one level deeper. */
  nested<T>(parse: () => T): T {
    if (this.#depth >= MAX_DEPTH) this.failDepth();
    this.#depth++;
    const result = parse();
    this.#depth--;
    return result;
  }

  /** Notes the height of the tree just built from parts of the heights given. */
  grow(height: number): void {
    this.height = height + 1;
    if (this.height > MAX_DEPTH) this.failDepth();
  }

  failDepth(): never {
    return this.fail(
      CODES.nestedTooDeeply,
      this.token,
      `nested more than ${MAX_DEPTH} levels deep`,
      "split the expression or statement; constants and functions help",
    );
  }

  /**
   * Items up to a `}` (which is not taken) or to where `isEnd` holds. After a wrong item parsing continues; `starts` says
   * at which tokens another item begins.
   */
  items<T>(parse: () => T, starts: (token: Token) => boolean = () => false, isEnd = () => false): T[] {
    const list: T[] = [];
    while (!this.at("}") && !this.at("end") && !isOutermost(this.token) && !isEnd()) {
      const item = this.attempt(parse, starts);
      if (item !== undefined) list.push(item);
      else if (isOutermost(this.token)) throw abort;
    }
    return list;
  }

  /**
   * Runs a parser. After an error it skips to after the next `;` or `}` at the level where it began, or to a token on a
   * new line for which `starts` holds, and returns undefined.
   */
  attempt<T>(parse: () => T, starts: (token: Token) => boolean = () => false): T | undefined {
    const depth = this.#depth;
    const braces = this.#braces;
    const index = this.#index;
    const scope = this.symbols.depth;
    const { closingAngle } = this;
    try {
      return parse();
    } catch (error) {
      if (error !== abort) throw error;
      this.#depth = depth;
      this.closingAngle = closingAngle;
      this.symbols.leave(scope);
      if (this.#index === index) this.advance();
      this.#skip(braces, starts);
      this.#braces = braces;
      return undefined;
    }
  }

  #skip(braces: number, starts: (token: Token) => boolean): void {
    for (; !this.at("end"); this.advance()) {
      const { token } = this;
      if (isOutermost(token)) return;
      if (this.#braces > braces) {
        if (token.kind !== "}" || this.#braces - 1 > braces) continue;
        this.advance();
        this.accept(";");
        return;
      }
      if (token.kind === "}" || (token.newline && starts(token))) return;
      if (token.kind === ";") {
        this.advance();
        return;
      }
    }
  }
}

/** Keywords that begin a declaration of the top level and nothing else. */
const outermostKeywords = new Set(["control", "parser", "package"]);
/** Keywords of the top level that are also written elsewhere by mistake. */
const outerKeywords = new Set(["header", "header_union", "struct", "enum", "typedef", "extern"]);

/** Whether the token shows, by its place too, that a brace was left open before it. */
export function isOutermost(token: Token): boolean {
  if (outermostKeywords.has(token.kind)) return token.newline;
  return outerKeywords.has(token.kind) && (token.start === 0 || token.file.text[token.start - 1] === "\n");
}

/** A token in a message. */
export function describe(token: Token): string {
  if (token.kind === "end") return "the end of the file";
  if (token.kind === "stringLiteral") return `the string "${shorten(token.text)}"`;
  if (token.kind === "integer") return `the number ${shorten(token.text)}`;
  if (token.kind !== "identifier" && keywordSet.has(token.kind)) return `the keyword '${token.text}'`;
  return `'${shorten(token.text)}'`;
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

/** The place of a token without the token, which would keep its text alive. */
export function spanOf(token: Span): Span {
  return { file: token.file, start: token.start, end: token.end };
}
