/**
 * Sums with an operand that is narrower than the result. The ALU adds whole containers of one size, so nothing may stand beside that operand;
 * bytes of a header that is sent fill their containers, and a sum is not cut. So no container suits a narrower field of such a header (p4c,
 * phv/cluster_phv_operations.cpp: no_split and solitary; "Unable to slice"). A slice of a larger field it takes, and adds the field's other bits.
 * What goes through the hash matrix is no operand here.
 */
import { CODES } from "../codes.js";
import { fieldLabel } from "../model/expressions.js";
import type { Access, Operation, Unit } from "../model/model.js";
import type { CheckContext } from "./check-context.js";

export function checkSums(context: CheckContext): void {
  if (context.model.program.architecture === undefined) return;
  for (const unit of context.model.units)
    for (const { operations } of unit.actions)
      for (const op of operations) if (op.kind === "arithmetic") checkSum(context, unit, op);
}

function checkSum({ model, refuse }: CheckContext, { gress }: Unit, { write, sources, source }: Operation) {
  const isNarrow = ({ field, width }: Access) => {
    const info = model.fields.get(field);
    if (info === undefined || info.metadata || width >= write.width) return false;
    return width === info.width && model.parser.isSent(gress, info.header);
  };
  const narrow = sources.find(isNarrow);
  if (narrow === undefined) return;
  refuse(
    CODES.narrowOperand,
    source,
    `${narrow.width} bits of ${fieldLabel(narrow.field)}, a header that is sent, are an operand of a sum of ${write.width} bits: its bytes fill a container of their own, which is too small for the sum`,
    "copy the field to metadata as wide as the sum in an earlier table, and add that",
  );
}
