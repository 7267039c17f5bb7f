/** The text of a document as tokens, for functions that must work on an incomplete program. */
import { Diagnostics } from "../../base/index.js";
import { type Element, elementsOf } from "../formatting/index.js";
import type { P4Document } from "./document.js";

interface Elements {
  readonly elements: readonly Element[];
}

const known = new WeakMap<P4Document, Elements>();

/** Tokens, comments and directives of the document's own text. */
export function elementsOfDocument(document: P4Document): Elements {
  let found = known.get(document);
  if (found === undefined)
    known.set(document, (found = { elements: elementsOf(document.file, new Diagnostics()) }));
  return found;
}

/** The text before an offset. */
export interface Before {
  /** The part of a word between its start and the offset. */
  readonly prefix: string;
  readonly prefixStart: number;
  /** Tokens that end before the prefix, in order; directives and comments are left out. */
  readonly tokens: readonly Element[];
  /** Whether the offset is in a comment or a string. */
  readonly inText: boolean;
  /** The text from `#` to the offset, in a directive. */
  readonly directive: string | undefined;
}

export function before(document: P4Document, offset: number): Before {
  const { elements } = elementsOfDocument(document);
  const [prefix] = /[A-Za-z0-9_]*$/.exec(document.text.slice(Math.max(0, offset - 200), offset)) ?? [""];
  const prefixStart = offset - prefix.length;
  const inside = elements.find(
    ({ kind, token, start, end }) =>
      start < offset &&
      ((kind === "lineComment" && offset <= end) ||
        ((kind === "blockComment" || token === "stringLiteral") && offset < end)),
  );
  const directive = elements.find(
    ({ kind, start, end }) => kind === "directive" && start < offset && offset <= end,
  );
  return {
    prefix,
    prefixStart,
    tokens: elements.filter(({ kind, end }) => kind === "token" && end <= prefixStart),
    inText: inside !== undefined,
    directive: directive === undefined ? undefined : document.text.slice(directive.start, offset),
  };
}
