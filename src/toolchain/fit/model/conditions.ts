/**
 * What a condition takes of a gateway, which is a small ternary table over a few bytes of the packet and some hash bits.
 * A comparison by order with a bound that is not a power of two uses the hash bits. Equality of two fields uses the
 * exclusive or of two byte positions.
 */
import { type Expr, onesOf, quoteExpr, readsOf } from "./expressions.js";
import type { Access } from "./model.js";

export interface GatewayCost {
  /** Bits that are compared with constants, each counted once. */
  readonly equalBits: number;
  /** Bits of one side of the comparisons between two fields. */
  readonly pairBits: number;
  /** Bits that are compared by order with a bound that is not a power of two. */
  readonly rangeBits: number;
  /** Rows of the gateway. */
  readonly rows: number;
  /** The first part that no gateway can evaluate. */
  readonly impossible: string | undefined;
}

const ORDERED = new Set(["<", "<=", ">", ">="]);

/** Counts what the condition takes; a field that occurs several times counts once. */
export function gatewayCost(expr: Expr): GatewayCost {
  const equal = new Map<string, Access>();
  const range = new Map<string, number>();
  let pairBits = 0;
  let impossible: string | undefined;
  const key = (a: Access) => `${a.field}[${a.lo}+${a.width}]`;

  /** Rows that match when the condition holds, and rows that match when it does not. */
  function visit(node: Expr): { yes: number; no: number } {
    if (node.kind === "field") {
      equal.set(key(node.access), node.access);
      return { yes: 1, no: 1 };
    }
    if (node.kind !== "operation") return { yes: 1, no: 1 };
    const [left, right] = node.parts;
    if (node.op === "and" || node.op === "or") {
      const a = visit(left!);
      const b = visit(right!);
      return node.op === "and"
        ? { yes: a.yes * b.yes, no: a.no + b.no }
        : { yes: a.yes + b.yes, no: a.no * b.no };
    }
    if (node.op === "not") {
      const inner = visit(left!);
      return { yes: inner.no, no: inner.yes };
    }
    const equality = node.op === "==" || node.op === "!=";
    if ((equality || ORDERED.has(node.op)) && left !== undefined && right !== undefined) {
      const width = Math.max(...readsOf(node).map((a) => a.width), 1);
      // A compiler decides it.
      if (left.kind === "constant" && right.kind === "constant") return { yes: 1, no: 1 };
      if (right.kind === "constant" && left.kind === "field") {
        const bound = node.op === "<=" || node.op === ">" ? right.value + 1n : right.value;
        if (equality || bound <= 0n || onesOf(bound - 1n) !== undefined || bound === 1n) {
          equal.set(key(left.access), left.access);
        } else {
          range.set(key(left.access), (range.get(key(left.access)) ?? 0) + left.access.width);
        }
      } else if (equality && left.kind === "field" && right.kind === "field") {
        pairBits += width;
      } else if (equality && right.kind === "constant" && isMask(left)) {
        const access = maskedBits(left);
        equal.set(key(access), access);
      } else {
        impossible ??= quoteExpr(node);
      }
      if (node.op === "==") return { yes: 1, no: width };
      if (node.op === "!=") return { yes: width, no: 1 };
      return { yes: 1, no: 1 };
    }
    impossible ??= quoteExpr(node);
    return { yes: 1, no: 1 };
  }

  const rows = visit(expr);
  let equalBits = 0;
  for (const access of equal.values()) equalBits += access.width;
  let rangeBits = 0;
  for (const bits of range.values()) rangeBits += bits;
  return { equalBits, pairBits, rangeBits, rows: Math.max(1, Math.min(rows.yes, rows.no)), impossible };
}

interface Mask {
  readonly parts: readonly [Extract<Expr, { kind: "field" }>, Extract<Expr, { kind: "constant" }>];
}

/** The bits of a field from the lowest to the highest one of its mask. */
function maskedBits({ parts: [{ access }, { value }] }: Mask): Access {
  const bits = value.toString(2);
  const low = bits.length - 1 - bits.lastIndexOf("1");
  return value === 0n ? access : { ...access, lo: access.lo + low, width: bits.length - low };
}

/** `field & constant`: a ternary match. */
function isMask(expr: Expr): expr is Extract<Expr, { kind: "operation" }> & Mask {
  return (
    expr.kind === "operation" &&
    expr.op === "&" &&
    expr.parts[0]?.kind === "field" &&
    expr.parts[1]?.kind === "constant"
  );
}
