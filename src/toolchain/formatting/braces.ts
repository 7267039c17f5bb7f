/** What each brace of a text encloses, which decides where lines end in it. */
import type { Element } from "./elements.js";

export interface Brace {
  /** Holds statements, declarations, properties, entries or cases, each on a line of its own; otherwise a list of values. */
  readonly block: boolean;
  /** A block that stays on the line of its brace, as the author wrote it. */
  readonly oneLine: boolean;
}

interface OpenBrace {
  readonly index: number;
  /** Depth of parentheses and brackets since the brace. */
  depth: number;
  semicolons: number;
  blocks: number;
  /** Tokens in it; a brace with what it holds is one. */
  tokens: number;
  /** Line ends, comments and directives since the brace. */
  broken: boolean;
  /** The braces that close it, one in each branch of an `#if`. */
  readonly closes: number[];
}

const TABLE_LISTS = new Set(["key", "actions"]);
const OPENING_DIRECTIVE = /^#\s*if/;
const BRANCH_DIRECTIVE = /^#\s*el/;
const ENDING_DIRECTIVE = /^#\s*endif/;

/** What a directive does to conditional groups. */
export function conditionalKind(text: string): "open" | "branch" | "end" | undefined {
  if (OPENING_DIRECTIVE.test(text)) return "open";
  if (BRANCH_DIRECTIVE.test(text)) return "branch";
  return ENDING_DIRECTIVE.test(text) ? "end" : undefined;
}

/** Something that is wrong with the brackets of a text. */
export interface BracketProblem {
  readonly element: Element;
  readonly message: string;
}

const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/**
 * The first bracket that closes nothing or is never closed. Each branch of an `#if` begins with the brackets that were open
 * before the `#if`.
 */
export function bracketProblem(elements: readonly Element[]): BracketProblem | undefined {
  let open: Element[] = [];
  const saved: Element[][] = [];
  for (const element of elements) {
    if (element.kind === "directive") {
      const kind = conditionalKind(element.text);
      if (kind === "open") saved.push([...open]);
      else if (kind === "branch") open = [...(saved.at(-1) ?? open)];
      else if (kind === "end") saved.pop();
      continue;
    }
    const { token } = element;
    if (token === "(" || token === "[" || token === "{") open.push(element);
    else if (token in CLOSES) {
      const last = open.pop();
      if (last === undefined) return { element, message: `this '${token}' closes nothing` };
      if (last.token !== CLOSES[token])
        return { element, message: `this '${token}' would close a '${last.token}'` };
    }
  }
  const left = open[0];
  return left === undefined ? undefined : { element: left, message: `this '${left.token}' is never closed` };
}

/** The braces by the index of their opening and closing elements. */
export function bracesOf(elements: readonly Element[]): ReadonlyMap<number, Brace> {
  const braces = new Map<number, Brace>();
  let open: OpenBrace[] = [];
  const saved: OpenBrace[][] = [];
  const every: OpenBrace[] = [];
  for (const [index, element] of elements.entries()) {
    const top = open.at(-1);
    if (element.kind !== "token") {
      for (const brace of open) brace.broken = true;
      if (element.kind !== "directive") continue;
      const kind = conditionalKind(element.text);
      if (kind === "open") saved.push([...open]);
      else if (kind === "branch") open = [...(saved.at(-1) ?? open)];
      else if (kind === "end") saved.pop();
      continue;
    }
    if (element.newlines > 0) for (const brace of open) brace.broken = true;
    const { token } = element;
    if (token === "{") {
      if (top !== undefined) top.tokens++;
      const brace = { index, depth: 0, semicolons: 0, blocks: 0, tokens: 0, broken: false, closes: [] };
      open.push(brace);
      every.push(brace);
    } else if (token === "}" && top !== undefined) {
      open.pop();
      top.closes.push(index);
      if (isBlock(elements, top)) {
        const parent = open.at(-1);
        if (parent !== undefined) parent.blocks++;
      }
    } else if (top !== undefined) {
      top.tokens++;
      if (token === "(" || token === "[") top.depth++;
      else if (token === ")" || token === "]") top.depth--;
      else if (token === ";" && top.depth <= 0) top.semicolons++;
    }
  }
  for (const brace of every) {
    const { index, closes, semicolons, blocks, broken } = brace;
    const block = isBlock(elements, brace);
    const isTableList =
      elements[index - 1]?.token === "=" && TABLE_LISTS.has(elements[index - 2]?.token ?? "");
    const oneLine = block && !broken && blocks === 0 && (semicolons <= 1 || isTableList);
    const result = { block, oneLine };
    for (const place of [index, ...closes]) braces.set(place, result);
  }
  return braces;
}

/** A name after which a brace encloses declarations or statements, even when it holds none. */
function isBlock(elements: readonly Element[], { index, semicolons, blocks, tokens }: OpenBrace): boolean {
  if (semicolons > 0 || blocks > 0) return true;
  // Fields may come from macros, without a semicolon in sight.
  if (["struct", "header", "header_union"].includes(elements[index - 2]?.token ?? "")) return true;
  if (tokens > 0) return false;
  const before = elements[index - 1]?.token;
  return [")", "identifier", "else", "apply", ";", "}"].includes(before ?? "");
}
