/** The values of the templates in `templates/pecmp/`, and the P4 expressions that cut a slice out of the selector. */
import { z } from "zod";
import { fail } from "../../base/index.js";
import {
  checkValues,
  hashSchema,
  hashValues,
  type ProgramPlan,
  selectorValues,
} from "../../generate/index.js";
import { FIELD_BITS, SELECTOR_FIELDS, type SelectorField } from "../../hosts/index.js";

/**
 * Bits of the selector that one switch reads: `width` bits from bit `low`, and optionally a version bit. The
 * program combines them into 16 bits, with the version bit as the highest.
 */
const sliceSchema = z.strictObject({
  low: z.number().int().min(0),
  width: z.number().int().min(0).max(15),
  version: z.number().int().min(0).optional(),
});

const schema = z.strictObject({
  field: z.enum(SELECTOR_FIELDS),
  /** Bits read on the way up; not for spines. */
  up: sliceSchema.optional(),
  /** Bits read on the way down; not for ToRs. */
  down: sliceSchema.optional(),
  hash: hashSchema,
  sizes: z.strictObject({
    /** Entries of each of the two route tables. */
    routes: z.number().int().min(1),
    /** Entries of the table s mod M. */
    selectorRows: z.number().int().min(1),
    /** Entries of the table of groups: one for each row of each control matrix. */
    groups: z.number().int().min(1),
    /** Members of the action selector. */
    members: z.number().int().min(1),
  }),
});

export type SelectorSlice = z.output<typeof sliceSchema>;
export type PecmpProgram = z.output<typeof schema>;
export type PecmpTemplate = "pecmp/tor" | "pecmp/leaf" | "pecmp/spine";

/**
 * A program to render. Throws DiagnosticError: P42004 for values of another shape, P42005 when a slice lies outside the
 * selector's field.
 */
export function pecmpProgram(name: string, template: PecmpTemplate, input: PecmpProgram): ProgramPlan {
  const program = checkValues(template, schema, input);
  const { field, up, down } = program;
  const slice = (part: SelectorSlice | undefined) => (part === undefined ? "" : sliceExpression(field, part));
  const values = {
    ...program,
    routeActions: ["to_port", ...(up ? ["to_uplinks"] : []), ...(down ? ["to_downlinks"] : [])],
    selector: {
      ...selectorValues(field),
      upSlice: slice(up),
      downSlice: slice(down),
      version: (up ?? down)?.version !== undefined,
    },
    hash: hashValues(program.hash),
  };
  return { name, template, values };
}

/** The bits as a `bit<16>`, with the version bit as the highest; a slice without bits is 0. */
function sliceExpression(field: SelectorField, { low, width, version }: SelectorSlice): string {
  const highest = Math.max(low + width - 1, version ?? 0);
  if (highest >= FIELD_BITS[field]) {
    fail(
      "P42005",
      undefined,
      `selector bit ${highest} lies outside ${field}, which has ${FIELD_BITS[field]} bits`,
    );
  }
  if (width === 0) return "0";
  const value = `meta.selector[${low + width - 1}:${low}]`;
  return version === undefined
    ? `(bit<16>)${value}`
    : `meta.selector[${version}:${version}] ++ (bit<15>)${value}`;
}
