/**
 * Pass: values of struct, header and stack type are split into their parts. What remains are scalars, and copies of a whole
 * header, union or stack from one place to another, which BMv2 can do itself.
 */

import type { Span } from "../../../base/index.js";
import { defined, fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { and, bool, elementAt, equal, field, not, or, valid, variable } from "./build.js";
import { fold } from "./fold.js";
import type { Expr, IrProgram, Stmt, StmtOf } from "./ir.js";
import { fault, newLocal } from "./ir.js";
import { isAggregate, isHeaderStack } from "./ir-types.js";
import { isFixedPlace, isPlace, readsFrom } from "./places.js";
import { mapBlocks, mapExpr, mapKeys, mapProgram, mapStmtExprs } from "./walk.js";

export function expandAggregates(program: IrProgram): void {
  const expand = (body: Stmt[]): Stmt[] =>
    body.flatMap((stmt) => expandStmt(program, mapStmtExprs(mapBlocks(stmt, expand), expandExpr)));
  mapProgram(program, expand);
  mapKeys(program, expandExpr);
}

function expandExpr(expr: Expr): Expr {
  return mapExpr(expr, (part) => {
    if (part.kind === "binary" && (part.op === "==" || part.op === "!=") && isAggregate(part.left.type)) {
      const same = sameValue(part.left, part.right, part);
      return part.op === "==" ? same : fold(not(same, part.span));
    }
    if (part.kind === "valid") return validity(part.header, part.span);
    return part;
  });
}

/** A header union is valid when one of its headers is. */
function validity(header: Expr, span: Span | undefined): Expr {
  if (header.kind === "aggregate") return bool(true, span);
  if (header.kind === "invalid") return bool(false, span);
  if (header.type.kind !== "union") return valid(header, span);
  return header.type.fields
    .map((one) => valid(field(header, one.name, span), span))
    .reduce((left, right) => or(left, right, span));
}

/** Equality field by field; of headers: both invalid, or both valid and equal (section 8.17). */
function sameValue(left: Expr, right: Expr, at: Expr): Expr {
  const type = left.type;
  const span = at.span;
  switch (type.kind) {
    case "struct":
      return all(
        type.fields.map((_, i) => sameValue(part(left, i), part(right, i), at)),
        at,
      );
    case "header": {
      const leftValid = validity(left, span);
      const rightValid = validity(right, span);
      if (left.kind === "invalid" || right.kind === "invalid")
        return fold(and(fold(not(leftValid, span)), fold(not(rightValid, span)), span));
      const fields = all(
        type.fields.map((_, i) => sameValue(part(left, i), part(right, i), at)),
        at,
      );
      const bothInvalid = and(not(leftValid, span), not(rightValid, span), span);
      const bothValid = and(leftValid, rightValid, span);
      return fold(or(bothInvalid, and(bothValid, fields, span), span));
    }
    case "union":
      if (left.kind === "invalid") return fold(not(validity(right, span)));
      if (right.kind === "invalid") return fold(not(validity(left, span)));
      return all(
        type.fields.map((_, i) => sameValue(part(left, i), part(right, i), at)),
        at,
      );
    case "stack":
      return all(
        Array.from({ length: type.size }, (_, i) => sameValue(part(left, i), part(right, i), at)),
        at,
      );
    default:
      return fold(equal(left, right, span));
  }
}

function all(conditions: Expr[], at: Expr): Expr {
  return conditions.reduce((left, right) => fold(and(left, right, at.span)), bool(true, at.span));
}

/** Field or element number `index` of a value. */
function part(value: Expr, index: number): Expr {
  if (value.kind === "aggregate") return defined(value.elements[index]);
  const type = value.type;
  if (value.kind === "conditional")
    return {
      ...value,
      whenTrue: part(value.whenTrue, index),
      whenFalse: part(value.whenFalse, index),
      type: partType(value, index),
    };
  if (type.kind === "stack") {
    if (value.kind === "invalid") return { ...value, type: type.element };
    return elementAt(value, index, value.span);
  }
  if (type.kind !== "struct" && type.kind !== "header" && type.kind !== "union")
    throw new Error("a part of a scalar");
  const wanted = defined(type.fields[index]);
  if (value.kind === "invalid") return { ...value, type: wanted.type };
  return field(value, wanted.name, value.span);
}

function partType(value: Expr, index: number) {
  const type = value.type;
  if (type.kind === "stack") return type.element;
  if (type.kind === "struct" || type.kind === "header" || type.kind === "union")
    return defined(type.fields[index]).type;
  return type;
}

// ---------------------------------------------------------------- statements

function expandStmt(program: IrProgram, stmt: Stmt): Stmt[] {
  switch (stmt.kind) {
    case "assign":
      return isAggregate(stmt.left.type) ? expandAssign(program, stmt) : [stmt];
    case "extern":
      return stmt.about.whole ? [stmt] : [{ ...stmt, args: stmt.args.map(flattenArgument) }];
    case "digest": {
      // The switch reads the fields at the end of ingress: so they must be copied now.
      const before: Stmt[] = [];
      const elements = scalarsOf(stmt.data).map((value): Expr => {
        const copy = variable(newLocal(program, "digest", value.type, value.span), value.span);
        before.push({ kind: "assign", left: copy, right: value, span: value.span });
        return copy;
      });
      return [...before, { ...stmt, elements }];
    }
    case "emit":
      return headersOf(stmt.header).map((header) => ({ ...stmt, header }));
    default:
      return [stmt];
  }
}

/** An argument of aggregate type as the list of its scalars. */
function flattenArgument(arg: Expr): Expr {
  if (!isAggregate(arg.type)) return arg;
  return { kind: "aggregate", elements: scalarsOf(arg), type: arg.type, span: arg.span };
}

function scalarsOf(value: Expr): Expr[] {
  const type = value.type;
  if (value.kind === "aggregate") return value.elements.flatMap(scalarsOf);
  switch (type.kind) {
    case "struct":
    case "header":
    case "union":
      return type.fields.flatMap((_, index) => scalarsOf(part(value, index)));
    case "stack":
      return Array.from({ length: type.size }, (_, index) => scalarsOf(part(value, index))).flat();
    default:
      return [value];
  }
}

function headersOf(value: Expr): Expr[] {
  const type = value.type;
  switch (type.kind) {
    case "header":
      return [value];
    case "struct":
    case "union":
      return type.fields.flatMap((_, index) => headersOf(part(value, index)));
    case "stack":
      return Array.from({ length: type.size }, (_, index) => headersOf(part(value, index))).flat();
    default:
      return fault(value.span, "only headers can be emitted");
  }
}

/** Statements that assign a value in parts: first those that read old values into variables, then the writes. */
interface Parts {
  readonly reads: readonly Stmt[];
  readonly writes: readonly Stmt[];
}

function expandAssign(program: IrProgram, stmt: StmtOf<"assign">): Stmt[] {
  const { reads, writes } = assignmentOf(program, stmt);
  return [...reads, ...writes];
}

function assignmentOf(program: IrProgram, stmt: StmtOf<"assign">): Parts {
  const { left, right, span } = stmt;
  const type = left.type;
  if (right.kind === "invalid") {
    if (type.kind === "header") return writing({ kind: "validity", header: left, valid: false, span });
    return partsOf(program, stmt);
  }
  if (type.kind === "struct" || (type.kind === "stack" && !isHeaderStack(type))) {
    const parts = partsOf(program, stmt);
    return right.kind === "aggregate" ? withoutHazards(program, parts) : parts;
  }
  if (right.kind === "aggregate") {
    const { reads, writes } = withoutHazards(program, partsOf(program, stmt));
    if (type.kind !== "header") return { reads, writes };
    // Reading the old fields comes before the header becomes valid: that may clear them.
    return { reads, writes: [{ kind: "validity", header: left, valid: true, span }, ...writes] };
  }
  if (type.kind === "header" && right.kind === "stackProperty") {
    // BMv2 copies no header that `last` names, but reads its fields; it was extracted, so it is valid.
    const { reads, writes } = partsOf(program, stmt);
    return { reads, writes: [{ kind: "validity", header: left, valid: true, span }, ...writes] };
  }
  if (!isPlace(right)) fail(CODES.valueNotSupported, span, "not supported yet: this value of a header type");
  return writing(stmt);
}

function writing(stmt: Stmt): Parts {
  return { reads: [], writes: [stmt] };
}

/** One assignment for each field or element. */
function partsOf(program: IrProgram, stmt: StmtOf<"assign">): Parts {
  const type = stmt.left.type;
  const count =
    type.kind === "stack" ? type.size : isAggregate(type) && "fields" in type ? type.fields.length : 0;
  const all = Array.from({ length: count }, (_, index): Parts => {
    const one: StmtOf<"assign"> = { ...stmt, left: part(stmt.left, index), right: part(stmt.right, index) };
    return isAggregate(one.left.type) ? assignmentOf(program, one) : writing(one);
  });
  return { reads: all.flatMap(({ reads }) => reads), writes: all.flatMap(({ writes }) => writes) };
}

/** `x = { x.b, x.a }`: values that an earlier write would change are read first. */
function withoutHazards(program: IrProgram, parts: Parts): Parts {
  const reads = [...parts.reads];
  const written: Expr[] = [];
  const writes = parts.writes.map((stmt): Stmt => {
    if (stmt.kind === "validity") written.push(stmt.header);
    if (stmt.kind !== "assign") return stmt;
    const { left, right } = stmt;
    const hazard = written.some((place) => readsFrom(right, place));
    written.push(left);
    const clears = left.kind === "field" && left.base.type.kind === "header" && readsFrom(right, left.base);
    if (!hazard && !clears) return stmt;
    if (isAggregate(right.type) && !isFixedPlace(right)) return stmt;
    const copy = variable(newLocal(program, "tmp", right.type, right.span), right.span);
    reads.push({ kind: "assign", left: copy, right, span: stmt.span });
    return { ...stmt, right: copy };
  });
  return { reads, writes };
}
