/** Finds the declaration and the uses of a name. */
import type { Span } from "../../base/index.js";
import type { P4Document } from "./document.js";
import type { Occurrence, Target } from "./occurrences/occurrence.js";
import { placeOf } from "./occurrences/occurrences.js";
import { holds, sourceOf } from "./spans.js";

/** The meaning of the name at an offset of the document. */
function targetAt(document: P4Document, offset: number): Target | undefined {
  return document.occurrences.at(document.file, offset)?.target;
}

/** The declaration of the name at an offset; on an `#include` line, the start of the file. */
export function definition(document: P4Document, offset: number): Span | undefined {
  const target = targetAt(document, offset);
  if (target !== undefined) return placeOf(target);
  const include = document.preprocessor.includes.find(
    ({ span }) => sourceOf(span.file) === document.file && holds(span, offset),
  );
  return include === undefined ? undefined : { file: include.file, start: 0, end: 0 };
}

/** All occurrences of the name at an offset, in all files of the program. */
export function references(document: P4Document, offset: number): readonly Occurrence[] {
  const target = targetAt(document, offset);
  if (target === undefined) return [];
  return document.occurrences.of(target).filter(({ written }) => written);
}
