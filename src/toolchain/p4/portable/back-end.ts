/** The outputs of a portable architecture: BMv2 JSON, P4Info, and the entries that the program declares. */
import { DiagnosticError } from "../../../base/index.js";
import type { BackEnd } from "../emit/back-end.js";
import { emitEntries } from "../emit/entries.js";
import { emitP4Info } from "../emit/p4info.js";
import { standardInstances } from "../emit/p4info-instances.js";
import type { IrProgram } from "../lower/ir.js";
import { emitPortable, type NamedFields, type PortableTarget } from "./bmv2-program.js";

export function portableBackEnd(
  target: PortableTarget,
  listsOf: (program: IrProgram) => readonly NamedFields[] = () => [],
): BackEnd {
  return (lowered, unit, path, diagnostics) => {
    try {
      const bmv2 = emitPortable(lowered, path, target, listsOf(lowered));
      const p4info = emitP4Info(lowered, unit, standardInstances(lowered), diagnostics);
      if (p4info === undefined || diagnostics.hasErrors) return undefined;
      return { program: { bmv2, p4info }, entries: emitEntries(lowered) };
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      for (const one of error.diagnostics) diagnostics.add(one);
      return undefined;
    }
  };
}
