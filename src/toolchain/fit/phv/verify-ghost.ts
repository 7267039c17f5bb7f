/** Checks where an allocation has the fields of the ghost thread: together in one container of ingress, which they fill, in their order. */
import type { FitModel } from "../model/model.js";
import { containerName, type PhvAllocation } from "./allocation.js";

/** What breaks the rule, in words. */
export function ghostViolations({ ghostFields, fields }: FitModel, { containers }: PhvAllocation): string[] {
  const homes = containers.filter(({ slices }) => slices.some(({ field }) => ghostFields.includes(field)));
  const [home, other] = homes;
  if (home === undefined) return [];
  const name = containerName(home);
  if (other !== undefined)
    return [`the fields of the ghost thread are in ${name} and ${containerName(other)}`];
  const bits = ghostFields.reduce((sum, field) => sum + (fields.get(field)?.width ?? 0), 0);
  if (home.size !== bits || home.gress !== "ingress")
    return [`the ${bits} bits of the ghost thread are in ${name} of ${home.gress}`];
  let below = 0;
  for (const field of ghostFields.toReversed()) {
    const width = fields.get(field)?.width ?? 0;
    const [slice, more] = home.slices.filter((one) => one.field === field);
    if (slice?.at !== below || slice.lo !== 0 || slice.width !== width || more !== undefined)
      return [`${field} of the ghost thread is not at bit ${below} of ${name}`];
    below += width;
  }
  return [];
}
