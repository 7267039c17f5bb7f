/** A fault of the compiler itself: something the checker should have refused or resolved. */
import type { Span } from "../../base/index.js";

export function fault(span: Span | undefined, message: string): never {
  if (span === undefined) throw new Error(`internal: ${message}`);
  const { line, column } = span.file.position(span.start);
  throw new Error(`internal: ${message} (${span.file.path}:${line}:${column})`);
}
