/** Places of a program's JSON as spans of its source, for messages. */
import { SourceFile, type Span } from "../base/index.js";
import type { bmv2 } from "../program/index.js";

/** Hands out the text of a source file that a program names; undefined where the caller has none. */
export type SourceLookup = (path: string) => SourceFile | undefined;

export class Places {
  readonly #files = new Map<string, SourceFile>();

  constructor(readonly lookup: SourceLookup | undefined) {}

  /** Without the text of the file, a stand-in of empty lines that has the fragment in its place. */
  spanOf(info: bmv2.SourceInfo | undefined): Span | undefined {
    if (info === undefined || info.line < 1) return undefined;
    let file = this.#files.get(info.filename);
    if (file === undefined) {
      file = this.lookup?.(info.filename);
      if (file !== undefined) this.#files.set(info.filename, file);
    }
    const fragment = info.source_fragment.split("\n")[0] ?? "";
    const start = file?.lineStarts[info.line - 1];
    if (file === undefined || start === undefined) {
      const text = `${"\n".repeat(info.line - 1)}${" ".repeat(info.column)}${fragment}`;
      return {
        file: new SourceFile(info.filename, text),
        start: info.line - 1 + info.column,
        end: text.length,
      };
    }
    const from = Math.min(start + info.column, file.text.length);
    return { file, start: from, end: Math.min(from + Math.max(1, fragment.length), file.text.length) };
  }
}
