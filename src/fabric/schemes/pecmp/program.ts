/** The values of the templates in `templates/pecmp/`, and the P4 expressions that cut a slice out of the selector. */
import { z } from "zod";
import { fail, given } from "../../../base/index.js";
import { FIELD_BITS, SELECTOR_FIELDS, type SelectorField } from "../../../base/packets/index.js";
import {
  checkValues,
  directionValues,
  hashSchema,
  type ProgramPlan,
  selectorValues,
} from "../../../toolchain/generate/index.js";
import { CODES } from "../codes.js";
import { DIRECTIONS } from "../hash-settings.js";

/**
 * Bits of the selector that one switch reads: `width` bits from bit `low`. `version`: the version bit of this slice, which selects
 * the routes.
 */
const sliceSchema = z.strictObject({
  low: z.number().int().min(0),
  width: z.number().int().min(0).max(15),
  version: z.number().int().min(0).exactOptional(),
});

/** A direction in which switches of the role choose between next hops. */
const waySchema = z.strictObject({
  /** Bits of the selector that are read. */
  slice: sliceSchema,
  hash: hashSchema,
  /** Entries of the table of groups: one for each row of each control matrix. */
  groups: z.number().int().min(1),
  /** Members of the action selector. */
  members: z.number().int().min(1),
});

const schema = z.strictObject({
  field: z.enum(SELECTOR_FIELDS),
  /** Not for spines. */
  up: waySchema.optional(),
  /** Not for ToRs. */
  down: waySchema.optional(),
  /** Bit of the selector that selects one of two versions of the routes; absent: there is one version. */
  version: z.number().int().min(0).optional(),
  sizes: z.strictObject({
    /** Entries of each of the two route tables. */
    routes: z.number().int().min(1),
    /** Entries of the table s mod M. */
    selectorRows: z.number().int().min(1),
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
  const { field } = program;
  const directions = DIRECTIONS.flatMap((way) => {
    const own = program[way];
    if (own === undefined) return [];
    const { groups, members } = own;
    const slice = sliceExpression(field, own.slice);
    return [{ ...directionValues(way, own.hash), goesUp: way === "up", slice, groups, members }];
  });
  const { version } = program;
  if (version !== undefined) checkBit(field, version);
  const hasVersions = version !== undefined;
  const values = {
    ...program,
    hasVersions,
    ...given({ routeKeys: hasVersions ? ["meta.version"] : undefined }),
    directions,
    bothDirections: directions.length === 2,
    routeActions: ["to_port", ...directions.map(({ name }) => `to_${name}links`)],
    selector: selectorValues(field),
  };
  return { name, template, values };
}

/** The bits as a `bit<16>`; a slice without bits is 0. */
function sliceExpression(field: SelectorField, { low, width }: SelectorSlice): string {
  if (width === 0) return "0";
  checkBit(field, low + width - 1);
  return `(bit<16>)meta.selector[${low + width - 1}:${low}]`;
}

function checkBit(field: SelectorField, bit: number): void {
  if (bit < FIELD_BITS[field]) return;
  fail(
    CODES.sliceOutside,
    undefined,
    `selector bit ${bit} lies outside ${field}, which has ${FIELD_BITS[field]} bits`,
  );
}
