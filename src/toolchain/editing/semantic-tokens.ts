/** The kind of each token of a text, for colours: from the checker if it has one, otherwise from the scanner. */
import { defined } from "../../base/index.js";
import { type ast, keywordSet } from "../p4/index.js";
import type { P4Document } from "./document.js";
import type { Occurrence } from "./occurrences/occurrence.js";
import { isMacro } from "./occurrences/occurrences.js";
import { sourceOf } from "./spans.js";
import { elementsOfDocument } from "./text.js";

/** The kinds of a language server (LSP 3.17, SemanticTokenTypes), in the order of their numbers. */
export const TOKEN_KINDS = [
  "namespace",
  "type",
  "enum",
  "struct",
  "typeParameter",
  "parameter",
  "variable",
  "property",
  "enumMember",
  "function",
  "method",
  "macro",
  "keyword",
  "comment",
  "string",
  "number",
  "operator",
  "decorator",
] as const;
type TokenKind = (typeof TOKEN_KINDS)[number];

export const TOKEN_MODIFIERS = ["declaration", "readonly", "defaultLibrary", "modification"] as const;
type TokenModifier = (typeof TOKEN_MODIFIERS)[number];

export interface SemanticToken {
  readonly start: number;
  readonly end: number;
  readonly kind: TokenKind;
  readonly modifiers: readonly TokenModifier[];
}

/** The tokens of a document, in order. A comment may span several lines. */
export function semanticTokens(document: P4Document): SemanticToken[] {
  const names = new Map(document.occurrences.inFile(document.file).map((one) => [one.span.start, one]));
  const tokens: SemanticToken[] = [];
  const { elements } = elementsOfDocument(document);
  const skipped = document.preprocessor.skipped.filter(({ file }) => file === document.file);
  for (const [index, { kind, token, text, start, end }] of elements.entries()) {
    const add = (what: TokenKind, from = start, to = end, modifiers: readonly TokenModifier[] = []) =>
      tokens.push({ start: from, end: to, kind: what, modifiers });
    if (skipped.some((group) => group.start <= start && start < group.end)) {
      add("comment");
      continue;
    }
    if (kind === "lineComment" || kind === "blockComment") add("comment");
    else if (kind === "directive") {
      const [word] = /^#\s*\w*/.exec(text) ?? [""];
      add("keyword", start, start + word.length);
      for (const match of text.slice(word.length).matchAll(/[A-Za-z_]\w*/g)) {
        const from = start + word.length + match.index;
        if (names.has(from)) add("macro", from, from + match[0].length);
      }
      const file = /^#\s*include\s*([<"].*?[>"])/.exec(text);
      if (file !== null)
        add(
          "string",
          start + text.indexOf(defined(file[1])),
          start + text.indexOf(defined(file[1])) + defined(file[1]).length,
        );
    } else if (names.has(start)) {
      const found = defined(names.get(start));
      add(kindOf(found), start, end, modifiersOf(found));
    } else if (token === "stringLiteral") add("string");
    else if (token === "integer") add("number");
    else if (elements[index - 1]?.token === "@" && defined(elements[index - 1]).end === start)
      add("decorator");
    else if (token === "@") add("decorator");
    else if (keywordSet.has(token)) add("keyword");
    else if (token === "identifier") add("property");
    else if (!/^[()[\]{};,.:]$/.test(token)) add("operator");
  }
  return tokens;
}

function kindOf({ target }: Occurrence): TokenKind {
  if (isMacro(target)) return "macro";
  return "kind" in target ? DECLARATION_KINDS[target.kind] : "property";
}

const DECLARATION_KINDS: Readonly<Record<ast.Declaration["kind"], TokenKind>> = {
  constant: "variable",
  variable: "variable",
  instance: "variable",
  action: "function",
  table: "variable",
  parser: "type",
  control: "type",
  package: "type",
  extern: "type",
  function: "function",
  struct: "struct",
  header: "struct",
  headerUnion: "struct",
  enum: "enum",
  error: "enum",
  matchKind: "enum",
  typedef: "type",
  valueSet: "variable",
  state: "namespace",
  parameter: "parameter",
  typeParameter: "typeParameter",
  enumMember: "enumMember",
};

function modifiersOf({ target, role }: Occurrence): TokenModifier[] {
  const modifiers: TokenModifier[] = [];
  if (role === "declaration") modifiers.push("declaration");
  if (role === "write") modifiers.push("modification");
  if (isMacro(target)) return modifiers;
  if ("kind" in target && (target.kind === "constant" || target.kind === "enumMember"))
    modifiers.push("readonly");
  if (sourceOf(target.name.span.file).path.startsWith("p4include/")) modifiers.push("defaultLibrary");
  return modifiers;
}
