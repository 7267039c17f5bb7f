/** The values of the template `templates/ecmp/switch.p4.hbs`. */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../../base/packets/index.js";
import {
  checkValues,
  directionValues,
  hashSchema,
  NO_SELECTOR,
  type ProgramPlan,
  selectorValues,
} from "../../../toolchain/generate/index.js";
import { DIRECTIONS } from "../hash-settings.js";

/** A direction in which switches of the role choose between next hops. */
const waySchema = z.strictObject({
  hash: hashSchema,
  /** Entries of the table of groups: one for each set of next hops. */
  groups: z.number().int().min(1),
  /** Members of the action selector. */
  members: z.number().int().min(1),
});

const schema = z.strictObject({
  role: z.enum(["tor", "leaf", "spine", "fabric"]),
  /** Field that is part of the hash input; absent: the five-tuple only. */
  hashedField: z.enum(SELECTOR_FIELDS).optional(),
  up: waySchema.optional(),
  down: waySchema.optional(),
  /** Entries of each of the two route tables. */
  routes: z.number().int().min(1),
});

export type EcmpProgram = z.output<typeof schema>;

const TEMPLATE = "ecmp/switch";

/** A program to render. Throws DiagnosticError P42004 for values of another shape. */
export function ecmpProgram(name: string, input: EcmpProgram): ProgramPlan {
  const program = checkValues(TEMPLATE, schema, input);
  const field = program.hashedField;
  const extra = field === undefined ? [] : ["selector"];
  const directions = DIRECTIONS.flatMap((way) => {
    const own = program[way];
    if (own === undefined) return [];
    const { groups, members } = own;
    return [{ ...directionValues(way, own.hash, extra), goesUp: way === "up", groups, members }];
  });
  const values = {
    ...program,
    directions,
    bothDirections: directions.length === 2,
    sizes: { routes: program.routes },
    routeActions: ["to_port", ...directions.map(({ name }) => `to_${name}links`)],
    selector:
      field === undefined ? { ...NO_SELECTOR, hashed: false } : { ...selectorValues(field), hashed: true },
  };
  return { name, template: TEMPLATE, values };
}
