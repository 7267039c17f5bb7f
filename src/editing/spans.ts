/** Places in texts. */
import type { SourceFile, Span } from "../base/index.js";
import { LineView } from "../p4/index.js";

/** The file that a text was read from, whatever `#line` calls it. */
export function sourceOf(file: SourceFile): SourceFile {
  return file instanceof LineView ? sourceOf(file.base) : file;
}

/** A span in the file as it was read. */
export function spanAsRead(span: Span): Span {
  return { file: sourceOf(span.file), start: span.start, end: span.end };
}

/** Whether a name stands at its span: one that came out of a macro has the place of the macro's use instead. */
export function isWritten(name: string, { file, start, end }: Span): boolean {
  return end - start === name.length && file.text.startsWith(name, start);
}

export function holds({ start, end }: Pick<Span, "start" | "end">, offset: number): boolean {
  return start <= offset && offset <= end;
}
