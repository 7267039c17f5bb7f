/** A state of a parser that ends within a byte, for which the parser's unit has no shift (p4c's open Tofino back end, `parde/extract_parser`). */
import type { Diagnostics } from "../../../../../base/index.js";
import { CODES } from "../../../codes.js";
import { fold } from "../../../lower/fold.js";
import { type IrProgram, type IrState, parsersOf } from "../../../lower/ir.js";
import { forEachStmt, statesOfParser } from "../../../lower/walk.js";
import { widthInPacket } from "../flexible-width.js";

export function checkParsers(program: IrProgram, diagnostics: Diagnostics): void {
  for (const parser of parsersOf(program))
    for (const state of statesOfParser(parser)) {
      const bits = bitsOf(state);
      if (bits === undefined || bits % 8 === 0) continue;
      diagnostics.error(
        CODES.parserStateBytes,
        state.span,
        `the state ${state.name} reads ${bits} bits, and a state ends at a whole byte`,
        "extract or advance over whole bytes in each state",
      );
    }
}

/** Bits that a state extracts and advances over; undefined where they vary. */
function bitsOf({ body, annotations }: IrState): number | undefined {
  if (annotations?.some(({ name }) => name === "force_shift")) return undefined;
  let bits: number | undefined = 0;
  forEachStmt(body, (stmt) => {
    if (bits === undefined) return;
    if (stmt.kind === "extract")
      bits = stmt.size === undefined ? bits + widthInPacket(stmt.header.type) : undefined;
    else if (stmt.kind === "advance") {
      const size = fold(stmt.size);
      bits = size.kind === "number" ? bits + Number(size.value) : undefined;
    } else if (stmt.kind === "if" || stmt.kind === "switch" || stmt.kind === "loop") bits = undefined;
  });
  return bits;
}
