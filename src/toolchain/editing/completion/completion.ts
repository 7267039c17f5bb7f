/** Completion: the words that can be written at a place. */

import { defined } from "../../../base/index.js";
import type { Element } from "../../formatting/index.js";
import {
  type ast,
  keywordSet,
  kindWord,
  memberNames,
  standardLibrary,
  type Type,
  typeToString,
} from "../../p4/index.js";
import { ANNOTATIONS, BUILTINS, DIRECTIVES, TABLE_PROPERTIES, type Word } from "../catalogue.js";
import { headOf } from "../describe.js";
import type { P4Document } from "../document.js";
import { documentation } from "../hover.js";
import { fieldOf } from "../occurrences/collect.js";
import { before } from "../text.js";
import { reachedBy } from "./chain.js";
import { type Surroundings, surroundings } from "./scope.js";

export interface Completion {
  readonly label: string;
  /** A kind of the outline, or `keyword`, `method`, `annotation`, `property`, `macro` or `file`. */
  readonly kind: string;
  readonly detail: string;
  /** Markdown. */
  readonly documentation: string;
  /** The text that replaces the word at the cursor; `$1` marks the next place of the cursor. */
  readonly insert: string;
  /** Completions with a smaller rank are shown first. */
  readonly rank: number;
}

export interface Completions {
  /** The start of the word that a completion replaces. */
  readonly start: number;
  readonly items: readonly Completion[];
}

/** Keywords by the places where they are allowed. */
const TOP_KEYWORDS =
  "action const control enum error extern header header_union match_kind package parser struct type typedef".split(
    " ",
  );
const TYPE_KEYWORDS = "bit bool error int list string tuple varbit void".split(" ");
const STATEMENT_KEYWORDS = "break const continue else exit for if return switch".split(" ");
const CONTROL_KEYWORDS = ["action", "apply", "const", "table"];
const PARSER_KEYWORDS = ["const", "state", "value_set"];

const LIBRARY_FILES = ["core.p4", "v1model.p4", "psa.p4", "pna.p4"];

/** The completions at an offset of the document; none in comments and strings. */
export function completion(document: P4Document, offset: number): Completions {
  const { prefixStart, tokens, inText, directive } = before(document, offset);
  const result = (items: readonly Completion[]): Completions => ({ start: prefixStart, items });
  if (directive !== undefined) return result(inDirective(directive, document));
  if (inText) return result([]);
  const last = tokens.at(-1);
  if (last?.token === "@") return result(ANNOTATIONS.map((word) => fromWord(word, "annotation")));
  if (last?.token === ".") return result(afterDot(document, tokens.slice(0, -1), prefixStart));
  const around = surroundings(document, prefixStart);
  const place = tablePlace(tokens);
  if (place === "matchKind")
    return result(document.analysis.checked.matchKinds.map((member) => fromDeclaration(member, 0)));
  if (place === "property") return result(TABLE_PROPERTIES.map((word) => fromWord(word, "property")));
  if (place === "actions")
    return result(
      around.names.filter(({ kind }) => kind === "action").map((one) => fromDeclaration(one, 0, false)),
    );
  if (expectsState(tokens, around)) return result(states(around, last?.token === "transition"));
  return result([...namesOf(around), ...macrosOf(document), ...keywords(around)]);
}

function inDirective(text: string, document: P4Document): Completion[] {
  if (/^#\s*\w*$/.test(text)) return DIRECTIVES.map((word) => fromWord(word, "keyword"));
  if (/^#\s*include\s*[<"][^>"]*$/.test(text))
    return LIBRARY_FILES.filter((name) => standardLibrary(name) !== undefined).map((name) => ({
      ...plain(name, "file"),
      detail: "comes with the compiler",
    }));
  if (/^#\s*(ifn?def|undef|if|elif)\b/.test(text)) return macrosOf(document);
  return [];
}

// ---------------------------------------------------------------- members

function afterDot(document: P4Document, tokens: readonly Element[], offset: number): Completion[] {
  const reached = reachedBy(document, tokens, offset);
  if (reached?.type === undefined) return [];
  return membersOf(document, reached.type);
}

function membersOf(document: P4Document, type: Type): Completion[] {
  if (type.kind === "newType") return membersOf(document, type.underlying);
  if (type.kind === "typeName") {
    if (type.type.kind === "error")
      return document.analysis.checked.errors.map((member) => fromDeclaration(member, 0));
    return membersOf(document, type.type);
  }
  return [...new Set(memberNames(type))].flatMap((name, index) => memberOf(type, name, index));
}

function memberOf(type: Type, name: string, rank: number): Completion[] {
  const field = fieldOf(type, name);
  if (field !== undefined && "fields" in type) {
    const shown = type.fields.find((one) => one.name === name)?.type;
    const detail = shown === undefined ? "" : typeToString(shown);
    return [{ ...plain(name, "field"), detail, documentation: documentation(field), rank }];
  }
  if (type.kind === "extern")
    return type.declaration.methods
      .filter((method) => method.name.name === name)
      .slice(0, 1)
      .map((method) => ({
        ...fromDeclaration(method, rank),
        kind: "method",
        insert: callForm(name, method.params.length),
      }));
  if (type.kind === "enum" || type.kind === "serializableEnum") {
    const member = type.declaration.members.find((one) => one.name.name === name);
    return member === undefined ? [] : [fromDeclaration(member, rank)];
  }
  const about = BUILTINS[name] ?? "";
  const isMethod = !["next", "last", "lastIndex", "size", "hit", "miss", "action_run"].includes(name);
  const params =
    type.kind === "control" || type.kind === "parser"
      ? type.declaration.params.length
      : name.includes("_")
        ? 1
        : 0;
  return [
    {
      ...plain(name, isMethod ? "method" : "field"),
      documentation: about,
      insert: isMethod ? callForm(name, params) : name,
      rank: 50 + rank,
    },
  ];
}

function callForm(name: string, params: number): string {
  return params === 0 ? `${name}()` : `${name}($1)`;
}

// ---------------------------------------------------------------- places

/** The indices of the brackets that are open before a place, the innermost first. */
function openBrackets(tokens: readonly Element[]): number[] {
  const open: number[] = [];
  for (const [index, { token }] of tokens.entries()) {
    if (token === "{" || token === "(" || token === "[") open.push(index);
    else if (token === "}" || token === ")" || token === "]") open.pop();
  }
  return open.reverse();
}

/** The part of a table that contains a place; undefined outside tables. */
function tablePlace(tokens: readonly Element[]): "property" | "actions" | "matchKind" | undefined {
  const [inner] = openBrackets(tokens);
  if (inner === undefined || defined(tokens[inner]).token !== "{") return undefined;
  const last = defined(tokens.at(-1));
  const atStart = last.token === "{" || last.token === ";" || last.token === "}";
  if (tokens[inner - 1]?.token === "=") {
    const property = tokens[inner - 2]?.token;
    if (property === "actions") return atStart ? "actions" : undefined;
    return property === "key" && last.token === ":" ? "matchKind" : undefined;
  }
  return tokens[inner - 2]?.token === "table" && (atStart || last.token === "const") ? "property" : undefined;
}

function expectsState(tokens: readonly Element[], around: Surroundings): boolean {
  const last = tokens.at(-1)?.token;
  if (last === "transition") return true;
  const [inner] = openBrackets(tokens);
  return (
    last === ":" && around.owner?.kind === "parser" && inner !== undefined && tokens[inner - 1]?.token === ")"
  );
}

function states({ owner }: Surroundings, withSelect: boolean): Completion[] {
  const declared = owner?.kind === "parser" ? (owner.body?.states ?? []) : [];
  const found = [
    ...declared.map((state) => fromDeclaration(state, 0)),
    ...["accept", "reject"].map((name) => ({ ...plain(name, "state"), rank: 1 })),
  ];
  if (withSelect)
    found.push({ ...plain("select", "keyword"), insert: "select($1) {\n    default: accept;\n}", rank: 2 });
  return found;
}

// ---------------------------------------------------------------- names and keywords

function namesOf({ names, state, table, inStatements, owner }: Surroundings): Completion[] {
  const calls = inStatements && table === undefined && (state !== undefined || owner !== undefined);
  return names
    .filter(({ kind, name }) => kind !== "state" && name.name !== "main")
    .map((declaration, index) => fromDeclaration(declaration, 10 + Math.min(index, 900), calls));
}

function macrosOf(document: P4Document): Completion[] {
  return document.preprocessor.macros
    .filter(({ name }) => !name.startsWith("_"))
    .map((macro) => ({ ...plain(macro.name, "macro"), detail: headOf(macro), rank: 950 }));
}

function keywords({ owner, inStatements, table }: Surroundings): Completion[] {
  const own = inStatements
    ? [...STATEMENT_KEYWORDS, ...(owner?.kind === "parser" ? ["transition"] : [])]
    : table !== undefined
      ? []
      : owner?.kind === "control"
        ? CONTROL_KEYWORDS
        : owner?.kind === "parser"
          ? PARSER_KEYWORDS
          : TOP_KEYWORDS;
  return [...new Set([...own, ...TYPE_KEYWORDS, "true", "false", "default", "in", "out", "inout"])]
    .filter((name) => keywordSet.has(name))
    .map((name) => ({ ...plain(name, "keyword"), rank: 960 }));
}

// ---------------------------------------------------------------- items

function plain(label: string, kind: string): Completion {
  return { label, kind, detail: "", documentation: "", insert: label, rank: 500 };
}

function fromWord({ name, form, about }: Word, kind: string): Completion {
  return { ...plain(name, kind), insert: form, documentation: about };
}

/** @param calls whether an action or function is completed with its parentheses */
function fromDeclaration(declaration: ast.Declaration, rank: number, calls = true): Completion {
  const { name } = declaration.name;
  const callable = declaration.kind === "action" || declaration.kind === "function";
  return {
    label: name,
    kind: kindWord(declaration),
    detail: headOf(declaration),
    documentation: documentation(declaration),
    insert: callable && calls ? callForm(name, declaration.params.length) : name,
    rank,
  };
}
