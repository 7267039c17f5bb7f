/** The values of the template `templates/hula/switch.p4.hbs`. */
import { z } from "zod";
import { checkValues, NO_SELECTOR, type ProgramPlan } from "../../../toolchain/generate/index.js";

const schema = z.strictObject({
  role: z.enum(["tor", "leaf", "spine"]),
  /** Microseconds. */
  tau: z.number().int().min(1),
  ageing: z.number().int().min(1),
  flowletGap: z.number().int().min(1),
  flowlets: z.number().int().min(1),
  sizes: z.strictObject({
    /** Entries of each of the two route tables. */
    routes: z.number().int().min(1),
    links: z.number().int().min(1),
    racks: z.number().int().min(1),
  }),
});

type HulaProgram = z.output<typeof schema>;

const TEMPLATE = "hula/switch";

/** Bits after the point of 1/tau: the product with 32 bits of an estimator and a time below tau fits in 64 bits. */
const INVERSE_BITS = 30;

/** A program to render. Throws DiagnosticError P42004 for values of another shape. */
export function hulaProgram(name: string, input: HulaProgram): ProgramPlan {
  const program = checkValues(TEMPLATE, schema, input);
  const values = {
    ...program,
    tauInverse: Math.round(2 ** INVERSE_BITS / program.tau),
    directions: [],
    routeActions: ["to_port", "to_rack"],
    selector: { ...NO_SELECTOR, hashed: false },
    ethernetPayloads: [{ type: "TYPE_HULA", header: "hula" }],
  };
  return { name, template: TEMPLATE, values };
}
