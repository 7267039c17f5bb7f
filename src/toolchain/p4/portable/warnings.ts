/** Warnings about a portable program: what no target of ours does as it is written. */
import type { Diagnostics, Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { controlsOf, type IrProgram, instancesOf } from "../lower/ir.js";
import { warnOfUnset } from "../lower/uninitialized.js";
import { checkDirect } from "./checks.js";

export function warnPortable(program: IrProgram, prefix: string, diagnostics: Diagnostics): void {
  checkDirect(program, prefix, diagnostics);
  warnOfUnset(program, diagnostics);
  for (const { extern, argNames, span, name } of instancesOf(program))
    if (extern === "Register" && argNames.includes("initial_value"))
      warn(
        diagnostics,
        span,
        `BMv2's switches set ${name} to 0`,
        "the embedded switch has the initial value",
      );
  for (const control of controlsOf(program, ["control"]))
    for (const table of control.tables)
      for (const { name, span } of table.properties)
        if (name === `${prefix}empty_group_action`)
          warn(diagnostics, span, `${name} has no effect`, "an empty group does nothing");
}

function warn(diagnostics: Diagnostics, span: Span | undefined, message: string, note: string): void {
  diagnostics.warning(CODES.notModelled, span, message, note);
}
