/** What a back end makes of a lowered program. */
import type { Diagnostics } from "../../../base/index.js";
import type { TableEntry } from "../../device/index.js";
import type { Program } from "../../program/index.js";
import type { IrProgram } from "../lower/ir.js";
import type { SourceUnit } from "../syntax/ast.js";

export interface Output {
  program: Program;
  /** `entries` of tables, for a control plane that writes them itself. */
  entries: TableEntry[];
}

/** Undefined when the target cannot do what the program asks for; diagnostics say what. `path`: of the program's file. */
export type BackEnd = (
  lowered: IrProgram,
  unit: SourceUnit,
  path: string,
  diagnostics: Diagnostics,
) => Output | undefined;
