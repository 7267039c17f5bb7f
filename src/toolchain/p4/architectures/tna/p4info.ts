/** The P4Info of a TNA program, as the open Tofino compiler writes it. */
import type { Diagnostics } from "../../../../base/index.js";
import type { P4Info } from "../../../program/index.js";
import { emitP4Info } from "../../emit/p4info.js";
import type { IrProgram } from "../../lower/ir.js";
import type { SourceUnit } from "../../syntax/ast.js";
import { tnaInstances } from "./p4info-instances.js";

export function emitTnaP4Info(
  lowered: IrProgram,
  unit: SourceUnit,
  diagnostics: Diagnostics,
): P4Info | undefined {
  return emitP4Info(lowered, unit, tnaInstances(lowered, unit), diagnostics);
}
