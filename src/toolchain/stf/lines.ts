/**
 * The commands of a packet test as texts. In p4c's tests a line is a command; those of the Tofino compiler have more: `;` between commands,
 * `\\` before a line that continues, `setenv NAME TEXT` with `$NAME`, and a loop that prints commands, in the words of a shell.
 */
import { type Diagnostics, defined, type SourceFile, type Span } from "../../base/index.js";
import { CODES } from "./codes.js";

/** One command. */
export interface CommandText {
  readonly text: string;
  /** Its place; that of the whole line where the text is not the file's own. */
  readonly span: Span;
  readonly isOwn: boolean;
}

/** Limits of what a loop may print: rounds, and characters. */
const MOST_ROUNDS = 65_536;
const MOST_CHARACTERS = 16_000_000;

const LOOP =
  /^\$\(for\s+(\w+)\s+in\s+\$\(seq\s+(\d+)\s+(\d+)\)\s*;\s*do\s+printf\s+"([^"]*)"((?:\s+[$\w]+)*)\s*;\s*done\s*\)\s*;?$/;

/** The commands of a file in order; a loop that cannot be read is reported (P41252) and left out. */
export function* commandTexts(file: SourceFile, diagnostics: Diagnostics): Generator<CommandText> {
  const texts = new Map<string, string>();
  for (const span of logicalLines(file)) {
    const own = file.text.slice(span.start, span.end);
    const setting = /^setenv\s+(\w+)\s+([^;]*)/.exec(own);
    const text = own.replace(/\$([A-Za-z_]\w*)/g, (whole, name: string) => texts.get(name) ?? whole);
    if (setting !== null) texts.set(setting[1]!, text.replace(/^setenv\s+\w+\s+/, "").replace(/;\s*$/, ""));
    else if (text.startsWith("$(")) {
      const printed = printedBy(text, span, diagnostics);
      if (printed !== undefined) yield* commandsIn(printed, span, false);
    } else yield* commandsIn(text, span, text === own);
  }
}

/** The lines without comments and without the blanks around them; a line that continues is one with the next. */
function* logicalLines(file: SourceFile): Generator<Span> {
  for (const [index, start] of file.lineStarts.entries()) {
    if (index > 0 && continues(file.lineText(index))) continue;
    const code = codeOf(file.lineText(index + 1));
    if (code.trim() === "") continue;
    let end = start + code.length;
    for (let next = index; continues(file.lineText(next + 1)) && next + 1 < file.lineStarts.length; next++)
      end = defined(file.lineStarts[next + 1]) + codeOf(file.lineText(next + 2)).length;
    yield { file, start: start + (code.length - code.trimStart().length), end };
  }
}

/** A line without its comment. */
function codeOf(line: string): string {
  return line.replace(/#.*$/, "").trimEnd();
}

function continues(line: string): boolean {
  return codeOf(line).endsWith("\\");
}

function* commandsIn(text: string, span: Span, isOwn: boolean): Generator<CommandText> {
  for (const { 0: piece, index } of text.matchAll(/(?:"[^"]*"|[^;"]|"(?=[^"]*$))+/g)) {
    const trimmed = piece.trim();
    if (trimmed === "") continue;
    const start = span.start + index + (piece.length - piece.trimStart().length);
    const place = isOwn ? { file: span.file, start, end: start + trimmed.length } : span;
    yield { text: trimmed, span: place, isOwn };
  }
}

/** What a loop prints: `$(for NAME in $(seq FIRST LAST); do printf "FORMAT" $NAME NUMBER...; done)`. */
function printedBy(text: string, span: Span, diagnostics: Diagnostics): string | undefined {
  const loop = LOOP.exec(text);
  const [, name = "", first = "", last = "", format = "", words = ""] = loop ?? [];
  const rounds = Number(last) - Number(first) + 1;
  const values = words.trim().split(/\s+/);
  const isBounded = rounds <= MOST_ROUNDS && rounds * (format.length + 64 * values.length) <= MOST_CHARACTERS;
  const isKnown = values.every((word) => word === "" || word === `$${name}` || /^\d+$/.test(word));
  if (loop === null || !isBounded || !isKnown) {
    const form = '`$(for NAME in $(seq FIRST LAST); do printf "FORMAT" $NAME NUMBER...; done)`';
    diagnostics.error(CODES.lineForm, span, `expected a loop ${form} of at most ${MOST_ROUNDS} rounds`);
    return undefined;
  }
  let printed = "";
  for (let value = Number(first); value <= Number(last); value++)
    printed += formatted(
      format,
      values.map((word) => (word === `$${name}` ? value : Number(word))),
    );
  return printed;
}

/** The conversions of C that hexadecimal and decimal numbers need; a width is at most 64. */
function formatted(format: string, values: readonly number[]): string {
  let next = 0;
  return format.replace(/%(0?)(\d{0,2})([dxX])/g, (_, zero: string, width: string, kind: string) => {
    const digits = (values[next++] ?? 0).toString(kind === "d" ? 10 : 16);
    const padded = digits.padStart(Math.min(64, Number(width)), zero === "" ? " " : "0");
    return kind === "X" ? padded.toUpperCase() : padded;
  });
}
