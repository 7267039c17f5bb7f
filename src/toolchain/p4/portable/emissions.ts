/** Emissions under a condition: a copy that is valid only where the condition holds is emitted always, since BMv2's deparsers list headers. */
import type { IrProgram, Stmt } from "../lower/ir.js";
import { assign, local } from "../lower/plain-values.js";
import { forEachStmt, mapBlocks } from "../lower/walk.js";

export function emitAlways(program: IrProgram): void {
  for (const { blocks } of program.pipes)
    for (const block of blocks) {
      if (block.kind !== "deparser") continue;
      block.body.body = block.body.body.flatMap((stmt) => always(program, stmt));
    }
}

/** A block without a condition is left as it is: its emissions happen always. */
function always(program: IrProgram, stmt: Stmt): Stmt[] {
  if (stmt.kind === "block") return [{ ...stmt, body: stmt.body.flatMap((one) => always(program, one)) }];
  if (stmt.kind !== "if" && stmt.kind !== "switch") return [stmt];
  let has = false;
  forEachStmt([stmt], (one) => {
    has ||= one.kind === "emit";
  });
  if (!has) return [stmt];
  const after: Stmt[] = [];
  const copied = (body: Stmt[]): Stmt[] =>
    body.map((one) => {
      if (one.kind !== "emit") return mapBlocks(one, copied);
      const copy = local(program, "emitted", one.header.type, one.span);
      after.push({ ...one, header: copy });
      return assign(copy, one.header, one.span);
    });
  return [mapBlocks(stmt, copied), ...after];
}
