/**
 * What a condition takes of a gateway, which is a small ternary table over a few bytes of the packet and some hash bits.
 * A comparison by order with a bound that is not a power of two uses the hash bits. Equality of two fields uses the
 * exclusive or of two byte positions.
 */
import { type Expr, onesOf, quoteExpr, readsOf } from "./expressions.js";
import type { Access } from "./model.js";

export interface GatewayCost {
  /** What is compared with constants, each once. */
  readonly equal: readonly Access[];
  /** Of the comparisons between two fields: one side, each once. */
  readonly pairs: readonly Access[];
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

/** What one gateway sees; null: the target does not state it. */
export interface GatewayLimits {
  readonly bytes: number | null;
  readonly hash_bits: number | null;
  readonly rows: number | null;
}

const NEGATED: ReadonlySet<string> = new Set(["not", "!="]);
const ORDERED = new Set(["<", "<=", ">", ">="]);

/**
 * How many gateways evaluate a condition; undefined: it looks at more bits than they can. A test that decides by itself has a row of its
 * own, and a gateway without room for it leaves it to a next one (p4c, mau/gateway.cpp, CanonGatewayExpr, and mau/split_gateways.cpp).
 */
export function gatewayCount(expr: Expr, limits: GatewayLimits): number | undefined {
  const byteBits = limits.bytes === null ? Number.POSITIVE_INFINITY : limits.bytes * 8;
  const hashBits = limits.hash_bits ?? 0;
  const fits = (part: Expr) => {
    const { equalBits, pairBits, rangeBits } = gatewayCost(part);
    return (
      rangeBits <= hashBits && pairBits <= byteBits && equalBits + pairBits + rangeBits <= byteBits + hashBits
    );
  };
  const byRows = Math.max(1, Math.ceil(gatewayCost(expr).rows / (limits.rows ?? Number.POSITIVE_INFINITY)));
  if (fits(expr)) return byRows;
  const rows = separateRows(expr);
  if (!rows.every(fits)) return undefined;
  let count = 0;
  let open: Expr | undefined;
  for (const row of rows) {
    const joined: Expr = open === undefined ? row : { kind: "operation", op: "or", parts: [open, row] };
    const isNew: boolean = open === undefined || !fits(joined);
    if (isNew) count++;
    open = isNew ? row : joined;
  }
  return Math.max(byRows, count);
}

/** Bits that gateways see through the hash matrix: those compared by order, and those beyond the bytes that they see (gateway.cpp). */
export function gatewayHashBits(expr: Expr, limits: GatewayLimits): number {
  const { equalBits, pairBits, rangeBits } = gatewayCost(expr);
  if (limits.bytes === null || limits.hash_bits === null) return rangeBits;
  const beyond = Math.max(0, equalBits + pairBits - 8 * limits.bytes * (gatewayCount(expr, limits) ?? 1));
  return rangeBits + beyond;
}

/** The parts of a condition that decide by themselves; what decides only together stays one part. */
function separateRows(expr: Expr): Expr[] {
  if (expr.kind !== "operation" || (expr.op !== "and" && expr.op !== "or")) return [expr];
  const { op } = expr;
  const terms = joinedTerms(expr, op);
  if (op === "or") return terms;
  const [apart, together] = [terms.filter(fallsAlone), terms.filter((term) => !fallsAlone(term))];
  const [first, ...others] = together;
  if (first === undefined) return apart;
  return [...apart, others.reduce<Expr>((a, b) => ({ kind: "operation", op, parts: [a, b] }), first)];
}

/** The terms that an operation joins. */
function joinedTerms(expr: Expr, op: "and" | "or"): Expr[] {
  return expr.kind === "operation" && expr.op === op
    ? expr.parts.flatMap((part) => joinedTerms(part, op))
    : [expr];
}

/** One row of a gateway tells that the term is false: an inequality, or a test of one bit. */
function fallsAlone(term: Expr): boolean {
  if (term.kind !== "operation") return true;
  const oneBit = comparedBits(term).every(({ width }) => width === 1);
  const [inner] = term.parts;
  if (term.op === "not") return oneBit || (inner?.kind === "operation" && inner.op === "==");
  return term.op === "!=" || (term.op === "==" && oneBit);
}

/**
 * What gateways see of the fields: of a masked field the bits from the lowest to the highest of the mask, of a comparison by order with a
 * power of two the bits from that one on, and with zero, which only a signed field can be less than, the highest bit (gateway.cpp).
 */
export function comparedBits(expr: Expr): readonly Access[] {
  if (expr.kind !== "operation") return readsOf(expr);
  const [left, right] = expr.parts;
  const isComparison = expr.op === "==" || expr.op === "!=" || ORDERED.has(expr.op);
  if (isComparison && left !== undefined && right?.kind === "constant") {
    if (isMask(left)) return [maskedBits(left)];
    if (left.kind === "field" && ORDERED.has(expr.op))
      return [orderedBits(expr.op, left.access, right.value)];
  }
  return expr.parts.flatMap(comparedBits);
}

/** Fields that a condition tests for being equal, in pairs. */
export function comparedPairs(expr: Expr): readonly (readonly [Access, Access])[] {
  if (expr.kind !== "operation") return [];
  const [left, right] = expr.parts;
  if ((expr.op === "==" || expr.op === "!=") && left?.kind === "field" && right?.kind === "field")
    return [[left.access, right.access]];
  return expr.parts.flatMap(comparedPairs);
}

/** The lowest value that is on the other side of a comparison by order. */
function boundOf(op: string, value: bigint): bigint {
  return op === "<=" || op === ">" ? value + 1n : value;
}

function orderedBits(op: string, access: Access, value: bigint): Access {
  const bound = boundOf(op, value);
  const below = bound === 0n ? access.width - 1 : (onesOf(bound - 1n) ?? 0);
  return below >= access.width ? access : { ...access, lo: access.lo + below, width: access.width - below };
}

/** Counts what the condition takes; bits that it looks at several times count once. */
export function gatewayCost(expr: Expr): GatewayCost {
  const equal = new Map<string, Access>();
  const range = new Map<string, number>();
  const pairs = new Map<string, Access>();
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
      const mask = isMask(left) ? left.parts[1].value : undefined;
      const width =
        mask === undefined ? Math.max(...readsOf(node).map((a) => a.width), 1) : Math.max(1, onesIn(mask));
      // A compiler decides it.
      if (left.kind === "constant" && right.kind === "constant") return { yes: 1, no: 1 };
      if (right.kind === "constant" && left.kind === "field") {
        const bound = boundOf(node.op, right.value);
        if (equality || bound <= 0n || onesOf(bound - 1n) !== undefined || bound === 1n) {
          for (const access of comparedBits(node)) equal.set(key(access), access);
        } else {
          range.set(key(left.access), (range.get(key(left.access)) ?? 0) + left.access.width);
        }
      } else if (equality && left.kind === "field" && right.kind === "field") {
        pairBits += width;
        pairs.set(`${key(left.access)} ${key(right.access)}`, right.access);
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

  /**
   * Rows where the first that matches decides: of terms that are joined, each negated one has rows of its own before the others, which
   * tell the opposite (p4c, mau/gateway.cpp, CanonGatewayExpr::removeNotEquals).
   */
  function inOrder(node: Expr): number {
    if (node.kind !== "operation" || (node.op !== "and" && node.op !== "or")) return Number.POSITIVE_INFINITY;
    const terms = joinedTerms(node, node.op);
    const negated = terms.flatMap((term) => {
      if (term.kind !== "operation") return [];
      if (term.op === "not") return [visit(term.parts[0]!)];
      return term.op === "!=" ? [{ yes: 1, no: 1 }] : [];
    });
    const others = terms.filter((term) => term.kind !== "operation" || !NEGATED.has(term.op));
    const product = (rows: readonly number[]) => rows.reduce((all, one) => all * one, 1);
    const sum = (rows: readonly number[]) => rows.reduce((all, one) => all + one, 0);
    const [own, before] = [others.map((term) => visit(term).yes), negated.map(({ yes }) => yes)];
    return node.op === "and" ? product(own) + sum(before) : sum(own) + product(before);
  }

  const rows = visit(expr);
  const seen = new Set<string>();
  for (const { field, lo, width } of equal.values())
    for (let bit = lo; bit < lo + width; bit++) seen.add(`${field} ${bit}`);
  const equalBits = seen.size;
  let rangeBits = 0;
  for (const bits of range.values()) rangeBits += bits;
  const cost = {
    equal: [...equal.values()],
    pairs: [...pairs.values()],
    equalBits,
    pairBits,
    rangeBits,
    impossible,
  };
  // Counts rows alone: what it adds to the bits is in the cost already.
  return { ...cost, rows: Math.max(1, Math.min(rows.yes, rows.no, inOrder(expr))) };
}

interface Mask {
  readonly parts: readonly [Extract<Expr, { kind: "field" }>, Extract<Expr, { kind: "constant" }>];
}

function onesIn(value: bigint): number {
  return value.toString(2).replaceAll("0", "").length;
}

/** The bits of a field from the lowest to the highest one of its mask. */
function maskedBits({ parts: [{ access }, { value }] }: Mask): Access {
  const bits = value.toString(2);
  const low = bits.length - 1 - bits.lastIndexOf("1");
  return value === 0n ? access : { ...access, lo: access.lo + low, width: bits.length - low };
}

/** `field & constant`: a ternary match. */
function isMask(expr: Expr | undefined): expr is Extract<Expr, { kind: "operation" }> & Mask {
  return (
    expr?.kind === "operation" &&
    expr.op === "&" &&
    expr.parts[0]?.kind === "field" &&
    expr.parts[1]?.kind === "constant"
  );
}
