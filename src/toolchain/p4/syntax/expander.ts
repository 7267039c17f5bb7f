/** Replaces macros in a stream of tokens (C11 section 6.10.3), within bounds. */
import { Diagnostics, joinSpans, type Note, SourceFile, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { type Macro, replaceMacro } from "./macro.js";
import { Scanner } from "./scanner.js";
import { isWord, Token } from "./token.js";

/** Nested macro arguments; each level is a level of our own stack. */
const MAX_ARGUMENT_DEPTH = 200;
/** Tokens that macros may add to one program. */
const MAX_MACRO_TOKENS = 1_000_000;

/** Where the tokens of a file come from, directives already carried out. */
export interface TokenSource {
  /** The next token; at the end one of kind `end`. */
  next(): Token;
  /** Puts the token just read back, so that it is read again. */
  unread(token: Token): void;
}

/** Tokens to read before those of the source. */
interface Context {
  tokens: readonly Token[];
  index: number;
  /** The macro whose replacement they are. */
  macro: Macro | undefined;
  /** Nothing is read beyond the end: the tokens are expanded on their own. */
  isolated: boolean;
}

/** Thrown when a limit was passed, after it was reported: no program is left to read. */
export class ExpansionLimit {}

export class Expander {
  readonly macros = new Map<string, Macro>();
  #contexts: Context[] = [];
  #macroTokens = 0;
  #depth = 0;

  constructor(
    readonly source: TokenSource,
    readonly diagnostics: Diagnostics,
    /** Called with each name that stands for a macro. */
    readonly used: (name: Token, macro: Macro) => void = () => {},
  ) {}

  /** The next token with macros replaced. */
  next(): Token {
    return this.#next()!;
  }

  /** Expands a token list on its own, for example a macro argument or the rest of a directive. */
  expandList(tokens: readonly Token[]): Token[] {
    if (tokens.length === 0) return [];
    if (this.#depth >= MAX_ARGUMENT_DEPTH)
      this.#fail(tokens[0]!, `macro uses are nested more than ${MAX_ARGUMENT_DEPTH} deep`);
    const outer = this.#contexts;
    this.#contexts = [{ tokens, index: 0, macro: undefined, isolated: true }];
    this.#depth++;
    const out: Token[] = [];
    for (let token = this.#next(); token !== undefined; token = this.#next()) out.push(token);
    this.#depth--;
    this.#contexts = outer;
    return out;
  }

  /** Undefined at the end of an isolated list. */
  #next(): Token | undefined {
    for (;;) {
      const token = this.#raw();
      if (token === undefined || token.painted || !isWord(token)) return token;
      const macro = this.macros.get(token.text);
      if (macro === undefined) return token;
      this.used(token, macro);
      if (macro.active) return paint(token);
      if (!this.#expand(macro, token)) return token;
    }
  }

  #raw(): Token | undefined {
    for (;;) {
      const context = this.#contexts.at(-1);
      if (context === undefined) return this.source.next();
      if (context.index < context.tokens.length) return context.tokens[context.index++];
      if (context.isolated) return undefined;
      if (context.macro !== undefined) context.macro.active = false;
      this.#contexts.pop();
    }
  }

  #unread(token: Token): void {
    const context = this.#contexts.at(-1);
    if (context === undefined) this.source.unread(token);
    else context.index--;
  }

  /** Puts the replacement of a use in front of the input; false where a function-like macro is not called. */
  #expand(macro: Macro, name: Token): boolean {
    if (macro.builtin !== undefined) {
      const { kind, file, start, end, text } = macro.builtin(name);
      const token = new Token(kind, file, start, end, text, name.newline, name.space);
      this.#contexts.push({ tokens: [token], index: 0, macro: undefined, isolated: false });
      return true;
    }
    let use: Span = { file: name.file, start: name.start, end: name.end };
    let args: Token[][] = [];
    if (macro.params !== undefined) {
      const open = this.#raw();
      if (open?.kind !== "(") {
        if (open !== undefined) this.#unread(open);
        return false;
      }
      const found = this.#arguments(macro, name, open);
      if (found === undefined) return true;
      args = found.args;
      use = joinSpans(use, found.close);
    }
    const tokens = replaceMacro({
      macro,
      name,
      use,
      args,
      expand: (list) => this.expandList(list),
      scan: scanText,
      diagnostics: this.diagnostics,
    });
    this.#macroTokens += tokens.length;
    if (this.#macroTokens > MAX_MACRO_TOKENS)
      this.#fail(
        use,
        `macros expand to more than ${MAX_MACRO_TOKENS} tokens`,
        "a macro that uses another one several times multiplies its size",
      );
    macro.active = true;
    this.#contexts.push({ tokens, index: 0, macro, isolated: false });
    return true;
  }

  /**
   * The arguments after an opening parenthesis; undefined after an error. Then the macro's name is the next token,
   * followed by what was read if no parenthesis closed it, so that the parser can continue.
   */
  #arguments(macro: Macro, name: Token, open: Token): { args: Token[][]; close: Token } | undefined {
    const args: Token[][] = [[]];
    const all: Token[] = [paint(name), open];
    const count = macro.params!.length;
    const putBack = (tokens: readonly Token[]) =>
      this.#contexts.push({ tokens, index: 0, macro: undefined, isolated: false });
    for (let depth = 0; ; ) {
      const token = this.#raw();
      if (token === undefined || token.kind === "end") {
        if (token !== undefined) this.#unread(token);
        this.diagnostics.error(
          CODES.macroArguments,
          name,
          `the arguments of macro '${name.text}' have no closing )`,
        );
        putBack(all);
        return undefined;
      }
      if (token.kind === ")" && depth-- === 0) {
        if (count === 0 && args.length === 1 && args[0]!.length === 0) return { args: [], close: token };
        if (macro.variadic && args.length === count - 1) args.push([]);
        if (args.length === count) return { args, close: token };
        this.diagnostics.error(
          CODES.macroArguments,
          joinSpans(name, token),
          `macro '${name.text}' takes ${count} argument${count === 1 ? "" : "s"}, not ${args.length}`,
          ...definitionNote(macro),
        );
        putBack(all.slice(0, 1));
        return undefined;
      }
      all.push(token);
      if (token.kind === "(") depth++;
      if (token.kind === "," && depth === 0 && !(macro.variadic && args.length === count)) args.push([]);
      else args.at(-1)!.push(token);
    }
  }

  #fail(span: Span, message: string, ...notes: string[]): never {
    this.diagnostics.error(CODES.endlessMacro, span, message, ...notes);
    throw new ExpansionLimit();
  }
}

function paint({ kind, file, start, end, text, newline, space }: Token): Token {
  return new Token(kind, file, start, end, text, newline, space, true);
}

/** Says where a macro was defined, if that was in a file. */
export function definitionNote(macro: Macro): Note[] {
  return macro.span === undefined ? [] : [{ message: `'${macro.name}' is defined here`, span: macro.span }];
}

/** The tokens of a piece of text, all at one place. */
export function scanText(text: string, place: Span): Token[] {
  const scanner = new Scanner(new SourceFile("<text>", text), new Diagnostics());
  const tokens: Token[] = [];
  for (let token = scanner.next(); token.kind !== "end"; token = scanner.next()) {
    const { kind, text: spelled, space } = token;
    tokens.push(new Token(kind, place.file, place.start, place.end, spelled, false, space));
  }
  return tokens;
}
