/**
 * Statements of a control that put a value together: `x = (bit<16>)y` with a narrower y, and `x = a ++ b`. The compiler makes one assignment
 * of each part, the highest bits first (p4c, backends/tofino/bf-p4c/midend/elim_cast.h, RewriteConcatToSlices), and since all of them set x,
 * each becomes a table of its own. In an action they stay instructions of one stage.
 */
import { defined } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import { type Expr, readAssignment } from "../expressions.js";
import type { Access } from "../model.js";
import { clearedBy, type Editing, nodeOrder, statementOf } from "./graph.js";
import { ClearedFields } from "./zeros.js";

/** A part of a value: its bits stand `at` bits above the lowest one. */
interface Piece {
  readonly at: number;
  readonly width: number;
  /** Undefined: zeros. */
  readonly access: Access | undefined;
}

/** Replaces such statements by one for each part. Zeros of a field that the parser has cleared need none. */
export function splitPieces(
  editing: Editing,
  pipeline: bmv2.Pipeline,
  atEnd: ReadonlySet<string>,
  hasValidity: boolean,
): void {
  const order = nodeOrder(pipeline);
  const cleared = ClearedFields.of(editing, pipeline, atEnd, hasValidity);
  if (order === undefined || cleared === undefined) return;
  const written = cleared.writtenBefore(order);
  for (const table of pipeline.tables) {
    const action = statementOf(editing, table);
    if (action === undefined || !editing.isStatement(table, action)) continue;
    if (action.primitives.some(({ op }) => op.startsWith("_jump"))) continue;
    const here = new Set(written.get(table.name));
    action.primitives = action.primitives.flatMap((primitive) => {
      const parts = splitOne(editing, primitive, (field) => cleared.isCleared(field) && !here.has(field));
      for (const field of cleared.setBy(primitive)) here.add(field);
      return parts;
    });
  }
}

function splitOne(
  { fields }: Editing,
  primitive: bmv2.Primitive,
  isZero: (field: string) => boolean,
): bmv2.Primitive[] {
  const [target, value] = primitive.parameters;
  if (primitive.op !== "assign" || target?.type !== "field" || value === undefined) return [primitive];
  // The matrix puts the parts together (p4c, midend/elim_cast.h).
  if (primitive.in_hash === true) return [primitive];
  // The bits above a number with a sign are no zeros.
  if (JSON.stringify(value).includes('"two_comp_mod"')) return [primitive];
  const { access, expr } = readAssignment(target.value, value, { fields, parameters: [] });
  const pieces = piecesOf(expr, access.width);
  if (pieces === undefined || pieces.length < 2) return [primitive];
  const width = fields.get(access.field)?.width ?? access.width;
  const kept = pieces.filter((piece) => piece.access !== undefined || !isZero(access.field));
  const zeros = kept.length === pieces.length ? [] : [clearedBy(access.field, primitive.source_info)];
  if (kept.length === 1) return [...zeros, primitive];
  const parts = kept.map((piece) => ({
    ...primitive,
    parameters: [target, partOf(target, width, { ...piece, at: piece.at + access.lo })],
  }));
  return [...zeros, ...parts];
}

/** The parts of a value of `width` bits, the highest first; undefined where it is not put together of fields and zeros. */
function piecesOf(expr: Expr, width: number): Piece[] | undefined {
  const found: Piece[] = [];
  if (!collect(expr, 0, found)) return undefined;
  found.sort((a, b) => a.at - b.at);
  const pieces: Piece[] = [];
  let at = 0;
  for (const piece of found) {
    if (piece.at < at || piece.at + piece.width > width) return undefined;
    if (piece.at > at) pieces.push({ at, width: piece.at - at, access: undefined });
    pieces.push(piece);
    at = piece.at + piece.width;
  }
  if (at < width) pieces.push({ at, width: width - at, access: undefined });
  return pieces.reverse();
}

function collect(expr: Expr, at: number, into: Piece[]): boolean {
  if (expr.kind === "field") {
    into.push({ at, width: expr.access.width, access: expr.access });
    return true;
  }
  if (expr.kind !== "operation") return false;
  const [left, right] = expr.parts;
  if (left === undefined || right === undefined) return false;
  if (expr.op === "|") return collect(left, at, into) && collect(right, at, into);
  return expr.op === "<<" && right.kind === "constant" && collect(left, at + Number(right.value), into);
}

const hex = (value: bigint): bmv2.Value => ({ type: "hexstr", value: `0x${value.toString(16)}` });
const operation = (op: "&" | "|" | "<<" | ">>", left: bmv2.Value, right: bmv2.Value): bmv2.Value => ({
  type: "expression",
  value: { op, left, right },
});
const ones = (bits: number): bigint => (1n << BigInt(bits)) - 1n;

/** The value that sets only the piece's bits of a field, as an assignment to a slice has it. */
function partOf(target: bmv2.Value, width: number, { at, width: bits, access }: Piece): bmv2.Value {
  const mask = ones(bits) << BigInt(at);
  const source =
    access === undefined
      ? hex(0n)
      : operation("&", operation(">>", fieldOf(access), hex(BigInt(access.lo))), hex(ones(bits)));
  return operation(
    "|",
    operation("&", target, hex(ones(width) & ~mask)),
    operation("&", operation("<<", source, hex(BigInt(at))), hex(mask)),
  );
}

function fieldOf({ field }: Access): bmv2.Value {
  const dot = field.lastIndexOf(".");
  return { type: "field", value: [field.slice(0, dot), defined(field.slice(dot + 1))] };
}
