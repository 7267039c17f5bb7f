/**
 * A RegisterAction works on entries of the register that it names: both must have entries of one width. As in p4c's open Tofino
 * back end (midend `CheckRegisterActions`) an action can see several entries as one, or a part of an entry, where its index has
 * as many bits fewer or more: twice the width with one bit fewer.
 */
import { type Diagnostics, given } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import { type ExternInstance, type IrProgram, instancesOf } from "../../lower/ir.js";
import { typeToString, widthOf } from "../../types/index.js";

export function checkRegisterActions(program: IrProgram, diagnostics: Diagnostics): void {
  for (const instance of instancesOf(program)) {
    if (!instance.extern.startsWith("RegisterAction")) continue;
    const [register] = instance.args;
    if (register?.kind !== "instance" || sameEntries(instance, register.instance)) continue;
    const { instance: used } = register;
    diagnostics.error(
      CODES.registerActionType,
      instance.span,
      `${instance.extern} ${instance.name} is for entries of ${entryText(instance)}, its register ${used.name} has ${entryText(used)}`,
      { message: `${used.name} is declared here`, ...given({ span: used.span }) },
      "give the RegisterAction the types of its register",
    );
  }
}

/** Whether what the action works on are entries of the register; true where a width is not known. */
function sameEntries(action: ExternInstance, register: ExternInstance): boolean {
  const [entry, index] = widths(action);
  const [ownEntry, ownIndex] = widths(register);
  if (entry === undefined || ownEntry === undefined || entry === ownEntry) return true;
  if (index === undefined || ownIndex === undefined) return true;
  return entry * 2 ** index === ownEntry * 2 ** ownIndex;
}

/** Bits of an entry and of an index. */
function widths({ typeArgs }: ExternInstance): (number | undefined)[] {
  return typeArgs.slice(0, 2).map(widthOf);
}

function entryText({ typeArgs }: ExternInstance): string {
  return typeArgs.slice(0, 2).map(typeToString).join(" with an index of ");
}
