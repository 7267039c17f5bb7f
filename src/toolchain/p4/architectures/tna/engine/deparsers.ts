/** Deparsers: statements before the headers, and the headers in order. */
import { fail } from "../../../../../base/index.js";
import type { bmv2 } from "../../../../program/index.js";
import { CODES } from "../../../codes.js";
import { emitAction } from "../../../emit/bmv2-actions.js";
import type { Emission } from "../../../emit/emission.js";
import { sourceInfo } from "../../../emit/source-info.js";
import type { IrBlock, Stmt } from "../../../lower/ir.js";
import { forEachStmt } from "../../../lower/walk.js";
import { callsIn } from "./calls.js";
import type { Lowering } from "./lowering.js";

/** Calls of deparsers depend on the metadata of their own gress, so they are lowered first. */
export function splitDeparser(lowering: Lowering): void {
  for (const [pipe, { blocks }] of lowering.program.pipes.entries())
    for (const block of blocks) {
      if (block.kind !== "deparser") continue;
      lowering.gress = { pipe, name: block.role === "ingressDeparser" ? "ingress" : "egress" };
      block.body.body = callsIn(lowering, block.body.body);
    }
  lowering.gress = undefined;
}

/** On the hardware the checksums are computed when the packet leaves, so an emission before one sees it as well. */
export function emitDeparser(
  emission: Emission,
  block: IrBlock,
  { name, id }: { name: string; id: number },
): bmv2.Bmv2Deparser {
  if (block.kind === "parser") throw new Error("a parser as a deparser");
  const { body, span } = block.body;
  const order: string[] = [];
  const statements: Stmt[] = [];
  for (const stmt of body)
    if (stmt.kind === "emit") order.push(emission.expressions.layout.instance(stmt.header));
    else statements.push(stmt);
  forEachStmt(statements, (stmt) => {
    if (stmt.kind === "emit")
      fail(CODES.deparserStatement, stmt.span, "not supported yet: an emission under a condition");
  });
  const action = { name, annotations: [], span, params: [], body: statements, hidden: true };
  const { primitives } = emitAction(emission, action, 0, "egress");
  return { name, id, ...sourceInfo(span), order, primitives };
}
