/** The values of the template `templates/ecmp/switch.p4.hbs`. */
import { z } from "zod";
import {
  checkValues,
  hashSchema,
  hashValues,
  NO_SELECTOR,
  type ProgramPlan,
  selectorValues,
} from "../../generate/index.js";
import { SELECTOR_FIELDS } from "../../hosts/index.js";

const schema = z.strictObject({
  role: z.enum(["tor", "leaf", "spine", "fabric"]),
  /** Field that is part of the hash input; absent: the five-tuple only. */
  hashedField: z.enum(SELECTOR_FIELDS).optional(),
  hash: hashSchema,
  sizes: z.strictObject({
    /** Entries of each of the two route tables. */
    routes: z.number().int().min(1),
    /** Entries of the table of groups: one for each set of next hops. */
    groups: z.number().int().min(1),
    /** Members of the action selector. */
    members: z.number().int().min(1),
  }),
});

export type EcmpProgram = z.output<typeof schema>;

const TEMPLATE = "ecmp/switch";

/** A program to render. Throws DiagnosticError P42004 for values of another shape. */
export function ecmpProgram(name: string, input: EcmpProgram): ProgramPlan {
  const program = checkValues(TEMPLATE, schema, input);
  const field = program.hashedField;
  const values = {
    ...program,
    routeActions: ["to_port", "to_group"],
    selector:
      field === undefined ? { ...NO_SELECTOR, hashed: false } : { ...selectorValues(field), hashed: true },
    hash: hashValues(program.hash, field === undefined ? [] : ["selector"]),
  };
  return { name, template: TEMPLATE, values };
}
