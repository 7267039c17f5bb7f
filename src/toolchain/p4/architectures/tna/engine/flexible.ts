/**
 * The layout of headers with `@flexible` fields for `p4loom fit`. A header in which such a field has no whole bytes is laid out anew: first the other
 * fields in their order, without the program's padding, then the flexible fields of whole bytes, the last one first, then the rest, which is filled from
 * its low end (p4c, backends/tofino/bf-p4c/common/bridged_packing.cpp, PackWithConstraintSolver). The compiler takes any solution of its
 * constraints for the rest; here a field stands beside the one before where both are in the same 16 bits, else at the next byte.
 */
import type { Field } from "../../../emit/layout.js";
import type { IrField } from "../../../lower/ir.js";
import type { Annotation } from "../../../syntax/ast.js";

/** Bits that a field does not cross beside another one. */
const BESIDE = 16;

interface Header {
  readonly annotations?: readonly Annotation[];
  readonly fields: readonly IrField[];
}

/**
 * The fields of a header in the order of the packet, with padding.
 * @param fields those of the type, one for one; others are left as they are
 */
export function packedFields(type: Header, fields: readonly Field[]): readonly Field[] {
  if (fields.length !== type.fields.length) return fields;
  const has = (list: readonly Annotation[] | undefined, name: string) =>
    list?.some((one) => one.name === name) === true;
  const isAll = has(type.annotations, "flexible");
  const kept: { field: Field; width: number; isFlexible: boolean }[] = [];
  for (const [i, field] of fields.entries()) {
    const annotations = type.fields[i]?.annotations;
    if (field[1] === "*") return fields;
    if (has(annotations, "padding")) continue;
    kept.push({ field, width: field[1], isFlexible: isAll || has(annotations, "flexible") });
  }
  const fixed = kept.filter(({ isFlexible }) => !isFlexible);
  const whole = kept.filter(({ isFlexible, width }) => isFlexible && width % 8 === 0);
  const rest = kept.filter(({ isFlexible, width }) => isFlexible && width % 8 !== 0);
  if (rest.length === 0 || fixed.reduce((sum, { width }) => sum + width, 0) % 8 !== 0) return fields;
  return [...fixed, ...whole.toReversed()].map(({ field }) => field).concat(filled(rest));
}

/** Those of the fields that the program marks with `@padding`. */
export function paddingFields(type: Header, fields: readonly Field[]): readonly Field[] {
  if (fields.length !== type.fields.length) return [];
  return fields.filter(
    (_, i) => type.fields[i]?.annotations?.some(({ name }) => name === "padding") === true,
  );
}

/** The fields with padding between them, the highest bits first. */
function filled(fields: readonly { readonly field: Field; readonly width: number }[]): Field[] {
  const upwards: Field[] = [];
  let at = 0;
  const pad = (to: number) => {
    if (to > at) upwards.push([`__pad_${upwards.length}`, to - at]);
    at = to;
  };
  for (const { field, width } of fields) {
    if (Math.floor(at / BESIDE) !== Math.floor((at + width - 1) / BESIDE)) pad(Math.ceil(at / 8) * 8);
    upwards.push(field);
    at += width;
  }
  pad(Math.ceil(at / 8) * 8);
  return upwards.reverse();
}
