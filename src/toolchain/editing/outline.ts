/** The declarations of a file as a tree, and the ranges of lines that can be folded. */

import type { Span } from "../../base/index.js";
import { defined } from "../../base/index.js";
import { conditionalKind, type Element } from "../formatting/index.js";
import { type ast, kindWord, typeToString } from "../p4/index.js";
import type { P4Document } from "./document.js";
import { isWritten, sourceOf, spanAsRead } from "./spans.js";
import { elementsOfDocument } from "./text.js";

export interface OutlineItem {
  readonly name: string;
  /** `table`, `action`, `header`, `field`, ... */
  readonly kind: string;
  readonly detail: string;
  readonly span: Span;
  readonly nameSpan: Span;
  readonly children: readonly OutlineItem[];
}

type Named = ast.Declaration | ast.FieldDeclaration;

export function outline(document: P4Document): OutlineItem[] {
  return document.unit.declarations.flatMap((declaration) => {
    if (sourceOf(declaration.span.file) !== document.file) return [];
    return itemOf(declaration);
  });
}

function itemOf(declaration: Named): OutlineItem[] {
  const { name } = declaration;
  if (!isWritten(name.name, name.span)) return [];
  const span = spanAsRead(declaration.span);
  const nameSpan = spanAsRead(name.span);
  const type = "type" in declaration ? declaration.type : undefined;
  return [
    {
      name: name.name,
      kind: "kind" in declaration ? kindWord(declaration) : "field",
      detail: type === undefined || type.kind === "unknown" ? "" : typeToString(type),
      // A name outside its declaration, as after `typedef struct`, extends the declaration's span.
      span: {
        ...span,
        start: Math.min(span.start, nameSpan.start),
        end: Math.max(span.end, nameSpan.end),
      },
      nameSpan,
      children: childrenOf(declaration).flatMap(itemOf),
    },
  ];
}

function childrenOf(declaration: Named): readonly Named[] {
  if (!("kind" in declaration)) return [];
  switch (declaration.kind) {
    case "struct":
    case "header":
    case "headerUnion":
      return declaration.fields;
    case "enum":
    case "error":
    case "matchKind":
      return declaration.members;
    case "extern":
      return [...declaration.constructors, ...declaration.methods];
    case "parser":
      return [...(declaration.body?.locals ?? []), ...(declaration.body?.states ?? [])];
    case "control":
      return declaration.body?.locals ?? [];
    default:
      return [];
  }
}

/** A range of lines that can be folded into one, as offsets. */
export interface Fold {
  readonly start: number;
  readonly end: number;
  readonly kind: "region" | "comment" | "imports";
}

export function folds(document: P4Document): Fold[] {
  const { elements } = elementsOfDocument(document);
  const found: Fold[] = [];
  const add = (kind: Fold["kind"], start: number, end: number) => {
    if (document.text.slice(start, end).includes("\n")) found.push({ kind, start, end });
  };
  const open: Element[] = [];
  const groups: Element[] = [];
  for (const element of elements) {
    if (element.kind === "blockComment") add("comment", element.start, element.end);
    else if (element.kind === "directive") {
      const kind = conditionalKind(element.text);
      const top = groups.at(-1);
      if (kind === "branch" || kind === "end") {
        if (top !== undefined)
          add("region", top.start, Math.max(top.end, lineBefore(document.text, element.start)));
        groups.pop();
      }
      if (kind === "open" || kind === "branch") groups.push(element);
    } else if (element.token === "{" || element.token === "(") open.push(element);
    else if (element.token === "}" || element.token === ")") {
      const start = open.pop();
      if (start !== undefined) add("region", start.start, lineBefore(document.text, element.start));
    }
  }
  addRuns(elements, (one) => one.kind === "lineComment", "comment", add);
  addRuns(elements, (one) => /^#\s*include\b/.test(one.text), "imports", add);
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Adds folds for sequences of elements of the same kind, each on its own line. */
function addRuns(
  elements: readonly Element[],
  test: (element: Element) => boolean,
  kind: Fold["kind"],
  add: (kind: Fold["kind"], start: number, end: number) => void,
): void {
  for (let from = 0; from < elements.length; from++) {
    if (!test(defined(elements[from]))) continue;
    let to = from;
    while (
      to + 1 < elements.length &&
      test(defined(elements[to + 1])) &&
      defined(elements[to + 1]).newlines === 1
    )
      to++;
    if (to > from && (from === 0 || defined(elements[from]).newlines > 0))
      add(kind, defined(elements[from]).start, defined(elements[to]).end);
    from = to;
  }
}

/** The end of the line before the one of an offset. */
function lineBefore(text: string, offset: number): number {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return Math.max(0, lineStart - 1);
}
