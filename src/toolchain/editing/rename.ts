/** Renaming. A new name is accepted only if the meaning of the program does not change. */
import { SourceFile, type Span } from "../../base/index.js";
import { type IncludeResolver, keywordSet, standardLibrary } from "../p4/index.js";
import { openDocument, type P4Document } from "./document.js";
import type { Occurrence, Target } from "./occurrences/occurrence.js";
import { nameOf, placeOf } from "./occurrences/occurrences.js";
import { spanAsRead } from "./spans.js";

export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/** The reason why a name cannot be changed, in one sentence. */
export interface Refusal {
  readonly refused: string;
}

/** The name at an offset, or the reason why it cannot be changed. */
export function renameable(document: P4Document, offset: number): Occurrence | Refusal {
  const found = document.occurrences.at(document.file, offset);
  if (found === undefined) return { refused: "there is no name here that is declared in the program" };
  const { target } = found;
  const name = nameOf(target);
  const place = placeOf(target);
  if (place === undefined) return { refused: `'${name}' comes from the command line` };
  if (isLibrary(place.file)) return { refused: `'${name}' is declared in ${place.file.path}` };
  if (name === "main") return { refused: "'main' is the name of the switch instance, which is fixed" };
  if (name === "start" && "kind" in target && target.kind === "state")
    return { refused: "'start' is the name of a parser's first state, which is fixed" };
  const hidden = document.occurrences.of(target).find(({ written }) => !written);
  if (hidden !== undefined)
    return { refused: `'${name}' is used in the text of a macro, at ${placeText(hidden.span)}` };
  const skipped = document.preprocessor.skipped.find(
    (group) => mentions(group, name) && !isLibrary(group.file) && !isRead(document, group),
  );
  if (skipped !== undefined)
    return {
      refused: `'${name}' occurs in lines that an #if excludes, at ${placeText(skipped)}; its meaning there is unknown`,
    };
  return found;
}

/**
 * The edits that rename the name at an offset in all files of the program, or the reason why it cannot be renamed. The program
 * with the edits is analysed: each name must have the same meaning as before the edits.
 */
export function rename(document: P4Document, offset: number, newName: string): readonly Edit[] | Refusal {
  const found = renameable(document, offset);
  if ("refused" in found) return found;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(newName))
    return {
      refused: `'${newName}' is not a name: use letters, digits and _, and do not begin with a digit`,
    };
  if (keywordSet.has(newName)) return { refused: `'${newName}' is a keyword of P4` };
  const old = nameOf(found.target);
  if (newName === old) return [];
  const places = new Map(
    document.occurrences.of(found.target).map(({ span }) => [`${span.file.path}:${span.start}`, span]),
  );
  const edits = [...places.values()].map((span) => ({ span, text: newName }));
  const clash = clashOf(document, edits, newName);
  return clash === undefined ? edits : { refused: clash };
}

function clashOf(document: P4Document, edits: readonly Edit[], newName: string): string | undefined {
  const changed = applyEdits(document, edits);
  const before = document.occurrences.all;
  const after = changed.occurrences.all;
  const errors = changed.quickDiagnostics.find(
    ({ severity, message }) =>
      severity === "error" && !document.quickDiagnostics.some((old) => old.message === message),
  );
  if (errors !== undefined) return `with the name '${newName}': ${errors.message}`;
  const other = firstDifferent(before, after);
  if (other !== undefined) return `'${newName}' would have another meaning at ${placeText(other.span)}`;
  return undefined;
}

/**
 * The first occurrence with another meaning in the second list; both lists are in the order of the walk. Two meanings that become one
 * differ at a use of the second one, since the declaration of each comes before its uses (of two states, the checker refuses one).
 */
function firstDifferent(before: readonly Occurrence[], after: readonly Occurrence[]): Occurrence | undefined {
  const pairs = new Map<Target, Target>();
  for (const [index, { target }] of before.entries()) {
    const now = after[index]?.target;
    if (now === undefined || (pairs.get(target) ?? now) !== now) return before[index];
    pairs.set(target, now);
  }
  return after.length > before.length ? after[before.length] : undefined;
}

/** The program after edits of its own text and of the files that it includes. */
export function applyEdits(document: P4Document, edits: readonly Edit[]): P4Document {
  const texts = new Map<string, string>();
  for (const { span } of edits)
    if (!texts.has(span.file.path)) {
      const own = edits.filter((edit) => edit.span.file.path === span.file.path);
      texts.set(span.file.path, edited(span.file.text, own));
    }
  const { resolveInclude } = document.root.options;
  const changed: IncludeResolver = (name, from, system) => {
    const file = resolveInclude?.(name, from, system);
    const text = file === undefined ? undefined : texts.get(file.path);
    return text === undefined ? file : new SourceFile(file!.path, text);
  };
  const { root } = document;
  return openDocument(root.path, texts.get(root.path) ?? root.text, {
    ...root.options,
    resolveInclude: changed,
  });
}

function edited(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { span, text: replacement } of [...edits].sort((a, b) => b.span.start - a.span.start))
    result = result.slice(0, span.start) + replacement + result.slice(span.end);
  return result;
}

function isLibrary(file: SourceFile): boolean {
  return standardLibrary(file.path.slice(file.path.lastIndexOf("/") + 1)) === file;
}

/** Whether lines that were skipped once were read at another time, as in a file with an include guard. */
function isRead(document: P4Document, { file, start, end }: Span): boolean {
  return document.occurrences.all.some(
    ({ span }) => span.file.path === file.path && start <= span.start && span.end <= end,
  );
}

function mentions({ file, start, end }: Span, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(file.text.slice(start, end));
}

function placeText(span: Span): string {
  const { file, start } = spanAsRead(span);
  const { line, column } = file.position(start);
  return `${file.path}:${line}:${column}`;
}
