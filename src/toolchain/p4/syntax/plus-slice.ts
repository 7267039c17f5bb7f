/** `base[low+:width]` as a slice with a computed upper end, `low + width - 1`. */
import { SourceFile, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Expression, SliceExpression } from "./ast.js";
import type { Cursor } from "./cursor.js";

export function sliceFrom(
  cursor: Cursor,
  span: Span,
  base: Expression,
  low: Expression,
  width: Expression,
): SliceExpression {
  // The upper end needs nodes of its own, and copies within copies would grow without bound.
  if (holdsPlusSlice(low) || holdsPlusSlice(width))
    cursor.fail(
      CODES.nestedSlice,
      low.span,
      "the bounds of a slice [low+:width] must not hold another such slice",
    );
  return { kind: "slice", span, base, high: upperEnd(low, width), low, width };
}

function upperEnd(low: Expression, width: Expression): Expression {
  const { span } = width;
  const literal = (value: bigint): Expression => ({
    kind: "intLiteral",
    span,
    value,
    width: undefined,
    signed: false,
    text: String(value),
  });
  const plain = (e: Expression) => (e.kind === "intLiteral" && e.width === undefined ? e.value : undefined);
  const [a, b] = [plain(low), plain(width)];
  if (a !== undefined && b !== undefined && a + b > 0n) return literal(a + b - 1n);
  const sum: Expression = { kind: "binary", span, op: "+", left: copy(low), right: copy(width) };
  return { kind: "binary", span, op: "-", left: sum, right: literal(1n) };
}

function holdsPlusSlice(node: unknown): boolean {
  if (typeof node !== "object" || node === null || node instanceof SourceFile) return false;
  if ((node as { kind?: string }).kind === "slice" && "width" in node) return true;
  return Object.values(node).some(holdsPlusSlice);
}

function copy<T>(node: T): T {
  if (typeof node !== "object" || node === null || node instanceof SourceFile) return node;
  if (Array.isArray(node)) return node.map(copy) as T;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, copy(value)])) as T;
}
