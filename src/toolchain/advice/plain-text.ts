/**
 * Whether a node's text is the node's own: what a macro stands for has the span of the macro's use, so that moving or deleting that text would
 * move or delete more than the node.
 */
import { type ast, partsOf } from "../p4/index.js";
import { textOf } from "./rewrite.js";

const KEYWORDS = new Set(
  "action apply bit bool const default else error exit false if in inout int out return switch table true varbit void".split(
    " ",
  ),
);
const WORD = /(?<![\w.$])[A-Za-z_]\w*|(?<=\.)[A-Za-z_]\w*/g;

/** All names in a node: of what it declares and of what it uses. */
export function namesOf(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== "object" || node === null) return found;
  if (Array.isArray(node)) for (const one of node) namesOf(one, found);
  else {
    const { name } = node as { name?: unknown };
    if (typeof name === "string") found.add(name);
    for (const part of partsOf(node)) namesOf(part, found);
  }
  return found;
}

const wordsOf = (node: ast.Statement): string[] =>
  textOf(node)
    .replace(/\/\/.*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\])*"/g, " ")
    .match(WORD) ?? [];

/** Each word of the statement's text is a word of the language or a name that the statement has, and it ends as statements do. */
export function isPlain(statement: ast.Statement): boolean {
  const names = namesOf(statement);
  return (
    /[;}]$/.test(textOf(statement)) &&
    wordsOf(statement).every((word) => KEYWORDS.has(word) || names.has(word))
  );
}

/** The statement's text begins with a word of its own and ends as statements do; in between it may use macros. */
export function hasPlainEnds(statement: ast.Statement): boolean {
  const [first] = wordsOf(statement);
  return (
    /[;}]$/.test(textOf(statement)) &&
    (first === undefined || KEYWORDS.has(first) || namesOf(statement).has(first))
  );
}
