/**
 * What a report of the traffic manager brings to the ghost thread of a Tofino 2: 32 bits in one container of ingress, the highest first, whether
 * tables read them or not (p4c, phv/add_special_constraints.cpp; asm.cpp, ghostPhvContainer).
 */
import type { FitModel } from "../model/model.js";
import type { PlacedSlice } from "./allocation.js";

/** Bits of a report. */
export const GHOST_BITS = 32;

/** Where the fields of a report stand in their container. */
export function ghostSlices({
  ghostFields,
  fields,
}: Pick<FitModel, "ghostFields" | "fields">): Omit<PlacedSlice, "live">[] {
  let at: number = GHOST_BITS;
  return ghostFields.map((field) => {
    const width = fields.get(field)?.width ?? 0;
    at -= width;
    return { field, lo: 0, width, at };
  });
}
