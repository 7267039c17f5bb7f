/**
 * The length of a varbit, where it depends on fields of its own header (`extract(hdr.ipv4, (bit<32>)(hdr.ipv4.ihl - 5) * 32)`). By P4-16 it is
 * computed before the extraction, when these fields have no value. The compiler for Tofino extracts the fixed fields first and selects the length
 * by them (`desugar_varbit_extract.h` of p4c's Tofino back end): here, they get the values that the packet has for them, then the header is extracted.
 */
import type { Expr, IrProgram, Stmt, StmtOf } from "../../../lower/ir.js";
import { parsersOf } from "../../../lower/ir.js";
import { scalarWidth } from "../../../lower/ir-types.js";
import { samePlace } from "../../../lower/places.js";
import { operandsOf, statesOfParser } from "../../../lower/walk.js";

export function readLengthsAhead(program: IrProgram): void {
  for (const parser of parsersOf(program))
    for (const state of statesOfParser(parser))
      state.body = state.body.flatMap((stmt) =>
        stmt.kind === "extract" && stmt.size !== undefined ? [...fieldsAhead(stmt, stmt.size), stmt] : [stmt],
      );
}

/** Assignments of what the packet has for the fields of a header that an expression reads. */
function fieldsAhead({ header, span }: StmtOf<"extract">, size: Expr): Stmt[] {
  if (header.type.kind !== "header") return [];
  const read = fieldsOf(size, header);
  let offset = 0;
  const made: Stmt[] = [];
  for (const { name, type } of header.type.fields) {
    const width = scalarWidth(type);
    // Behind the varbit, places depend on its length.
    if (width === undefined) break;
    const left = read.get(name);
    if (left !== undefined)
      made.push({ kind: "assign", left, right: { kind: "lookahead", offset, type, span }, span });
    offset += width;
  }
  return made;
}

/** The fields of a header that an expression reads, by name. */
function fieldsOf(expr: Expr, header: Expr): Map<string, Expr> {
  const found = new Map<string, Expr>();
  const visit = (part: Expr): void => {
    if (part.kind === "field" && samePlace(part.base, header)) found.set(part.name, part);
    else operandsOf(part).forEach(visit);
  };
  visit(expr);
  return found;
}
