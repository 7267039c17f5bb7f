/**
 * The formatter. It changes white space and nothing else: tokens, comments and preprocessor lines stay as they are, in
 * their order. The result formatted again is the same text.
 */
import { Diagnostics, SourceFile } from "../../base/index.js";
import { bracketProblem } from "./braces.js";
import { CODES } from "./codes.js";
import { alignColumns } from "./columns.js";
import { type Element, elementsOf, meaningOf } from "./elements.js";
import { layOut } from "./layout.js";
import { breakLongLines } from "./wrapping.js";

/** Longer texts are not formatted, in UTF-16 code units. */
const MAX_LENGTH = 8 * 1024 * 1024;

/**
 * A P4 text with the line ends, indentation and spaces of the house style. Undefined where the text cannot be formatted:
 * a string, comment or bracket is open (P46200), or it is longer than 8 Mi characters (P46201); the reason is an error in
 * `diagnostics`. Lines end as the first line of the text does.
 */
export function format(given: SourceFile, diagnostics: Diagnostics): string | undefined {
  // A backslash at the end of the file joins nothing, and must not join the line end that the result has.
  const file = given.text.endsWith("\\") ? new SourceFile(given.path, `${given.text}\n`) : given;
  const { path, text } = file;
  if (text.length > MAX_LENGTH) {
    diagnostics.error(
      CODES.tooLongToFormat,
      undefined,
      `${path} has ${text.length} characters; the formatter takes at most ${MAX_LENGTH}`,
    );
    return undefined;
  }
  const before = diagnostics.errorCount;
  const elements = elementsOf(file, diagnostics);
  if (diagnostics.errorCount > before) return undefined;
  const problem = bracketProblem(elements);
  if (problem !== undefined) {
    const { start, end } = problem.element;
    diagnostics.error(
      CODES.openBracket,
      { file, start, end },
      problem.message,
      "the formatter needs brackets in pairs; in each branch of an #if they may differ",
    );
    return undefined;
  }
  const result = text.trim() === "" ? "" : wrapped(file, laidOut(text, elements));
  if (!sameMeaning(file, result)) throw new Error(`formatting ${path} would change the program`);
  return /^[^\n]*\r\n/.test(text) ? result.replace(/\r?\n/g, "\r\n") : result.replace(/\r\n/g, "\n");
}

function laidOut(text: string, elements: readonly Element[]): string {
  const lines = alignColumns(layOut(text, elements)).map(({ indent, text: line }) =>
    line === "" ? "" : " ".repeat(indent) + line.trimEnd(),
  );
  return `${lines.join("\n")}\n`.replace(/^\n+/, "");
}

/** Each place is broken once at most, so this ends. */

function wrapped({ path }: SourceFile, text: string): string {
  const broken = new Set<number>();
  for (let result = text; ; ) {
    const elements = elementsOf(new SourceFile(path, result), new Diagnostics());
    const next = breakLongLines(result, elements, broken);
    if (next === undefined) return result;
    result = laidOut(next, elementsOf(new SourceFile(path, next), new Diagnostics()));
  }
}

function sameMeaning(file: SourceFile, formatted: string): boolean {
  const [old, now] = [meaningOf(file), meaningOf(new SourceFile(file.path, formatted))];
  return old.length === now.length && old.every((item, index) => item === now[index]);
}
