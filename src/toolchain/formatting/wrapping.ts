/**
 * Lines that are too long. A line is broken where its parts are joined most loosely: a block on one line is opened; else the
 * line ends at a comma or before an operator in the outermost brackets, as late as there is room; else behind `=`, or behind an
 * opening bracket. Comments and preprocessor lines are never broken, and do not count.
 */
import { defined } from "../../base/index.js";
import { type Brace, bracesOf } from "./braces.js";
import type { Element } from "./elements.js";
import { type Role, rolesOf } from "./spacing.js";

/** Columns of a line without the comment at its end. */
export const LINE_LENGTH = 100;
/** Brackets with their content further right are broken behind the bracket: the rest of the line would have no room. */
const MOST_ALIGNED = 60;

/** From the loosest to the tightest; `=` and brackets come last. */
const OPERATORS: readonly (readonly string[])[] = [
  ["?", ":"],
  ["||"],
  ["&&"],
  ["==", "!=", "<", ">", "<=", ">="],
  ["|", "^", "&"],
  ["<<", ">>", "++", "+", "-", "|+|", "|-|"],
  ["*", "/", "%"],
];
const RANKS: ReadonlyMap<string, number> = new Map(
  OPERATORS.flatMap((operators, rank) => operators.map((operator) => [operator, rank + 2] as const)),
);
const BLOCK = 0;
const COMMA = 1;
const ASSIGNMENT = 20;
const BRACKET = 21;
const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** A place before an element where its line may end. */
interface Place {
  readonly index: number;
  readonly depth: number;
  readonly rank: number;
  /** Column at which the line would end. */
  readonly end: number;
  /** The bracket around it, by its index; -1: none but those of blocks. */
  readonly bracket: number;
}

/**
 * The text with a line end in each line that is too long, at places that are not in `broken`; they are added. Undefined: nothing is left
 * to do. The text is one that the formatter has laid out.
 */
export function breakLongLines(
  text: string,
  elements: readonly Element[],
  broken: Set<number>,
): string | undefined {
  const lines = linesOf(elements).filter((line) => isLong(text, elements, line));
  if (lines.length === 0) return undefined;
  const braces = bracesOf(elements);
  const roles = rolesOf(elements);
  const brackets = bracketsOf(elements, braces);
  const cuts: { readonly index: number; readonly column: number }[] = [];
  for (const line of lines) {
    const places = placesOf(text, elements, { braces, roles, brackets }, line).filter(
      ({ index }) => !broken.has(index),
    );
    const best = bestOf(places);
    if (best === undefined) continue;
    const cut = cutAt(text, elements, best, { brackets, first: line.first, broken });
    broken.add(cut.index);
    cuts.push(cut);
  }
  if (cuts.length === 0) return undefined;
  const pieces: string[] = [];
  let from = 0;
  let indent = "";
  for (const { index, column } of cuts) {
    const { start } = defined(elements[index]);
    pieces.push(indent, text.slice(from, start).trimEnd(), "\n");
    from = start;
    indent = " ".repeat(column);
  }
  return [...pieces, indent, text.slice(from)].join("");
}

interface LineOfElements {
  readonly first: number;
  readonly last: number;
}

function linesOf(elements: readonly Element[]): LineOfElements[] {
  const starts = [...elements.keys()].filter((index) => index === 0 || defined(elements[index]).newlines > 0);
  return starts.map((first, i) => ({ first, last: (starts[i + 1] ?? elements.length) - 1 }));
}

function isLong(text: string, elements: readonly Element[], { first, last }: LineOfElements): boolean {
  const own = elements.slice(first, last + 1);
  const code = own.filter(({ kind }) => kind === "token");
  const end = code.at(-1);
  if (end === undefined || columnOf(text, end.end) <= LINE_LENGTH) return false;
  // a directive, a comment of several lines, or a pragma, which ends with its line
  return !own.some(
    (one, i) => one.text.includes("\n") || (one.token === "@" && own[i + 1]?.text === "pragma"),
  );
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

/** For each element the brackets around it that hold no statements, the innermost last, and how many brackets there are in all. */
interface Around {
  readonly bracket: number;
  readonly depth: number;
}

function bracketsOf(elements: readonly Element[], braces: ReadonlyMap<number, Brace>): Around[] {
  const open: number[] = [];
  return elements.map(({ kind, token }, index) => {
    if (kind === "token" && token in CLOSES) open.pop();
    const innermost = open.at(-1);
    const isList = innermost !== undefined && braces.get(innermost)?.block !== true;
    const around = { bracket: isList ? innermost : -1, depth: open.length };
    if (kind === "token" && (token === "(" || token === "[" || token === "{")) open.push(index);
    return around;
  });
}

interface Facts {
  readonly braces: ReadonlyMap<number, Brace>;
  readonly roles: readonly Role[];
  readonly brackets: readonly Around[];
}

function placesOf(
  text: string,
  elements: readonly Element[],
  { braces, roles, brackets }: Facts,
  { first, last }: LineOfElements,
): Place[] {
  const places: Place[] = [];
  let angles = 0;
  for (let index = first + 1; index <= last; index++) {
    const before = defined(elements[index - 1]);
    const element = defined(elements[index]);
    if (before.token === "<" && roles[index - 1] === "angle") angles++;
    if (before.token === ">" && roles[index - 1] === "angle") angles--;
    if (element.kind !== "token" || before.kind !== "token" || angles > 0) continue;
    // two of them are one operator, which ends where a line does
    if (before.token === ">" && element.token.startsWith(">")) continue;
    const after = elements[index + 1];
    const isShift = element.token === ">" && after?.token === ">" && after.start === element.end;
    const rank = isShift
      ? RANKS.get("<<")
      : rankOf(before, defined(roles[index - 1]), braces.get(index - 1), element, defined(roles[index]));
    if (rank === undefined) continue;
    places.push({ index, rank, ...defined(brackets[index]), end: columnOf(text, before.end) });
  }
  return places;
}

function rankOf(
  before: Element,
  roleBefore: Role,
  braceBefore: Brace | undefined,
  element: Element,
  role: Role,
): number | undefined {
  const closes = element.token in CLOSES;
  if (before.token === "{" && braceBefore?.oneLine && !closes) return BLOCK;
  if (before.token === ",") return COMMA;
  if (role === "binary" && RANKS.has(element.token)) return RANKS.get(element.token);
  if (before.token === "=" && roleBefore === "binary" && element.token !== "{") return ASSIGNMENT;
  if ((before.token === "(" || before.token === "{") && !braceBefore?.block && !closes) return BRACKET;
  return undefined;
}

/** The loosest place that leaves a line of the right length; among equals the last one. Else the first place at all. */
function bestOf(places: readonly Place[]): Place | undefined {
  const isTight = ({ rank }: Place): boolean => rank >= ASSIGNMENT;
  const order = (a: Place, b: Place): number =>
    Number(isTight(a)) - Number(isTight(b)) ||
    (isTight(a) ? a.rank - b.rank : 0) ||
    a.depth - b.depth ||
    a.rank - b.rank ||
    b.end - a.end;
  const fitting = places.filter(({ end }) => end <= LINE_LENGTH).sort(order);
  return fitting[0] ?? [...places].sort((a, b) => a.end - b.end)[0];
}

/** What is known of the line that is cut. */
interface LineAround {
  readonly brackets: readonly Around[];
  /** Its first element. */
  readonly first: number;
  /** Elements before which a line ends already. */
  readonly broken: ReadonlySet<number>;
}

/** Where the line is cut, and at which column the next one begins: it tells the layout whether a bracket's lines are aligned. */
function cutAt(
  text: string,
  elements: readonly Element[],
  { index, bracket }: Place,
  { brackets, first, broken }: LineAround,
): { index: number; column: number } {
  if (bracket < 0) return { index, column: 0 };
  const content = columnOf(text, defined(elements[bracket + 1]).start);
  const isBroken = elements
    .slice(bracket + 1, index + 1)
    .some((element, at) => element.newlines > 0 && defined(brackets[bracket + 1 + at]).bracket === bracket);
  const tooFar = bracket >= first && !isBroken && content > MOST_ALIGNED && !broken.has(bracket + 1);
  if (tooFar) return { index: bracket + 1, column: 0 };
  return { index, column: index === bracket + 1 ? 0 : content };
}
