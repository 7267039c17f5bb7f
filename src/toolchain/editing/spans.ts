/** Places in texts. */
import type { Span } from "../../base/index.js";
import { sourceOf } from "../p4/index.js";

export { sourceOf };

/** A span in the file as it was read. */
export function spanAsRead(span: Span): Span {
  return { file: sourceOf(span.file), start: span.start, end: span.end };
}

/** Whether the text at the span is the name itself: a name from a macro has the span of the macro's use instead. */
export function isWritten(name: string, { file, start, end }: Span): boolean {
  return end - start === name.length && file.text.startsWith(name, start);
}

export function holds({ start, end }: Pick<Span, "start" | "end">, offset: number): boolean {
  return start <= offset && offset <= end;
}
