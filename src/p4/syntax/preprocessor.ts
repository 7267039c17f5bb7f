/**
 * The preprocessor (P4-16 section 4.2; rules as in C11 section 6.10, where P4-16 says nothing more). It works on tokens, so
 * that each keeps its place in the file it was written in. A token from a macro's body has the place of the
 * macro's outermost use; one from an argument keeps its own.
 */
import { Diagnostics, joinSpans, type Note, SourceFile, type Span } from "../../base/index.js";
import { standardLibrary } from "../stdlib/index.js";
import { ConditionError, evaluateCondition } from "./condition.js";
import { LineView } from "./line-view.js";
import { builtinMacro, type Macro, replaceMacro, sameMacro } from "./macro.js";
import { Scanner } from "./scanner.js";
import { isWord, Token, tokenText } from "./token.js";

/** Finds the file that an `#include` in `fromFile` means; `system` for the form with `<>`. */
export type IncludeResolver = (name: string, fromFile: SourceFile, system: boolean) => SourceFile | undefined;

export interface PreprocessorOptions {
  file: SourceFile;
  /** Asked before the library that the compiler carries (core.p4, v1model.p4). */
  resolveInclude?: IncludeResolver;
  /** As `-D NAME=VALUE`; a name may have parameters, `MAX(a, b)`. */
  defines?: Readonly<Record<string, string>>;
  /** As `-U NAME`, after the defines. */
  undefines?: readonly string[];
}

const MAX_INCLUDE_DEPTH = 200;
const MAX_INCLUDES = 10_000;
/** Nested macro arguments; each level is a level of our own stack. */
const MAX_ARGUMENT_DEPTH = 200;
/** Tokens that macros may add to one program. */
const MAX_MACRO_TOKENS = 4_000_000;

/** An `#if` and what belongs to it. */
interface Conditional {
  directive: Span;
  /** Some group was already taken. */
  taken: boolean;
  elseSeen: Span | undefined;
}

interface OpenFile {
  scanner: Scanner;
  /** The file as opened, whatever `#line` says. */
  file: SourceFile;
  conditionals: Conditional[];
}

/** Tokens to read before the file goes on; with the macro that they replace. */
interface Context {
  tokens: readonly Token[];
  index: number;
  macro: Macro | undefined;
}

/** All tokens of a program, the last of kind `end`. */
export function preprocessTokens(options: PreprocessorOptions, diagnostics: Diagnostics): Token[] {
  return new Preprocessor(options, diagnostics).run();
}

class Preprocessor {
  readonly #macros = new Map<string, Macro>();
  readonly #files: OpenFile[] = [];
  readonly #onceFiles = new Set<SourceFile>();
  #current: OpenFile;
  #contexts: Context[] = [];
  /** A token read too far, of the current file. */
  #ahead: Token | undefined;
  #includes = 0;
  #macroTokens = 0;
  #argumentDepth = 0;
  #counter = 0;
  #givenUp = false;

  constructor(
    readonly options: PreprocessorOptions,
    readonly diagnostics: Diagnostics,
  ) {
    this.#current = { scanner: new Scanner(options.file, diagnostics), file: options.file, conditionals: [] };
    this.#files.push(this.#current);
    this.#predefine();
  }

  run(): Token[] {
    const tokens: Token[] = [];
    for (;;) {
      const token = this.#next();
      tokens.push(token!);
      if (token!.kind === "end") return tokens;
    }
  }

  // ---------------------------------------------------------------- tokens

  /** The next token with macros expanded; undefined only inside {@link Preprocessor.#expandList}, at its end. */
  #next(): Token | undefined {
    for (;;) {
      const token = this.#raw();
      if (token === undefined || token.painted || this.#macros.size === 0 || !isWord(token)) return token;
      const macro = this.#macros.get(token.text);
      if (macro === undefined || this.#givenUp) return token;
      if (macro.active) return paint(token);
      if (!this.#expand(macro, token)) return token;
    }
  }

  #raw(): Token | undefined {
    for (;;) {
      const context = this.#contexts.at(-1);
      if (context === undefined) return this.#fromFile();
      if (context.index < context.tokens.length) return context.tokens[context.index++];
      if (context.macro === undefined) return undefined;
      context.macro.active = false;
      this.#contexts.pop();
    }
  }

  /** The next token of the file, directives carried out. */
  #fromFile(): Token {
    for (;;) {
      const token = this.#ahead ?? this.#current.scanner.next();
      this.#ahead = undefined;
      if (token.kind === "#" && token.newline) this.#directive(token);
      else if (token.kind !== "end") return token;
      else if (!this.#closeFile()) return token;
    }
  }

  /** Puts the replacement of a use in front of the input; false where a function-like macro is not called. */
  #expand(macro: Macro, name: Token): boolean {
    if (macro.builtin !== undefined) {
      const value = macro.builtin(name);
      this.#contexts.push({
        tokens: [
          new Token(value.kind, name.file, name.start, name.end, value.text, name.newline, name.space),
        ],
        index: 0,
        macro: { ...macro },
      });
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
      const found = this.#arguments(macro, name);
      if (found === undefined) return true;
      args = found.args;
      use = joinSpans(use, found.close);
    }
    const tokens = replaceMacro({
      macro,
      name,
      use,
      args,
      expand: (list) => this.#expandList(list),
      scan: (text, place) => scanText(text, place),
      diagnostics: this.diagnostics,
    });
    this.#macroTokens += tokens.length;
    if (this.#macroTokens > MAX_MACRO_TOKENS && !this.#givenUp) {
      this.#givenUp = true;
      this.diagnostics.error(
        "P40109",
        use,
        `macros expand to more than ${MAX_MACRO_TOKENS} tokens`,
        "a macro that uses another one several times multiplies its size",
      );
    }
    macro.active = true;
    this.#contexts.push({ tokens, index: 0, macro });
    return true;
  }

  #unread(token: Token): void {
    const context = this.#contexts.at(-1);
    if (context === undefined) this.#ahead = token;
    else context.index--;
  }

  /** The arguments behind an opening parenthesis; undefined after an error. */
  #arguments(macro: Macro, name: Token): { args: Token[][]; close: Token } | undefined {
    const args: Token[][] = [[]];
    const count = macro.params!.length;
    let depth = 0;
    for (;;) {
      const token = this.#raw();
      if (token === undefined || token.kind === "end") {
        if (token !== undefined) this.#ahead = token;
        this.diagnostics.error("P40108", name, `the arguments of macro '${name.text}' have no closing )`);
        return undefined;
      }
      if (token.kind === ")" && depth-- === 0) {
        if (count === 0 && args.length === 1 && args[0]!.length === 0) return { args: [], close: token };
        if (macro.variadic && args.length === count - 1) args.push([]);
        if (args.length === count) return { args, close: token };
        this.diagnostics.error(
          "P40108",
          joinSpans(name, token),
          `macro '${name.text}' takes ${count} argument${count === 1 ? "" : "s"}, not ${args.length}`,
          ...noteOf(macro),
        );
        return undefined;
      }
      if (token.kind === "(") depth++;
      if (token.kind === "," && depth === 0 && !(macro.variadic && args.length === count)) args.push([]);
      else args.at(-1)!.push(token);
    }
  }

  /** Expands a token list on its own, as a macro argument or a directive's line. */
  #expandList(tokens: readonly Token[]): Token[] {
    if (tokens.length === 0) return [];
    if (this.#argumentDepth >= MAX_ARGUMENT_DEPTH) {
      if (!this.#givenUp)
        this.diagnostics.error(
          "P40109",
          tokens[0],
          `macro uses are nested more than ${MAX_ARGUMENT_DEPTH} deep`,
        );
      this.#givenUp = true;
      return [...tokens];
    }
    const outer = this.#contexts;
    this.#contexts = [{ tokens, index: 0, macro: undefined }];
    this.#argumentDepth++;
    const out: Token[] = [];
    for (let token = this.#next(); token !== undefined; token = this.#next()) out.push(token);
    this.#argumentDepth--;
    this.#contexts = outer;
    return out;
  }

  // ---------------------------------------------------------------- directives

  #directive(hash: Token): void {
    const { scanner } = this.#current;
    const name = this.#word();
    if (name === undefined) return;
    const line = joinSpans(hash, name);
    const { conditionals } = this.#current;
    switch (name.text) {
      case "define":
        this.#define(this.#lineTokens(), line);
        break;
      case "undef": {
        const macro = this.#macroName(line);
        if (macro !== undefined) this.#macros.delete(macro.text);
        break;
      }
      case "if":
        this.#open(line, this.#condition(line));
        break;
      case "ifdef":
      case "ifndef": {
        const macro = this.#macroName(line);
        this.#open(line, macro !== undefined && this.#macros.has(macro.text) === (name.text === "ifdef"));
        break;
      }
      case "elif":
      case "elifdef":
      case "elifndef":
      case "else":
        // We were in the group that was taken: all others are skipped.
        this.#lineTokens();
        if (!this.#checkBranch(line, name.text)) break;
        this.#skip();
        break;
      case "endif":
        this.#lineTokens();
        if (conditionals.pop() === undefined)
          this.diagnostics.error("P40110", line, "#endif without an #if before it in this file");
        break;
      case "include":
        this.#include(line);
        break;
      case "error":
        this.diagnostics.error("P40112", line, `#error ${scanner.restOfLine()}`);
        break;
      case "warning":
        this.diagnostics.warning("P40113", line, `#warning ${scanner.restOfLine()}`);
        break;
      case "line":
        this.#lineNumber(line, this.#expandList(this.#lineTokens()));
        break;
      case "pragma":
        if (/^once\b/.test(scanner.restOfLine())) this.#onceFiles.add(this.#current.file);
        break;
      default: {
        const rest = scanner.restOfLine();
        if (name.kind === "integer") this.#lineNumber(line, [name, ...scanText(rest, line)]);
        else
          this.diagnostics.warning(
            "P40106",
            line,
            `no preprocessor directive is called '#${name.text}'; the line is ignored`,
          );
      }
    }
  }

  /** The first token on a directive's line; undefined if there is none. */
  #word(): Token | undefined {
    const { scanner } = this.#current;
    scanner.inDirective = true;
    const token = scanner.next();
    scanner.inDirective = false;
    if (!token.newline) return token;
    this.#ahead = token;
    return undefined;
  }

  /** What is left of a directive's line. */
  #lineTokens(): Token[] {
    const tokens: Token[] = [];
    if (this.#ahead !== undefined) return tokens;
    for (let token = this.#word(); token !== undefined; token = this.#word()) tokens.push(token);
    return tokens;
  }

  #macroName(line: Span): Token | undefined {
    const [name, extra] = this.#lineTokens();
    if (name === undefined || !isWord(name)) {
      this.diagnostics.error("P40106", name ?? line, "expected the name of a macro");
      return undefined;
    }
    if (extra !== undefined)
      this.diagnostics.warning("P40106", extra, "the rest of the line has no meaning and is ignored");
    return name;
  }

  #define(tokens: Token[], line: Span): void {
    const macro = parseDefinition(tokens, line, this.diagnostics);
    if (macro === undefined) return;
    const before = this.#macros.get(macro.name);
    if (before !== undefined && !sameMacro(before, macro))
      this.diagnostics.warning(
        "P40114",
        macro.span,
        `macro '${macro.name}' is defined again with another meaning`,
        ...noteOf(before),
      );
    this.#macros.set(macro.name, macro);
  }

  #predefine(): void {
    const integer = (value: number) => ({ kind: "integer" as const, text: String(value) });
    const string = (text: string) => ({ kind: "stringLiteral" as const, text });
    const builtins = [
      builtinMacro("__LINE__", (use) => integer(use.file.position(use.start).line)),
      builtinMacro("__FILE__", (use) => string(use.file.path.replace(/[\\"]/g, "\\$&"))),
      builtinMacro("__COUNTER__", () => integer(this.#counter++)),
      builtinMacro("__INCLUDE_LEVEL__", () => integer(this.#files.length - 1)),
      // The same input gives the same output on every day; this is what cpp writes where there is no clock.
      builtinMacro("__DATE__", () => string("??? ?? ????")),
      builtinMacro("__TIME__", () => string("??:??:??")),
    ];
    for (const macro of builtins) this.#macros.set(macro.name, macro);
    // What the standard C preprocessor defines in the mode that p4c calls it in.
    const fixed = { __STDC__: "1", __STDC_HOSTED__: "1", __ASSEMBLER__: "1" };
    for (const [name, value] of Object.entries({ ...fixed, ...this.options.defines })) {
      const file = new SourceFile("<command line>", `${name} ${value}`);
      const scanner = new Scanner(file, this.diagnostics);
      const tokens: Token[] = [];
      for (let token = scanner.next(); token.kind !== "end"; token = scanner.next()) tokens.push(token);
      const macro = parseDefinition(tokens, { file, start: 0, end: file.text.length }, this.diagnostics);
      if (macro !== undefined) this.#macros.set(macro.name, { ...macro, span: undefined });
    }
    for (const name of this.options.undefines ?? []) this.#macros.delete(name);
  }

  // ---------------------------------------------------------------- conditionals

  #open(directive: Span, holds: boolean): void {
    this.#current.conditionals.push({ directive, taken: holds, elseSeen: undefined });
    if (!holds) this.#skip();
  }

  /** Checks that an #elif or #else has its #if and comes before the #else. */
  #checkBranch(line: Span, name: string): boolean {
    const top = this.#current.conditionals.at(-1);
    if (top === undefined) {
      this.diagnostics.error("P40110", line, `#${name} without an #if before it in this file`);
      return false;
    }
    if (top.elseSeen !== undefined)
      this.diagnostics.error("P40110", line, `#${name} after #else`, {
        message: "the #else is here",
        span: top.elseSeen,
      });
    if (name === "else") top.elseSeen = line;
    return true;
  }

  /** Skips groups up to one that is taken or to the #endif. */
  #skip(): void {
    const { scanner, conditionals } = this.#current;
    const top = conditionals.at(-1)!;
    let depth = 0;
    let token = this.#ahead ?? undefined;
    this.#ahead = undefined;
    for (;;) {
      scanner.quiet = true;
      token ??= scanner.next();
      if (token.kind === "end") {
        scanner.quiet = false;
        this.#ahead = token;
        return;
      }
      const hash = token;
      token = undefined;
      if (hash.kind !== "#" || !hash.newline) continue;
      const name = scanner.next();
      scanner.quiet = false;
      if (name.newline) {
        token = name;
        continue;
      }
      const line = joinSpans(hash, name);
      if (/^if(n?def)?$/.test(name.text)) depth++;
      else if (name.text === "endif") {
        if (depth-- > 0) continue;
        this.#lineTokens();
        conditionals.pop();
        return;
      } else if (depth === 0 && /^(else|elif|elifn?def)$/.test(name.text)) {
        this.#checkBranch(line, name.text);
        if (top.taken) continue;
        if (name.text === "elif") top.taken = this.#condition(line);
        else if (name.text === "else") {
          this.#lineTokens();
          top.taken = true;
        } else {
          const macro = this.#macroName(line);
          top.taken = macro !== undefined && this.#macros.has(macro.text) === (name.text === "elifdef");
        }
        if (top.taken) return;
        token = this.#ahead;
        this.#ahead = undefined;
      }
    }
  }

  /** The value of the expression on the rest of the line; false after an error. */
  #condition(line: Span): boolean {
    const raw = this.#lineTokens();
    const tokens: Token[] = [];
    try {
      for (let i = 0; i < raw.length; i++) {
        const token = raw[i]!;
        if (token.text !== "defined" || token.kind !== "identifier") {
          tokens.push(token);
          continue;
        }
        const parenthesised = raw[i + 1]?.kind === "(";
        const name = raw[parenthesised ? i + 2 : i + 1];
        if (name === undefined || !isWord(name))
          throw new ConditionError(name ?? token, "expected the name of a macro after 'defined'");
        if (parenthesised && raw[i + 3]?.kind !== ")")
          throw new ConditionError(raw[i + 3] ?? name, "expected ')' after the name");
        i += parenthesised ? 3 : 1;
        const value = this.#macros.has(name.text) ? "1" : "0";
        tokens.push(new Token("integer", name.file, name.start, name.end, value, false, true));
      }
      return evaluateCondition(this.#expandList(tokens), line);
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      this.diagnostics.error("P40111", error.span, `in a preprocessor condition: ${error.message}`);
      return false;
    }
  }

  // ---------------------------------------------------------------- files

  #include(line: Span): void {
    const { scanner } = this.#current;
    const start = scanner.position;
    const rest = scanner.restOfLine();
    const span = { file: scanner.file, start: line.start, end: scanner.position };
    let match = /^(?:<([^>]+)>|"([^"]+)")/.exec(rest);
    if (match === null && rest !== "") {
      // The name may come from macros.
      scanner.position = start;
      match = /^(?:<([^>]+)>|"([^"]+)")/.exec(
        this.#expandList(this.#lineTokens())
          .map((token, i) => (i > 0 && token.space ? " " : "") + tokenText(token))
          .join(""),
      );
    }
    if (match === null) {
      this.diagnostics.error("P40106", span, 'expected "FILE" or <FILE> after #include');
      return;
    }
    const system = match[1] !== undefined;
    const name = (match[1] ?? match[2])!.trim();
    const file = this.options.resolveInclude?.(name, this.#current.file, system) ?? standardLibrary(name);
    if (file === undefined) {
      this.diagnostics.error(
        "P40104",
        span,
        `cannot find the file '${name}' to include`,
        "give its folder with -I; core.p4 and v1model.p4 come with the compiler",
      );
      return;
    }
    if (this.#onceFiles.has(file)) return;
    if (this.#files.length > MAX_INCLUDE_DEPTH || ++this.#includes > MAX_INCLUDES) {
      // One message: the files further out would all say the same.
      if (!this.#givenUp)
        this.diagnostics.error(
          "P40105",
          span,
          this.#files.length > MAX_INCLUDE_DEPTH
            ? `files include each other more than ${MAX_INCLUDE_DEPTH} deep`
            : `more than ${MAX_INCLUDES} files are included`,
          "guard an included file: #ifndef _NAME_, #define _NAME_, ..., #endif",
        );
      this.#givenUp = true;
      this.#includes = MAX_INCLUDES;
      return;
    }
    this.#current = { scanner: new Scanner(file, this.diagnostics), file, conditionals: [] };
    this.#files.push(this.#current);
  }

  /** Goes back to the including file; false at the end of the program. */
  #closeFile(): boolean {
    for (const { directive } of this.#current.conditionals)
      this.diagnostics.error("P40110", directive, "this conditional has no #endif in its file");
    this.#current.conditionals = [];
    if (this.#files.length === 1) return false;
    this.#files.pop();
    this.#current = this.#files.at(-1)!;
    return true;
  }

  /** `#line N "file"`: what follows is line N of that file. */
  #lineNumber(line: Span, tokens: readonly Token[]): void {
    const [number, name] = tokens;
    if (number?.kind !== "integer" || !/^[0-9]{1,10}$/.test(number.text)) {
      this.diagnostics.error("P40106", number ?? line, "expected a line number after #line");
      return;
    }
    if (name !== undefined && name.kind !== "stringLiteral") {
      this.diagnostics.error("P40106", name, 'expected a file name in "" after the line number');
      return;
    }
    const { scanner, file } = this.#current;
    // The directive's own line, counted in the real file; the token after it may already be read.
    const here = file.position(line.start).line;
    const path = name?.text ?? scanner.file.path;
    scanner.file = new LineView(path, file, Number(number.text) - here - 1);
    const ahead = this.#ahead;
    if (ahead !== undefined)
      this.#ahead = new Token(
        ahead.kind,
        scanner.file,
        ahead.start,
        ahead.end,
        ahead.text,
        ahead.newline,
        ahead.space,
      );
  }
}

function paint(token: Token): Token {
  const { kind, file, start, end, text, newline, space } = token;
  return new Token(kind, file, start, end, text, newline, space, true);
}

function noteOf(macro: Macro): Note[] {
  return macro.span === undefined ? [] : [{ message: `'${macro.name}' is defined here`, span: macro.span }];
}

/** The tokens of a piece of text, all at one place. */
function scanText(text: string, place: Span): Token[] {
  const scanner = new Scanner(new SourceFile("<text>", text), new Diagnostics());
  const tokens: Token[] = [];
  for (let token = scanner.next(); token.kind !== "end"; token = scanner.next()) {
    const { kind, text: spelled, space } = token;
    tokens.push(new Token(kind, place.file, place.start, place.end, spelled, false, space));
  }
  return tokens;
}

/** `NAME body` or `NAME(params) body`; undefined after an error. */
function parseDefinition(tokens: readonly Token[], line: Span, diagnostics: Diagnostics): Macro | undefined {
  const [name, open] = tokens;
  if (name === undefined || !isWord(name) || name.text === "defined") {
    diagnostics.error(
      "P40107",
      name ?? line,
      name?.text === "defined" ? "a macro must not be called 'defined'" : "expected a name after #define",
    );
    return undefined;
  }
  let next = 1;
  let params: string[] | undefined;
  let variadic = false;
  if (open?.kind === "(" && !open.space) {
    params = [];
    for (next = 2; tokens[next]?.kind !== ")" || params.length > 0; next++) {
      const param = tokens[next];
      if (param?.kind === "...") {
        variadic = true;
        params.push("__VA_ARGS__");
      } else if (param !== undefined && isWord(param) && !params.includes(param.text)) {
        params.push(param.text);
        // GNU: `name...` takes all further arguments.
        if (tokens[next + 1]?.kind === "...") {
          variadic = true;
          next++;
        }
      } else {
        const message =
          param !== undefined && isWord(param)
            ? `macro '${name.text}' has two parameters called '${param.text}'`
            : `expected a parameter name in the definition of macro '${name.text}'`;
        diagnostics.error("P40107", param ?? line, message);
        return undefined;
      }
      const after = tokens[++next];
      if (after?.kind === ")") break;
      if (after?.kind !== "," || variadic) {
        diagnostics.error(
          "P40107",
          after ?? line,
          `expected ${variadic ? "" : "',' or "}')' after a macro parameter`,
        );
        return undefined;
      }
    }
    next++;
  }
  const body = tokens.slice(next);
  if (body[0]?.kind === "##" || body.at(-1)?.kind === "##") {
    const wrong = body[0]!.kind === "##" ? body[0]! : body.at(-1)!;
    diagnostics.error("P40107", wrong, "## joins two tokens: it cannot stand at an end of a macro");
    return undefined;
  }
  const span = { file: name.file, start: name.start, end: name.end };
  return { name: name.text, params, variadic, body, span, active: false };
}
