/** Deparsers with statements: those before the headers, then the headers in order. */
import { fail } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import type { IrBlock, Stmt } from "../lower/ir.js";
import { forEachStmt } from "../lower/walk.js";
import { emitAction } from "./bmv2-actions.js";
import type { Emission } from "./emission.js";
import { sourceInfo } from "./source-info.js";

/** All statements come first: an emission before one sees what it computes, as on devices that compute checksums when the packet leaves. */
export function emitDeparserWithStatements(
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
