/** v1model's outputs: BMv2 JSON, P4Info, and the entries that the program declares. */
import type { Diagnostics } from "../../../../base/index.js";
import type { Output } from "../../emit/back-end.js";
import { emitEntries } from "../../emit/entries.js";
import { emitP4Info } from "../../emit/p4info.js";
import { standardInstances } from "../../emit/p4info-instances.js";
import type { IrProgram } from "../../lower/ir.js";
import type { SourceUnit } from "../../syntax/ast.js";
import { emitBmv2 } from "./bmv2-program.js";
import { viewOf } from "./view.js";

export function emitV1model(
  lowered: IrProgram,
  unit: SourceUnit,
  path: string,
  diagnostics: Diagnostics,
): Output | undefined {
  const bmv2 = emitBmv2(viewOf(lowered), path, diagnostics);
  if (bmv2 === undefined) return undefined;
  const p4info = emitP4Info(lowered, unit, standardInstances(lowered), diagnostics);
  if (p4info === undefined || diagnostics.hasErrors) return undefined;
  return { program: { bmv2, p4info }, entries: emitEntries(lowered) };
}
