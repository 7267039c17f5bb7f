/**
 * Values of the BMv2 JSON as small trees. Slices are recognised: `(x >> 8) & 0xff` is bits 15 to 8 of x. Truncations to
 * the width that a value has anyway are removed.
 */
import type { bmv2 } from "../../program/index.js";
import type { Access, FieldInfo } from "./model.js";

export type Expr =
  | { readonly kind: "field"; readonly access: Access }
  | { readonly kind: "constant"; readonly value: bigint }
  /** A parameter of the action, which entries supply. */
  | { readonly kind: "argument"; readonly name: string; readonly width: number; readonly lo?: number }
  /** The cell of a register in its ALU: as it was read, or the value that `reads` computes of it. */
  | {
      readonly kind: "cell";
      readonly register: string;
      readonly reads: readonly Expr[];
      /** The variable that takes the result of a whole call of the ALU. */
      readonly place: Access | undefined;
    }
  | {
      readonly kind: "operation";
      readonly op: string;
      readonly parts: readonly Expr[];
      /** Of a hash: the function by name, equal for equal ones, and the bits of its variable. */
      readonly algorithm?: { readonly name: string; readonly bits: number; readonly isDeclared?: true };
      /** The value of a local variable that only copies read, whole or in part. */
      readonly isOfVariable?: true;
    };

export interface Scope {
  readonly fields: ReadonlyMap<string, FieldInfo>;
  /** Parameters of the action, in order. */
  readonly parameters: readonly { readonly name: string; readonly bitwidth: number }[];
  /** Values of local variables that are known; slices of them are taken. */
  readonly locals?: ReadonlyMap<string, Expr>;
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** `n` when the value is 2^n - 1, n > 0. */
export function onesOf(value: bigint): number | undefined {
  return value > 0n && (value & (value + 1n)) === 0n ? bitLength(value) : undefined;
}

/** Keeps the low bits. */
function truncated(expr: Expr, bits: number): Expr {
  if (expr.kind === "field" && expr.access.width > bits) {
    return { kind: "field", access: { ...expr.access, width: bits } };
  }
  if (expr.kind === "constant") return { kind: "constant", value: expr.value & ((1n << BigInt(bits)) - 1n) };
  if (expr.kind === "argument" && expr.width > bits) return { ...expr, width: bits };
  // Of a hash the matrix computes only the bits that something takes.
  if (expr.kind === "operation" && expr.algorithm !== undefined && expr.algorithm.bits > bits)
    return { ...expr, algorithm: { ...expr.algorithm, bits } };
  if (isSliced(expr)) return { ...expr, parts: expr.parts.map((part) => truncated(part, bits)) };
  return expr;
}

/**
 * A part of such a value is the same operation of parts of its operands. The compiler does so with sums too, whose carry from below the part
 * is lost (p4c, mau/instruction_selection.cpp, fillInstDest).
 */
const SLICED = new Set(["+", "-", "&", "|", "^"]);

const isSliced = (expr: Expr): expr is Extract<Expr, { kind: "operation" }> =>
  expr.kind === "operation" && SLICED.has(expr.op);

function shifted(expr: Expr, count: number): Expr | undefined {
  if (expr.kind === "field") {
    const width = expr.access.width - count;
    if (width <= 0) return { kind: "constant", value: 0n };
    return { kind: "field", access: { ...expr.access, lo: expr.access.lo + count, width } };
  }
  if (expr.kind === "constant") return { kind: "constant", value: expr.value >> BigInt(count) };
  if (expr.kind === "argument" && expr.width > count)
    return { ...expr, width: expr.width - count, lo: (expr.lo ?? 0) + count };
  // A sum that no variable had stays a shift: the program may mean one.
  if (isSliced(expr) && expr.isOfVariable === true) {
    const parts = expr.parts.flatMap((part) => shifted(part, count) ?? []);
    if (parts.length === expr.parts.length) return { ...expr, parts };
  }
  return undefined;
}

/** Reads a value; known values of local variables take the place of their names. */
export function readValue(value: bmv2.Value, scope: Scope): Expr {
  switch (value.type) {
    case "field":
      return readField(`${value.value[0]}.${value.value[1]}`, scope);
    case "hexstr":
      return { kind: "constant", value: parseHex(value.value) };
    case "bool":
      return { kind: "constant", value: value.value ? 1n : 0n };
    case "local":
    case "runtime_data":
      return argumentOf(value.value, scope);
    case "expression": {
      const inner = value.value;
      return "op" in inner ? readOperation(inner, scope) : readValue(inner, scope);
    }
    case "register":
      return { kind: "operation", op: "register", parts: [readValue(value.value[1], scope)] };
    case "header":
      return readField(`${value.value}.$valid$`, scope);
    case "header_stack":
    case "header_union_stack":
      return { kind: "operation", op: value.value, parts: [] };
    default:
      return { kind: "operation", op: value.type, parts: [] };
  }
}

function argumentOf(index: number, { parameters }: Scope): Expr {
  const parameter = parameters[index];
  return {
    kind: "argument",
    name: parameter?.name ?? `parameter ${index}`,
    width: parameter?.bitwidth ?? 32,
  };
}

function parseHex(text: string): bigint {
  const negative = text.startsWith("-");
  const value = BigInt(negative ? text.slice(1) : text);
  return negative ? -value : value;
}

function readField(name: string, scope: Scope): Expr {
  const local = scope.locals?.get(name);
  if (local !== undefined) return local;
  const width = scope.fields.get(name)?.width ?? 1;
  return { kind: "field", access: { field: name, lo: 0, width } };
}

const COMMUTATIVE = new Set(["+", "*", "&", "|", "^", "==", "!=", "and", "or"]);
/** Operations that change the type of a value, not its bits. */
const TRANSPARENT = new Set(["b2d", "d2b", "two_comp_mod"]);

function readOperation(node: bmv2.Expression, scope: Scope): Expr {
  const { op } = node;
  const operand = (part: bmv2.Value | number | null | undefined): Expr =>
    part === null || part === undefined
      ? { kind: "constant", value: 0n }
      : typeof part === "number"
        ? { kind: "constant", value: BigInt(part) }
        : readValue(part, scope);
  if (TRANSPARENT.has(op)) return operand(op === "two_comp_mod" ? node.left : node.right);
  if (op === "sat_cast" || op === "usat_cast") {
    const inner = operand(node.left);
    return inner.kind === "operation" ? { ...inner, op: `sat${inner.op}` } : inner;
  }
  if (op === "?") return choiceOf(operand(node.cond), operand(node.left), operand(node.right));
  if (op === "valid" || op === "valid_union") return operand(node.right);
  if (node.left === null) {
    const inner = operand(node.right);
    if (op === "+") return inner;
    return { kind: "operation", op, parts: [inner] };
  }
  let left = operand(node.left);
  let right = operand(node.right);
  if (COMMUTATIVE.has(op) && left.kind === "constant" && right.kind !== "constant")
    [left, right] = [right, left];
  if (right.kind === "constant") {
    if (op === "&") {
      const ones = onesOf(right.value);
      // Operands of an operation keep their width: only the result is cut.
      if (ones !== undefined) return truncated(left, ones);
    }
    if (op === ">>") {
      const result = shifted(left, Number(right.value));
      if (result !== undefined) return result;
    }
    if (op === "+" || op === "-") {
      const sum = withConstant(left, op, right.value);
      if (sum !== undefined) return sum;
    }
    if ((op === "<<" || op === "|" || op === "+" || op === "^") && right.value === 0n) return left;
    if (op === "*" && right.value > 0n && onesOf(right.value - 1n) !== undefined) {
      return { kind: "operation", op: "<<", parts: [left, right] };
    }
  }
  return { kind: "operation", op, parts: [left, right] };
}

/** `(x + a) - b` as `x + (a - b)`, and the like. */
function withConstant(left: Expr, op: "+" | "-", value: bigint): Expr | undefined {
  if (left.kind !== "operation" || (left.op !== "+" && left.op !== "-")) return undefined;
  const [inner, known] = left.parts;
  if (inner === undefined || known?.kind !== "constant") return undefined;
  const sum = (left.op === "+" ? known.value : -known.value) + (op === "+" ? value : -value);
  if (sum === 0n) return inner;
  const constant: Expr = { kind: "constant", value: sum < 0n ? -sum : sum };
  return { kind: "operation", op: sum < 0n ? "-" : "+", parts: [inner, constant] };
}

/**
 * The smaller or the larger of two values is one operation of an ALU, however the program writes it. The ALU of a register has no such
 * operation: there it stays a choice.
 */
export function choiceOf(condition: Expr, yes: Expr, no: Expr): Expr {
  if (condition.kind === "operation" && EXTREMES.has(condition.op) && !hasCell(condition)) {
    const [left, right] = condition.parts.map(formatExpr);
    const [first, second] = [formatExpr(yes), formatExpr(no)];
    const isLess = condition.op.startsWith("<");
    if (left === first && right === second)
      return { kind: "operation", op: isLess ? "min" : "max", parts: [yes, no] };
    if (left === second && right === first)
      return { kind: "operation", op: isLess ? "max" : "min", parts: [yes, no] };
  }
  return { kind: "operation", op: "?", parts: [condition, yes, no] };
}

const EXTREMES = new Set(["<", "<=", ">", ">="]);

/** All accesses that an expression reads, each once; `into` receives them. */
export function readsOf(expr: Expr, into: Access[] = []): Access[] {
  if (expr.kind === "field") {
    const { access } = expr;
    if (!into.some((a) => sameAccess(a, access))) {
      into.push(access);
    }
  } else if (expr.kind === "operation") {
    for (const part of expr.parts) readsOf(part, into);
  } else if (expr.kind === "cell") {
    for (const part of expr.reads) readsOf(part, into);
  }
  return into;
}

/** Both name the same bits, read at the same time. */
export function sameAccess(a: Access, b: Access): boolean {
  return a.field === b.field && a.lo === b.lo && a.width === b.width && a.entry === b.entry;
}

/** The value depends on the cell of a register. */
export function hasCell(expr: Expr): boolean {
  return expr.kind === "cell" || (expr.kind === "operation" && expr.parts.some(hasCell));
}

/** Arithmetic and logic steps that the expression takes: 0 for a copy. */
export function operationCount(expr: Expr): number {
  if (expr.kind !== "operation") return 0;
  return 1 + expr.parts.reduce((sum, part) => sum + operationCount(part), 0);
}

/** Operators of the JSON in P4's spelling, where they differ. */
const SPELLING: Readonly<Record<string, string>> = {
  and: "&&",
  or: "||",
  not: "!",
  "sat+": "|+|",
  "sat-": "|-|",
};

/** The expression as a P4 programmer would write it, whole: equal texts are equal expressions. */
export function formatExpr(expr: Expr): string {
  return formatTo(expr, Number.POSITIVE_INFINITY);
}

/** Characters of an expression in a message. */
const MAX_QUOTED = 240;
/** Operations within each other that are tried first. */
const MAX_DEPTH = 8;

/** The expression for a message. Values of local variables stand in place of their names, so it may grow long: inner parts are then "…". */
export function quoteExpr(expr: Expr): string {
  for (let depth = MAX_DEPTH; ; depth--) {
    const text = formatTo(expr, depth);
    if (text.length <= MAX_QUOTED || depth === 1) return text;
  }
}

function formatTo(expr: Expr, depth: number): string {
  const text = formatOperand(expr, depth);
  return expr.kind === "operation" && text.startsWith("(") ? text.slice(1, -1) : text;
}

function formatOperand(expr: Expr, depth: number): string {
  switch (expr.kind) {
    case "field":
      return formatAccess(expr.access);
    case "constant":
      return expr.value.toString();
    case "argument":
      return expr.name;
    case "cell":
      return `the cell of ${expr.register}`;
    case "operation":
      return depth === 0 ? "…" : formatOperation(expr.op, expr.parts, depth - 1);
  }
}

function formatOperation(op: string, parts: readonly Expr[], depth: number): string {
  const operands = parts.map((part) => formatOperand(part, depth));
  if (op === "?") return `(${operands[0]} ? ${operands[1]} : ${operands[2]})`;
  if (op === "hash" || op === "min" || op === "max") return `${op}(${operands.join(", ")})`;
  if (op === "dereference_header_stack" || op === "dereference_union_stack")
    return `${operands[0]}[${operands[1]}]`;
  if (op === "access_field") return `field ${operands[1]} of ${operands[0]}`;
  if (op === "last_stack_index") return `${operands[0]}.lastIndex`;
  if (op === "size_stack") return `${operands[0]}.size`;
  if (parts.length === 0) return op;
  const sign = SPELLING[op] ?? op;
  return operands.length === 1 ? `${sign}${operands[0]}` : `(${operands.join(` ${sign} `)})`;
}

function formatAccess({ field, lo, width }: Access): string {
  const name = fieldLabel(field);
  return lo === 0 ? name : `${name}[${lo + width - 1}:${lo}]`;
}

/** A field's name without what only the JSON has: the header of local variables, `$valid$`. */
export function fieldLabel(field: string): string {
  const name = field.replace(/^scalars\./, "");
  return name.endsWith(".$valid$") ? `${name.slice(0, -".$valid$".length)}.isValid()` : name;
}

/** What an assignment writes, and the value. */
export interface Destination {
  readonly access: Access;
  readonly expr: Expr;
}

/**
 * Target and value of an assignment. The assignment to a slice reaches the JSON as `f = (f & keep) | ((e << lo) & mask)`;
 * it is a write of some bits of f, not a read of f.
 */
export function readAssignment(target: bmv2.FieldRef, value: bmv2.Value, scope: Scope): Destination {
  const name = `${target[0]}.${target[1]}`;
  const width = scope.fields.get(name)?.width ?? 1;
  const whole: Access = { field: name, lo: 0, width };
  const raw = unwrap(value);
  if (raw !== undefined && raw.op === "|" && raw.left !== null && typeof raw.right !== "number") {
    const full = (1n << BigInt(width)) - 1n;
    const keep = maskedOperand(raw.left);
    const set = maskedOperand(raw.right) ?? constantBits(raw.right, keep?.mask, full);
    if (
      keep !== undefined &&
      set !== undefined &&
      isField(keep.value, name) &&
      (keep.mask & set.mask) === 0n &&
      (keep.mask | set.mask) === full
    ) {
      const lo = trailingZeros(set.mask);
      const ones = onesOf(set.mask >> BigInt(lo));
      if (ones !== undefined) {
        const shiftedOut = unshift(set.value, lo);
        const expr = truncated(readValue(shiftedOut, scope), ones);
        return { access: { field: name, lo, width: ones }, expr };
      }
    }
  }
  return { access: whole, expr: truncated(assignedValue(value, scope), width) };
}

/** The mask of a hash is an operation for the variable that takes it: the matrix computes all bits (as measured on a public design). */
function assignedValue(value: bmv2.Value, scope: Scope): Expr {
  const expr = readValue(value, scope);
  const masked = expr.kind === "operation" && expr.algorithm !== undefined ? maskedOperand(value) : undefined;
  return masked === undefined ? expr : assignedValue(masked.value, scope);
}

function unwrap(value: bmv2.Value): bmv2.Expression | undefined {
  if (value.type !== "expression") return undefined;
  return "op" in value.value ? value.value : unwrap(value.value);
}

function constantOf(value: bmv2.Value | number | null): bigint | undefined {
  if (value === null) return undefined;
  if (typeof value === "number") return BigInt(value);
  if (value.type === "hexstr") return parseHex(value.value);
  if (value.type === "expression" && !("op" in value.value)) return constantOf(value.value);
  return undefined;
}

function maskedOperand(value: bmv2.Value): { value: bmv2.Value; mask: bigint } | undefined {
  const node = unwrap(value);
  if (node === undefined || node.op !== "&" || node.left === null || typeof node.right === "number") {
    return undefined;
  }
  const mask = constantOf(node.right);
  if (mask !== undefined) return { value: node.left, mask };
  const other = constantOf(node.left);
  return other === undefined ? undefined : { value: node.right, mask: other };
}

/** A constant that is set in the bits that `keep` leaves: its mask is folded away. */
function constantBits(
  value: bmv2.Value | null,
  keep: bigint | undefined,
  full: bigint,
): { value: bmv2.Value; mask: bigint } | undefined {
  const constant = constantOf(value);
  if (value === null || constant === undefined || keep === undefined || (constant & keep) !== 0n)
    return undefined;
  return { value, mask: full & ~keep };
}

function isField(value: bmv2.Value, name: string): boolean {
  if (value.type === "field") return `${value.value[0]}.${value.value[1]}` === name;
  return value.type === "expression" && !("op" in value.value) && isField(value.value, name);
}

/** Removes the shift to the place of the slice, and the truncations around it. */
function unshift(value: bmv2.Value, lo: number): bmv2.Value {
  if (lo === 0) return value;
  const constant = constantOf(value);
  if (constant !== undefined) return { type: "hexstr", value: `0x${(constant >> BigInt(lo)).toString(16)}` };
  const node = unwrap(value);
  if (node === undefined || node.left === null) return value;
  if (node.op === "&" && constantOf(node.right) !== undefined) return unshift(node.left, lo);
  if (node.op === "<<" && constantOf(node.right) === BigInt(lo)) return node.left;
  return value;
}

function trailingZeros(value: bigint): number {
  let count = 0;
  for (let rest = value; rest > 0n && (rest & 1n) === 0n; rest >>= 1n) count++;
  return count;
}
