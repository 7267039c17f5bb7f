/**
 * Files of traffic matrices: one line a sender, values divided by commas or spaces, as many values as lines. Line i, value j:
 * the weight of the traffic from rack (or host) i to rack (or host) j, in any unit. `#` starts a comment.
 */
import { fail, type SourceFile, type Span } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { TrafficMatrix } from "./patterns/matrix.js";

/**
 * Throws DiagnosticError P42334 for a value that is no number from 0 on, a line with another number of values than there are
 * lines, or a matrix without traffic.
 */
export function readMatrix(file: SourceFile): TrafficMatrix {
  const rows: { span: Span; values: number[] }[] = [];
  let offset = 0;
  for (const line of file.text.split("\n")) {
    const start = offset;
    offset += line.length + 1;
    const values: number[] = [];
    for (const { 0: text, index } of line.replace(/#.*/, "").matchAll(/[^\s,]+/g)) {
      const value = Number(text);
      if (!Number.isFinite(value) || value < 0) {
        const span = { file, start: start + index, end: start + index + text.length };
        fail(CODES.matrix, span, `expected a weight, a number from 0 on, got "${text}"`);
      }
      values.push(value);
    }
    if (values.length > 0) rows.push({ span: { file, start, end: start + line.length }, values });
  }
  const size = rows.length;
  const weights = new Float64Array(size * size);
  for (const [row, { span, values }] of rows.entries()) {
    if (values.length !== size)
      fail(
        CODES.matrix,
        span,
        `line ${row + 1} of the matrix has ${values.length} values, but there are ${size} lines`,
      );
    weights.set(values, row * size);
  }
  if (!weights.some((weight) => weight > 0))
    fail(CODES.matrix, { file, start: 0, end: 0 }, "the matrix has no weight above 0");
  return { size, weights };
}
