/**
 * The preprocessor (P4-16 section 4.2; where P4-16 says nothing more, C11 section 6.10). It works on tokens,
 * so that each keeps its place in the file it was written in. A token from a macro's body has the place of
 * the macro's outermost use; one from an argument keeps its own.
 */
import { type Diagnostics, joinSpans, SourceFile, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { standardLibrary } from "../stdlib/index.js";
import { ConditionError, evaluateCondition } from "./condition.js";
import { definitionNote, Expander, ExpansionLimit } from "./expander.js";
import { LineView } from "./line-view.js";
import { builtinMacro, type Macro, sameMacro } from "./macro.js";
import { parseDefinition } from "./macro-definition.js";
import { preprocessString, type StringContext } from "./multi-line-string.js";
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
  /** Is notified of what the tokens do not show: macros, included files, text that is left out. */
  watcher?: PreprocessorWatcher;
}

/** What an editor wants to know of the preprocessor's work. Spans are those of the text as written. */
export interface PreprocessorWatcher {
  defined(macro: Macro): void;
  /** A name that stands for a macro: in the text, in `#ifdef`, `#undef` and `defined`. For a name from another macro's body: the place where that macro was used. */
  used(name: Span, macro: Macro): void;
  included(line: Span, file: SourceFile): void;
  /** Groups of an `#if` that are not taken, from the line after a directive to the begin of another. */
  skipped(group: Span): void;
}

const MAX_INCLUDE_DEPTH = 200;
const MAX_INCLUDES = 10_000;

/** An `#if` whose `#endif` has not come yet. */
interface Conditional {
  directive: Span;
  /** Some group was already taken. */
  taken: boolean;
  elseSeen: Span | undefined;
}

interface OpenFile {
  scanner: Scanner;
  /** The file that was opened, not the one that `#line` names. */
  file: SourceFile;
  conditionals: Conditional[];
}

/** All tokens of a program, the last of kind `end`. */
export function preprocessTokens(options: PreprocessorOptions, diagnostics: Diagnostics): Token[] {
  const preprocessor = new Preprocessor(options, diagnostics);
  const tokens: Token[] = [];
  try {
    for (;;) {
      const token = preprocessor.expander.next();
      tokens.push(token);
      if (token.kind === "end") return tokens;
    }
  } catch (error) {
    if (!(error instanceof ExpansionLimit)) throw error;
    return [new Token("end", options.file, 0, 0, "", true, false)];
  }
}

class Preprocessor {
  readonly expander: Expander;
  readonly #macros: Map<string, Macro>;
  readonly #files: OpenFile[] = [];
  /** Paths of files that hold `#pragma once`. */
  readonly #onceFiles = new Set<string>();
  #current: OpenFile;
  /** A token read too far, of the current file. */
  #ahead: Token | undefined;
  #includes = 0;
  #counter = 0;

  constructor(
    readonly options: PreprocessorOptions,
    readonly diagnostics: Diagnostics,
  ) {
    const source = {
      next: () => this.#next(),
      unread: (token: Token) => {
        this.#ahead = token;
      },
    };
    this.expander = new Expander(source, diagnostics, (name, macro) =>
      this.options.watcher?.used(name, macro),
    );
    this.#macros = this.expander.macros;
    this.#current = this.#open(options.file);
    this.#predefine();
  }

  /** The next token of the program before macro replacement. */
  #next(): Token {
    for (;;) {
      const token = this.#ahead ?? this.#current.scanner.next();
      this.#ahead = undefined;
      if (token.kind === "#" && token.newline) this.#directive(token);
      else if (token.kind === "##" && token.newline) this.#doubleHash(token);
      else if (token.kind === "stringLiteral" && token.text.includes("\n")) return this.#longString(token);
      else if (token.kind !== "end") return token;
      else if (!this.#close()) return token;
    }
  }

  #longString({ kind, file, start, end, text, newline, space }: Token): Token {
    const context: StringContext = {
      expand: (tokens) => this.expander.expandList(tokens),
      isMacro: (name) => this.#macros.has(name),
      holds: (directive, tokens, line) => this.#holds(directive, tokens, line),
    };
    const preprocessed = preprocessString(text, { file, start, end }, context, this.diagnostics);
    return new Token(kind, file, start, end, preprocessed, newline, space);
  }

  // ---------------------------------------------------------------- directives

  /** The C preprocessor takes a line that begins with `##` for text, and p4c's scanner skips it. */
  #doubleHash(token: Token): void {
    this.#lineTokens();
    this.diagnostics.warning(
      CODES.malformedDirective,
      token,
      "a directive begins with one '#'; the line is ignored",
    );
  }

  #directive(hash: Token): void {
    const name = this.#word();
    if (name === undefined) return;
    const line = joinSpans(hash, name);
    const { scanner, conditionals } = this.#current;
    switch (name.text) {
      case "define":
        this.#define(line);
        break;
      case "undef": {
        const macro = this.#macroName(this.#lineTokens(), line);
        if (macro !== undefined) {
          this.#mention(macro);
          this.#macros.delete(macro.text);
        }
        break;
      }
      case "if":
      case "ifdef":
      case "ifndef": {
        const holds = this.#holds(name.text, this.#lineTokens(), line);
        conditionals.push({ directive: line, taken: holds, elseSeen: undefined });
        if (!holds) this.#skip();
        break;
      }
      case "elif":
      case "elifdef":
      case "elifndef":
      case "else":
        // The group before it was taken, so all others are skipped.
        this.#lineTokens();
        if (this.#checkBranch(line, name.text)) this.#skip();
        break;
      case "endif":
        this.#lineTokens();
        if (conditionals.pop() === undefined)
          this.diagnostics.error(
            CODES.unpairedConditional,
            line,
            "#endif without an #if before it in this file",
          );
        break;
      case "include":
        this.#include(line);
        break;
      case "error":
        this.diagnostics.error(CODES.errorDirective, line, `#error ${scanner.restOfLine()}`);
        break;
      case "warning":
        this.diagnostics.warning(CODES.warningDirective, line, `#warning ${scanner.restOfLine()}`);
        break;
      case "line":
        this.#lineNumber(line, this.expander.expandList(this.#lineTokens()));
        break;
      case "pragma":
        if (this.#lineTokens()[0]?.text === "once") this.#onceFiles.add(this.#current.file.path);
        break;
      default: {
        const rest = this.#lineTokens();
        if (name.kind === "integer") this.#lineNumber(line, [name, ...rest]);
        else
          this.diagnostics.warning(
            CODES.malformedDirective,
            line,
            `no preprocessor directive is called '#${name.text}'; the line is ignored`,
          );
      }
    }
  }

  /** The next token on a directive's line; undefined at its end. */
  #word(): Token | undefined {
    if (this.#ahead !== undefined) return undefined;
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
    for (let token = this.#word(); token !== undefined; token = this.#word()) tokens.push(token);
    return tokens;
  }

  #macroName([name, extra]: readonly Token[], line: Span): Token | undefined {
    if (name === undefined || !isWord(name)) {
      this.diagnostics.error(CODES.malformedDirective, name ?? line, "expected the name of a macro");
      return undefined;
    }
    if (extra !== undefined)
      this.diagnostics.warning(
        CODES.malformedDirective,
        extra,
        "the rest of the line has no meaning and is ignored",
      );
    return name;
  }

  #define(line: Span): void {
    const macro = parseDefinition(this.#lineTokens(), line, this.diagnostics);
    if (macro === undefined) return;
    const before = this.#macros.get(macro.name);
    if (before !== undefined && !sameMacro(before, macro))
      this.diagnostics.warning(
        CODES.macroRedefined,
        macro.span,
        `macro '${macro.name}' is defined again with another meaning`,
        ...definitionNote(before),
      );
    this.#macros.set(macro.name, macro);
    this.options.watcher?.defined(macro);
  }

  /** Tells the watcher of a macro's name in a directive. */
  #mention(name: Token): void {
    const macro = this.#macros.get(name.text);
    if (macro !== undefined) this.options.watcher?.used(name, macro);
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
    // What the C preprocessor defines in the mode that p4c calls it in.
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

  /** Whether the group after `#if` or a related directive is taken; `tokens` are the rest of its line. */
  #holds(directive: string, tokens: readonly Token[], line: Span): boolean {
    if (directive === "if" || directive === "elif") return this.#condition(tokens, line);
    const macro = this.#macroName(tokens, line);
    if (macro !== undefined) this.#mention(macro);
    return macro !== undefined && this.#macros.has(macro.text) === !directive.endsWith("ndef");
  }

  /** Checks that an #elif or #else has its #if and comes before the #else. */
  #checkBranch(line: Span, name: string): boolean {
    const top = this.#current.conditionals.at(-1);
    if (top === undefined) {
      this.diagnostics.error(
        CODES.unpairedConditional,
        line,
        `#${name} without an #if before it in this file`,
      );
      return false;
    }
    if (top.elseSeen !== undefined)
      this.diagnostics.error(CODES.unpairedConditional, line, `#${name} after #else`, {
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
    let start = this.#place();
    for (;;) {
      const hash = this.#skippedToken();
      if (hash.kind === "end") {
        this.#ahead = hash;
        this.#tellSkipped(scanner.file, start, hash.start);
        return;
      }
      if (hash.kind !== "#" || !hash.newline) continue;
      const name = this.#skippedToken();
      if (name.newline) {
        this.#ahead = name;
        continue;
      }
      const line = joinSpans(hash, name);
      if (/^if(n?def)?$/.test(name.text)) depth++;
      else if (name.text === "endif") {
        if (depth-- > 0) continue;
        this.#tellSkipped(scanner.file, start, hash.start);
        this.#lineTokens();
        conditionals.pop();
        return;
      } else if (depth === 0 && /^(else|elif|elifn?def)$/.test(name.text)) {
        this.#tellSkipped(scanner.file, start, hash.start);
        this.#checkBranch(line, name.text);
        // After the group that was taken, not even the expressions have to be valid.
        if (top.taken) scanner.restOfLine();
        else if (name.text === "else") {
          this.#lineTokens();
          top.taken = true;
          return;
        } else if ((top.taken = this.#holds(name.text, this.#lineTokens(), line))) return;
        start = this.#place();
      }
    }
  }

  /** Where reading continues. */
  #place(): number {
    return this.#ahead?.start ?? this.#current.scanner.position;
  }

  #tellSkipped(file: SourceFile, start: number, end: number): void {
    if (end > start) this.options.watcher?.skipped({ file, start, end });
  }

  #skippedToken(): Token {
    const { scanner } = this.#current;
    scanner.quiet = true;
    const token = this.#ahead ?? scanner.next();
    scanner.quiet = false;
    this.#ahead = undefined;
    return token;
  }

  /** The value of an expression; false after an error. */
  #condition(tokens: readonly Token[], line: Span): boolean {
    try {
      return evaluateCondition(this.expander.expandList(this.#withoutDefined(tokens)), line);
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      this.diagnostics.error(
        CODES.conditionWithoutValue,
        error.span,
        `in a preprocessor condition: ${error.message}`,
      );
      return false;
    }
  }

  /** Replaces `defined NAME` and `defined(NAME)` by 1 or 0. */
  #withoutDefined(raw: readonly Token[]): Token[] {
    const tokens: Token[] = [];
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
      this.#mention(name);
      const value = this.#macros.has(name.text) ? "1" : "0";
      tokens.push(new Token("integer", name.file, name.start, name.end, value, false, true));
    }
    return tokens;
  }

  // ---------------------------------------------------------------- files

  #open(file: SourceFile): OpenFile {
    const opened = { scanner: new Scanner(file, this.diagnostics), file, conditionals: [] };
    this.#files.push(opened);
    return opened;
  }

  /** Goes back to the including file; false at the end of the program. */
  #close(): boolean {
    for (const { directive } of this.#current.conditionals)
      this.diagnostics.error(
        CODES.unpairedConditional,
        directive,
        "this conditional has no #endif in its file",
      );
    this.#current.conditionals = [];
    if (this.#files.length === 1) return false;
    this.#files.pop();
    this.#current = this.#files.at(-1)!;
    return true;
  }

  #include(line: Span): void {
    const { scanner } = this.#current;
    const written = scanner.headerName();
    // Without a name in <> or "" there must be macros that make one; spaces within do not count.
    const name = written ?? headerNameOf(this.expander.expandList(this.#lineTokens()));
    const span = { file: line.file, start: line.start, end: Math.max(line.end, scanner.position) };
    this.#lineTokens();
    if (name === undefined) {
      this.diagnostics.error(CODES.malformedDirective, line, 'expected "FILE" or <FILE> after #include');
      return;
    }
    const system = name.startsWith("<");
    const path = name.slice(1, -1).trim();
    const named = this.options.resolveInclude?.(path, this.#current.file, system);
    // A program named tna.p4 that includes <tna.p4> means the compiler's file, not itself.
    const own = system && named !== undefined && named.path === this.#current.file.path;
    const file = (own ? standardLibrary(path) : undefined) ?? named ?? standardLibrary(path);
    if (file === undefined) {
      this.diagnostics.error(
        CODES.missingInclude,
        written === undefined ? line : span,
        `cannot find the file '${path}' to include`,
        "give its folder with -I; core.p4, v1model.p4, psa.p4, pna.p4, tna.p4 and t2na.p4 come with the compiler",
      );
      return;
    }
    if (this.#onceFiles.has(file.path)) {
      this.options.watcher?.included(span, file);
      return;
    }
    const deep = this.#files.length > MAX_INCLUDE_DEPTH;
    if (deep || this.#includes >= MAX_INCLUDES) {
      // One message, as all files further out would say the same: with the count used up nothing more is read.
      if (this.#includes <= MAX_INCLUDES)
        this.diagnostics.error(
          CODES.tooManyIncludes,
          line,
          deep
            ? `files include each other more than ${MAX_INCLUDE_DEPTH} deep`
            : `more than ${MAX_INCLUDES} files are included`,
          "guard an included file: #ifndef _NAME_, #define _NAME_, ..., #endif",
        );
      this.#includes = MAX_INCLUDES + 1;
      return;
    }
    this.#includes++;
    this.options.watcher?.included(span, file);
    // The token after the directive belongs to this file and waits in its scanner.
    if (this.#ahead !== undefined) scanner.rewind(this.#ahead);
    this.#ahead = undefined;
    this.#current = this.#open(file);
  }

  /** `#line N "file"`: what follows is line N of that file. */
  #lineNumber(line: Span, tokens: readonly Token[]): void {
    const [number, name] = tokens;
    if (number?.kind !== "integer" || !/^[0-9]{1,10}$/.test(number.text)) {
      this.diagnostics.error(CODES.malformedDirective, number ?? line, "expected a line number after #line");
      return;
    }
    if (name !== undefined && name.kind !== "stringLiteral") {
      this.diagnostics.error(
        CODES.malformedDirective,
        name,
        'expected a file name in "" after the line number',
      );
      return;
    }
    const { scanner, file } = this.#current;
    const here = file.position(line.start).line;
    const path = name?.text ?? scanner.file.path;
    // The token after the directive was read under the old name.
    if (this.#ahead !== undefined) scanner.rewind(this.#ahead);
    this.#ahead = undefined;
    scanner.file = new LineView(path, file, Number(number.text) - here - 1);
  }
}

/** A header name built from tokens, with its quotes or angle brackets. */
function headerNameOf(tokens: readonly Token[]): string | undefined {
  const text = tokens.map((token, i) => (i > 0 && token.space ? " " : "") + tokenText(token)).join("");
  return /^(?:<[^>]+>|"[^"]+")/.exec(text)?.[0];
}
