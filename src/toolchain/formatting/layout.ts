/**
 * Where lines end and how far they are indented. Blocks decide their own line ends; inside of parentheses, lists and long
 * statements the author's line ends stay, indented again.
 */
import { defined } from "../../base/index.js";
import { type Brace, bracesOf, conditionalKind } from "./braces.js";
import type { Cell, Line } from "./columns.js";
import { columnAt, type Element } from "./elements.js";
import { type Role, rolesOf, spaceBetween } from "./spacing.js";

const INDENT = 4;

/** An open bracket, or the file itself. */
interface Frame {
  readonly kind: "block" | "list" | "parenthesis";
  /** Column of what stands in it, when that begins a line. */
  readonly content: number;
  /** Column of its closing bracket, when that begins a line. */
  readonly close: number;
  readonly oneLine: boolean;
  /** Of a block: the statement that is open, or where the next one begins. */
  statement: Statement;
}

interface Statement {
  /** Nothing of it has been written, but for annotations. */
  fresh: boolean;
  /** Column of its first line. */
  readonly column: number;
  /** Index of its first element. */
  first: number;
  /** A cell of this kind was already noted. */
  readonly cells: Set<Cell["kind"]>;
}

interface State {
  readonly frames: readonly Frame[];
  readonly statement: Statement | undefined;
}

/** A name that by custom is a macro: it may stand as a statement without a semicolon. */
const MACRO_NAME = /^_?[A-Z][A-Z0-9_]*$/;

const OPENING = new Set(["(", "[", "{"]);
const CLOSING = new Set([")", "]", "}"]);
/** Declarations whose members stand between commas, so that their brace ends them. */
const DECLARES_MEMBERS = new Set(["enum", "error", "match_kind"]);

class Layout {
  readonly lines: Line[] = [];
  readonly #elements: readonly Element[];
  readonly #braces: ReadonlyMap<number, Brace>;
  readonly #roles: readonly Role[];
  readonly #macros: ReadonlySet<string>;
  #frames: Frame[] = [{ kind: "block", content: 0, close: 0, oneLine: false, statement: newStatement(0) }];
  readonly #saved: State[] = [];
  #line: { indent: number; text: string; cells: Cell[]; whole: boolean } | undefined;
  /** In the tokens of an annotation at the start of a statement: the depth of its parentheses. */
  #annotation: { readonly depth: number; named: boolean; pragma: boolean } | undefined;

  constructor(
    readonly source: string,
    elements: readonly Element[],
  ) {
    this.#elements = elements;
    this.#braces = bracesOf(elements);
    this.#roles = rolesOf(elements);
    this.#macros = new Set(
      elements.flatMap((element) => /^#\s*define\s+(\w+)/.exec(element.text)?.slice(1, 2) ?? []),
    );
  }

  layOut(): Line[] {
    for (const index of this.#elements.keys()) this.#element(index);
    this.#endLine();
    return this.lines;
  }

  get #top(): Frame {
    return defined(this.#frames.at(-1));
  }

  // ---------------------------------------------------------------- elements

  #element(index: number): void {
    const element = defined(this.#elements[index]);
    if (element.kind === "directive") {
      this.#startLine(0, element);
      this.#write(element.text.replace(/[ \t]+$/gm, ""));
      this.#endLine();
      this.#condition(element.text);
      return;
    }
    const ends = this.#breakBefore(index);
    if (element.kind !== "token") {
      this.#comment(index, ends);
      return;
    }
    if (this.#annotation?.pragma && ends) this.#annotation = undefined;
    const { token } = element;
    const closing = token === ")" || token === "]" || token === "}";
    if (closing && this.#frames.length > 1) {
      const frame = defined(this.#frames.pop());
      if (ends) this.#startLine(frame.close, element, token === "}" && frame.kind === "block");
      else this.#space(index);
      this.#write(element.text);
      this.#afterClose(index, frame);
      return;
    }
    if (ends) this.#startLine(this.#column(index), element);
    else this.#space(index);
    const { statement } = this.#top;
    this.#noteCell(index, statement);
    if (statement.first < 0 && this.#annotation === undefined && token !== "@") statement.first = index;
    const begins = this.#line === undefined ? 0 : this.#line.indent + this.#line.text.length;
    this.#write(element.text);
    if (token === "(" || token === "[" || token === "{") this.#open(index, begins);
    else this.#afterToken(index);
  }

  #comment(index: number, ends: boolean): void {
    const element = defined(this.#elements[index]);
    if (ends) {
      const column = this.#column(index);
      this.#startLine(column, element);
      this.#write(this.#reindented(element, column));
    } else {
      if (element.kind === "lineComment") this.#cell("comment", element.gap > 1);
      this.#space(index);
      const column = this.#line === undefined ? 0 : this.#line.indent + this.#line.text.length;
      this.#write(this.#reindented(element, column));
    }
    if (element.kind === "lineComment") this.#endLine();
  }

  /** A block comment keeps its shape: its lines move with the first one. */
  #reindented(element: Element, column: number): string {
    const [first, ...rest] = element.text.split("\n");
    if (rest.length === 0) return element.text.trimEnd();
    const shift = column - columnAt(this.source, element.start);
    return [
      first!.trimEnd(),
      ...rest.map((line) => {
        const text = line.trim();
        if (text === "") return "";
        const old = columnAt(line, line.length - line.trimStart().length);
        return " ".repeat(Math.max(0, old + shift)) + text;
      }),
    ].join("\n");
  }

  #condition(text: string): void {
    const kind = conditionalKind(text);
    if (kind === "open") this.#saved.push(this.#state());
    else if (kind === "branch") {
      const state = this.#saved.at(-1);
      if (state !== undefined) this.#restore(state);
    } else if (kind === "end") this.#saved.pop();
  }

  #state(): State {
    return { frames: this.#frames.map(copyFrame), statement: undefined };
  }

  #restore({ frames }: State): void {
    this.#frames = frames.map(copyFrame);
    this.#annotation = undefined;
  }

  // ---------------------------------------------------------------- brackets and statements

  #open(index: number, column: number): void {
    const { token } = defined(this.#elements[index]);
    const outer = this.#top;
    const lineIndent = this.#line!.indent;
    if (token === "{" && this.#braces.get(index)?.block) {
      const { oneLine } = defined(this.#braces.get(index));
      const base = outer.kind === "block" ? outer.statement.column : lineIndent;
      this.#frames.push({
        kind: "block",
        content: base + INDENT,
        close: base,
        oneLine,
        statement: newStatement(base + INDENT),
      });
      return;
    }
    this.#leaveFresh(outer.statement);
    const hanging = !this.#isAligned(index);
    const content = hanging ? lineIndent + INDENT : column + (token === "{" ? 2 : 1);
    this.#frames.push({
      kind: token === "{" ? "list" : "parenthesis",
      content,
      close: hanging ? lineIndent : column,
      oneLine: false,
      statement: { ...newStatement(content), fresh: false },
    });
  }

  /** Whether the lines in a bracket are aligned to what follows it, in the text as written; else they are indented. */
  #isAligned(index: number): boolean {
    let depth = 0;
    for (let at = index; at < this.#elements.length; at++) {
      const element = defined(this.#elements[at]);
      if (at > index && element.newlines > 0 && depth === 1 && element.kind !== "directive") {
        if (at === index + 1) return false;
        const column = columnAt(this.source, element.start);
        const closes = CLOSING.has(element.token);
        const first = columnAt(this.source, defined(this.#elements[closes ? index : index + 1]).start);
        // What the formatter itself indents stays indented.
        return (
          column === first ||
          (Math.abs(column - first) <= 2 && column !== this.#indentOf(index) + (closes ? 0 : INDENT))
        );
      }
      if (OPENING.has(element.token)) depth++;
      else if (CLOSING.has(element.token) && --depth === 0) return true;
    }
    return true;
  }

  /** Indentation, in the text as written, of the line that holds an element. */
  #indentOf(index: number): number {
    const lineStart = this.source.lastIndexOf("\n", defined(this.#elements[index]).start) + 1;
    let at = lineStart;
    while (this.source[at] === " " || this.source[at] === "\t") at++;
    return columnAt(this.source, at);
  }

  #leaveFresh(statement: Statement): void {
    if (this.#annotation === undefined) statement.fresh = false;
  }

  #afterClose(index: number, frame: Frame): void {
    const outer = this.#top;
    const { token } = defined(this.#elements[index]);
    if (frame.kind === "block") {
      if (outer.kind === "block" && !this.#continues(index + 1)) this.#endStatement();
      return;
    }
    if (outer.kind !== "block") return;
    const annotation = this.#annotation;
    if (annotation !== undefined) {
      if (token !== "}" && this.#frames.length === annotation.depth && !annotation.pragma)
        this.#annotation = undefined;
      return;
    }
    const next = this.#elements[index + 1];
    if (this.#roles[index] === "conditionEnd" && next !== undefined && next.newlines > 0) {
      if (this.#tokenAfter(index) !== "{") this.#nestStatement();
    } else if (token === ")" && this.#isMacroCall(index)) this.#endStatement();
    else if (token === "}" && DECLARES_MEMBERS.has(this.#elements[outer.statement.first]?.token ?? ""))
      if (!this.#continues(index + 1)) this.#endStatement();
  }

  /** What follows a block's brace and belongs to the same statement. */
  #continues(index: number): boolean {
    const token = this.#elements[index]?.token;
    return token === "else" || token === ";" || token === "," || token === ")" || token === "]";
  }

  #afterToken(index: number): void {
    const { token, text } = defined(this.#elements[index]);
    const top = this.#top;
    if (top.kind !== "block") return;
    const { statement } = top;
    const next = this.#elements[index + 1];
    if (token === "@" && statement.fresh) {
      const pragma = next?.text === "pragma" && next.gap === 0 && next.newlines === 0;
      this.#annotation = { depth: this.#frames.length, named: false, pragma };
      return;
    }
    const annotation = this.#annotation;
    if (annotation !== undefined) {
      if (annotation.named || annotation.pragma) return;
      annotation.named = true;
      if (next?.token !== "(" && next?.token !== "[") this.#annotation = undefined;
      return;
    }
    if (token === ";") {
      this.#endStatement();
      return;
    }
    if (token === "else" && next !== undefined && next.newlines > 0 && this.#tokenAfter(index) !== "{") {
      this.#nestStatement();
      return;
    }
    statement.fresh = false;
    if (statement.first === index && next !== undefined && next.newlines > 0 && this.#isMacro(text))
      if (next.token !== "(") this.#endStatement();
  }

  /** The next token, comments and directives left out. */
  #tokenAfter(index: number): string | undefined {
    let at = index + 1;
    while (this.#elements[at] !== undefined && defined(this.#elements[at]).kind !== "token") at++;
    return this.#elements[at]?.token;
  }

  #endStatement(): void {
    const top = this.#top;
    if (this.#line !== undefined) this.#line.whole = this.#line.indent === top.statement.column;
    top.statement = newStatement(top.content);
    if (!this.#annotation?.pragma) this.#annotation = undefined;
  }

  /** The statement below a condition or `else` without braces. */
  #nestStatement(): void {
    const top = this.#top;
    top.statement = newStatement(top.statement.column + INDENT);
  }

  #isMacro(text: string): boolean {
    return this.#macros.has(text) || MACRO_NAME.test(text);
  }

  /** `NAME(...)` alone on its lines, without a semicolon. */
  #isMacroCall(index: number): boolean {
    const next = this.#elements[index + 1];
    if (next === undefined || next.newlines === 0) return false;
    if (next.token === "{" || next.token === ";" || this.#roles[index + 1] === "binary") return false;
    const { first } = this.#top.statement;
    const name = this.#elements[first];
    return name !== undefined && this.#elements[first + 1]?.token === "(" && this.#isMacro(name.text);
  }

  // ---------------------------------------------------------------- lines

  /** Whether an element begins a line. */
  #breakBefore(index: number): boolean {
    if (this.#line === undefined) return true;
    const element = defined(this.#elements[index]);
    const before = defined(this.#elements[index - 1]);
    const top = this.#top;
    const { token } = element;
    if (element.kind !== "token") return element.newlines > 0;
    // A pragma ends with its line, whatever its brackets hold.
    if (this.#annotation?.pragma) return element.newlines > 0;
    const brace = this.#braces.get(index);
    const braceBefore = this.#braces.get(index - 1);
    if (token === "{" && brace?.block && top.kind === "block" && before.kind === "token")
      if (!top.statement.fresh || !this.#beginsBlockItem(index)) return false;
    if (before.token === "{" && braceBefore?.block) return token === "}" ? false : !braceBefore.oneLine;
    if (token === "}" && brace?.block) return !brace.oneLine && !(before.token === "{");
    if (before.token === "}" && braceBefore?.block) {
      if (token === ";" || token === "," || token === ")" || token === "]") return false;
      if (token === "else") return false;
      return top.kind === "block" || element.newlines > 0;
    }
    if (before.token === ";" && top.kind === "block") return !top.oneLine;
    // The members of an enum, error or match_kind end its declaration.
    if (before.token === "}" && top.kind === "block" && top.statement.fresh && !this.#continues(index))
      return true;
    return element.newlines > 0;
  }

  /** A `{` that begins a statement, which only a nested block does. */
  #beginsBlockItem(index: number): boolean {
    const before = defined(this.#elements[index - 1]).token;
    return before === ";" || before === "{" || before === "}";
  }

  /** The column of an element that begins a line. */
  #column(index: number): number {
    const element = defined(this.#elements[index]);
    const top = this.#top;
    if (top.kind !== "block") {
      return top.content;
    }
    const { statement } = top;
    if (element.kind !== "token" && this.#elements[index + 1]?.token === "}" && statement.fresh)
      return top.content;
    if (element.token === "{" && this.#braces.get(index)?.block) return statement.column;
    return statement.fresh ? statement.column : statement.column + INDENT;
  }

  #startLine(column: number, element: Element, closesBlock = false): void {
    this.#endLine();
    const last = this.lines.at(-1);
    const opened = last === undefined || /[{]$/.test(last.text);
    if (element.newlines > 1 && !opened && !closesBlock)
      this.lines.push({ indent: 0, text: "", cells: [], whole: false });
    this.#line = { indent: column, text: "", cells: [], whole: false };
  }

  #endLine(): void {
    if (this.#line !== undefined) this.lines.push(this.#line);
    this.#line = undefined;
  }

  #write(text: string): void {
    this.#line!.text += text;
  }

  #space(index: number): void {
    const before = defined(this.#elements[index - 1]);
    const element = defined(this.#elements[index]);
    if (before.kind !== "token" || element.kind !== "token") {
      const tight = ["(", "["].includes(before.token) || [")", "]", ",", ";"].includes(element.token);
      this.#write(tight ? "" : " ");
      return;
    }
    this.#write(spaceBetween(before, defined(this.#roles[index - 1]), element, defined(this.#roles[index])));
  }

  // ---------------------------------------------------------------- columns

  #cell(kind: Cell["kind"], wide: boolean): void {
    const line = this.#line;
    if (line !== undefined) line.cells.push({ kind, at: line.text.length, wide });
  }

  /** Notes the places of a statement that authors align: the name declared, `=` and the `:` of keys and cases. */
  #noteCell(index: number, statement: Statement): void {
    const top = this.#top;
    if (top.kind !== "block" || this.#line === undefined) return;
    const element = defined(this.#elements[index]);
    const before = this.#elements[index - 1];
    const next = this.#elements[index + 1];
    const kind =
      element.token === "="
        ? "value"
        : element.token === ":" && this.#roles[index] === "plain"
          ? "colon"
          : isName(element) && (next?.token === ";" || next?.token === "=")
            ? "name"
            : undefined;
    if (kind === undefined || statement.cells.has(kind) || before === undefined) return;
    if (kind === "name" && !isTypeEnd(before)) return;
    statement.cells.add(kind);
    const line = this.#line;
    if (line.text !== "") line.cells.push({ kind, at: line.text.length, wide: element.gap > 1 });
  }
}

/** Keywords that are names elsewhere, as `priority` of a VLAN tag is. */
const NAME_WORDS = new Set(["actions", "apply", "entries", "key", "list", "priority", "state", "type"]);

function isName({ token }: Element): boolean {
  return token === "identifier" || NAME_WORDS.has(token);
}

function isTypeEnd({ token }: Element): boolean {
  return token === "identifier" || token === ">" || token === "]" || token === "bool" || token === "bit";
}

function newStatement(column: number): Statement {
  return { fresh: true, column, first: -1, cells: new Set() };
}

function copyFrame(frame: Frame): Frame {
  return { ...frame, statement: { ...frame.statement, cells: new Set(frame.statement.cells) } };
}

/** The lines of a text, before columns are aligned. */
export function layOut(source: string, elements: readonly Element[]): Line[] {
  return new Layout(source, elements).layOut();
}
