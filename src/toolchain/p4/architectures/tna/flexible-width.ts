/**
 * The bits of a header in a packet. In a header with `@flexible` (in front of it, of one of its fields or of a struct in it) the
 * compiler chooses the order of the fields, and p4c's open Tofino back end first fills each up to whole bytes (midend
 * `PadFlexibleField`). Padding of the program counts as part of the field after it; a field with `@packed` is not filled up.
 */

import type { IrField, IrType } from "../../lower/ir.js";
import { totalWidth } from "../../lower/ir-types.js";
import type { Annotation } from "../../syntax/ast.js";

export function widthInPacket(type: IrType): number {
  if (type.kind !== "header" || !isFlexible(type)) return totalWidth(type);
  let bits = 0;
  let padding = 0;
  for (const field of leavesOf(type)) {
    const width = totalWidth(field.type);
    bits += width;
    if (has(field.annotations, "packed")) continue;
    if (has(field.annotations, "padding")) {
      padding += width;
      continue;
    }
    const missing = -(width + padding) & 7;
    bits += missing;
    if (missing > 0) padding = 0;
  }
  return bits;
}

function has(annotations: readonly Annotation[], name: string): boolean {
  return annotations.some((one) => one.name === name);
}

function isFlexible(type: IrType): boolean {
  if (type.kind !== "header" && type.kind !== "struct") return false;
  if (has(type.annotations ?? [], "flexible")) return true;
  return type.fields.some((field) => has(field.annotations, "flexible") || isFlexible(field.type));
}

/** The fields of a header with those of structs in their place. */
function leavesOf(type: IrType): IrField[] {
  if (type.kind !== "header" && type.kind !== "struct") return [];
  return type.fields.flatMap((field) => (field.type.kind === "struct" ? leavesOf(field.type) : [field]));
}
