/** Finds the source text of parts of a program, for messages. */
import { SourceFile, type Span } from "../../base/index.js";
import type { bmv2 } from "../program/index.js";

/** Returns a source file that a program names; undefined where the caller does not have it. */
export type SourceLookup = (path: string) => SourceFile | undefined;

/** Turns the source information of the BMv2 JSON into spans. */
export class Places {
  constructor(readonly lookup: SourceLookup | undefined) {}

  /** The span of a part. Without the text of the file, a file of empty lines that has only the fragment. */
  spanOf(info: bmv2.SourceInfo | undefined): Span | undefined {
    if (info === undefined || info.line < 1) return undefined;
    const file = this.lookup?.(info.filename);
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
