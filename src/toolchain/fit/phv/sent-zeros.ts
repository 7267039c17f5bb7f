/** The container of a gress that holds nothing but zeros, from which the deparser takes each byte of a field that is always sent as zero. */
import type { FitModel, Gress } from "../model/model.js";
import type { Target } from "../target.js";
import { FROM_PARSER, type PlacedSlice, TO_DEPARSER } from "./allocation.js";
import { DROP_SESSION } from "./pieces.js";

/** Its number among the normal containers of eight bits (p4c, phv/allocate_phv.cpp, try_deparser_zero_alloc). */
export const ZERO_INDEX: Readonly<Record<Gress, number>> = { ingress: 0, egress: 16 };

/** The parts of the fields in it: each byte of a header stands at the same bits. */
export function zeroSlices(
  { fields, sentZeros, hasEgressParser }: FitModel,
  { phv }: Target,
  gress: Gress,
): PlacedSlice[] {
  const slices: PlacedSlice[] = [];
  const live = { from: FROM_PARSER, to: TO_DEPARSER };
  if (hasEgressParser && gress === "ingress" && phv.deparser_validity_shared)
    slices.push({ field: DROP_SESSION, lo: 0, width: 8, at: 0, live });
  for (const field of sentZeros[gress]) {
    const { offset, width } = fields.get(field)!;
    const end = offset + width;
    for (let from = offset; from < end; from = 8 * ((from >> 3) + 1)) {
      const to = Math.min(end, 8 * ((from >> 3) + 1));
      const at = 8 * ((from >> 3) + 1) - to;
      slices.push({ field, lo: end - to, width: to - from, at, live });
    }
  }
  return slices;
}
