/**
 * The formatter. It changes white space and nothing else: tokens, comments and preprocessor lines stay as they are, in
 * their order. The result formatted again is the same text.
 */
import { Diagnostics, defined, SourceFile } from "../../base/index.js";
import { bracketProblem, conditionalKind } from "./braces.js";
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

/** Rounds over the whole text: most texts need fewer. */
const WHOLE_ROUNDS = 8;

/**
 * A text that is laid out, with its long lines broken. Each round ends a line once and lays the text out again, so a line of thousands of
 * columns takes many rounds. After the first ones they go over the part of the text alone that holds it and stands for itself.
 */
function wrapped({ path }: SourceFile, text: string): string {
  const broken = new Set<number>();
  const whole = rounds(path, text, { broken, most: WHOLE_ROUNDS });
  if (whole.isDone) return whole.text;
  return partsOf(whole.text, elementsOf(new SourceFile(path, whole.text), new Diagnostics()))
    .map(({ text: part, first, count }) => {
      const within = [...broken].filter((index) => index >= first && index < first + count);
      const own = new Set(within.map((index) => index - first));
      return rounds(path, part, { broken: own, most: Number.POSITIVE_INFINITY }).text;
    })
    .join("\n");
}

/** Each place is broken once at most, so this ends. */
function rounds(
  path: string,
  text: string,
  { broken, most }: { readonly broken: Set<number>; readonly most: number },
): { text: string; isDone: boolean } {
  let result = text;
  for (let round = 0; round < most; round++) {
    const elements = elementsOf(new SourceFile(path, result), new Diagnostics());
    const next = breakLongLines(result, elements, broken);
    if (next === undefined) return { text: result, isDone: true };
    result = laidOut(next, elementsOf(new SourceFile(path, next), new Diagnostics()));
  }
  return { text: result, isDone: false };
}

/** A part of a text with its elements: the first one, and how many they are. */
interface Part {
  readonly text: string;
  readonly first: number;
  readonly count: number;
}

/** The text in parts, between which there is an empty line and nothing is open: no bracket, no declaration, no #if. */
function partsOf(text: string, elements: readonly Element[]): Part[] {
  const starts = [0];
  let open = 0;
  let before = "";
  for (const [index, { kind, token, text: own, start, newlines }] of elements.entries()) {
    const begins = text[start - 1] === "\n" && (before === "}" || before === ";");
    if (newlines > 1 && open === 0 && begins) starts.push(index);
    if (kind === "token") {
      before = token;
      if (token === "(" || token === "[" || token === "{") open++;
      else if (token === ")" || token === "]" || token === "}") open--;
    } else if (kind === "directive") {
      before = "";
      const conditional = conditionalKind(own);
      // Its branches may leave brackets open in different ways, so what is open cannot be counted behind it.
      if (conditional === "branch") break;
      if (conditional === "open") open++;
      else if (conditional === "end") open--;
    }
  }
  return starts.map((first, at) => {
    const next = starts[at + 1];
    const from = at === 0 ? 0 : defined(elements[first]).start;
    const part = text.slice(from, next === undefined ? undefined : defined(elements[next]).start);
    return {
      text: next === undefined ? part : `${part.trimEnd()}\n`,
      first,
      count: (next ?? elements.length) - first,
    };
  });
}

function sameMeaning(file: SourceFile, formatted: string): boolean {
  const [old, now] = [meaningOf(file), meaningOf(new SourceFile(file.path, formatted))];
  return old.length === now.length && old.every((item, index) => item === now[index]);
}
