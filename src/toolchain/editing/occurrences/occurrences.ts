/** The occurrences of all names of a program, with their meanings. */

import type { SourceFile, Span } from "../../../base/index.js";
import { defined } from "../../../base/index.js";
import type { Analysis, Macro } from "../../p4/index.js";
import type { PreprocessorFindings } from "../preprocessor-findings.js";
import { isWritten, sourceOf, spanAsRead } from "../spans.js";
import { collectNames } from "./collect.js";
import type { Occurrence, Target } from "./occurrence.js";

/** All names of a program, in all of its files. */
export class Occurrences {
  readonly all: readonly Occurrence[];
  readonly #byFile = new Map<SourceFile, Occurrence[]>();
  readonly #byTarget = new Map<Target, Occurrence[]>();

  constructor(all: readonly Occurrence[]) {
    this.all = all;
    for (const one of all) {
      if (one.written) push(this.#byFile, one.span.file, one);
      push(this.#byTarget, one.target, one);
    }
    for (const list of this.#byFile.values()) list.sort((a, b) => a.span.start - b.span.start);
  }

  /** The occurrences in a file, in order. */
  inFile(file: SourceFile): readonly Occurrence[] {
    return this.#byFile.get(file) ?? [];
  }

  of(target: Target): readonly Occurrence[] {
    return this.#byTarget.get(target) ?? [];
  }

  /** The name that contains an offset of a file, or ends at it. */
  at(file: SourceFile, offset: number): Occurrence | undefined {
    const list = this.inFile(file);
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (defined(list[middle]).span.start <= offset) low = middle + 1;
      else high = middle;
    }
    const found = list[low - 1];
    return found !== undefined && offset <= found.span.end ? found : undefined;
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** The name of a target. */
export function nameOf(target: Target): string {
  return typeof target.name === "string" ? target.name : target.name.name;
}

/** Whether a target is a macro. */
export function isMacro(target: Target): target is Macro {
  return typeof target.name === "string";
}

/** The place of a target's declaration; undefined for a macro of the command line. */
export function placeOf(target: Target): Span | undefined {
  const span = isMacro(target) ? target.span : target.name.span;
  return span === undefined ? undefined : spanAsRead(span);
}

export function occurrencesOf(analysis: Analysis, preprocessor: PreprocessorFindings): Occurrences {
  const all: Occurrence[] = [];
  const seen = new Map<SourceFile, Set<number>>();
  const add = (name: string, span: Span, rest: Omit<Occurrence, "span" | "written">) => {
    const file = sourceOf(span.file);
    const written = isWritten(name, span);
    if (written) {
      let starts = seen.get(file);
      if (starts === undefined) seen.set(file, (starts = new Set()));
      if (starts.has(span.start)) return;
      starts.add(span.start);
    }
    all.push({ span: { file, start: span.start, end: span.end }, written, ...rest });
  };
  for (const macro of preprocessor.macros)
    if (macro.span !== undefined) add(macro.name, macro.span, { target: macro, role: "declaration" });
  for (const { span, macro } of preprocessor.uses) add(macro.name, span, { target: macro, role: "read" });
  collectNames(analysis, (name, rest) => add(name.name, name.span, rest));
  return new Occurrences(all);
}
