/** Parameters of schemes whose hosts give each packet an entropy value. */
import { z } from "zod";
import { fail, type Locate } from "../../../base/index.js";
import { FIELD_BITS, SELECTOR_FIELDS, type SelectorField } from "../../../base/packets/index.js";
import { CODES } from "../codes.js";

export const entropyParameters = {
  /** Header field of the entropy value, which ECMP hashes; Ultra Ethernet has it in place of the UDP source port. */
  field: z.enum(SELECTOR_FIELDS).default("dscp"),
  /** Number of values; absent: all of the field. */
  entropies: z
    .number()
    .int()
    .min(1)
    .max(2 ** 26)
    .optional(),
} as const;

/** Of a description of hosts. */
export const entropiesSchema = z
  .number()
  .int()
  .min(1)
  .max(2 ** 26);

/** Throws DiagnosticError P45560 for more values than the field has. */
export function entropiesOf(
  { field, entropies }: { readonly field: SelectorField; readonly entropies?: number | undefined },
  locate: Locate = () => undefined,
): number {
  const most = 2 ** FIELD_BITS[field];
  if (entropies !== undefined && entropies > most)
    fail(
      CODES.tooManyEntropies,
      locate(["entropies"]),
      `entropies: ${entropies} values do not fit into ${field}, which has ${most}`,
      "write at most that many, or another field",
    );
  return entropies ?? most;
}
