/** The values of the template `templates/repac/switch.p4.hbs`. */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../../base/packets/index.js";
import {
  checkValues,
  directionValues,
  type HashChoice,
  hashSchema,
  NO_SELECTOR,
  type ProgramPlan,
  selectorValues,
} from "../../../toolchain/generate/index.js";
import { DIRECTIONS } from "../hash-settings.js";

const waySchema = z.strictObject({
  hash: hashSchema,
  /** Entries of the table of buckets: the buckets of each set of next hops. */
  groups: z.number().int().min(1),
  members: z.number().int().min(1),
});

const schema = z.strictObject({
  role: z.enum(["tor", "leaf", "spine", "fabric"]),
  /** Field whose control bits are part of the hash input; absent: the five-tuple only. */
  hashedField: z.enum(SELECTOR_FIELDS).optional(),
  /** Width of the choice of a bucket in bits. */
  bucketBits: z.number().int().min(1).max(16),
  up: waySchema.optional(),
  down: waySchema.optional(),
  /** Entries of each of the two route tables. */
  routes: z.number().int().min(1),
});

export type RepacProgram = z.output<typeof schema>;

const TEMPLATE = "repac/switch";

/**
 * The hash that picks among the next hops of a bucket whose own next hop has failed. It must differ from the hash that has chosen the
 * bucket, whose low bits are the same for all packets of the bucket.
 */
export function spareHash({ algorithm, order }: HashChoice): HashChoice {
  return {
    algorithm: algorithm === "crc16" ? "crc32" : "crc16",
    order: order === "forward" ? "reversed" : "forward",
  };
}

/** A program to render. Throws DiagnosticError P42004 for values of another shape. */
export function repacProgram(name: string, input: RepacProgram): ProgramPlan {
  const program = checkValues(TEMPLATE, schema, input);
  const field = program.hashedField;
  const extra = field === undefined ? [] : ["selector"];
  const directions = DIRECTIONS.flatMap((way) => {
    const own = program[way];
    if (own === undefined) return [];
    const { groups, members } = own;
    return [
      {
        ...directionValues(way, own.hash, extra),
        spare: directionValues(way, spareHash(own.hash), extra).hash,
        goesUp: way === "up",
        topBit: program.bucketBits - 1,
        groups,
        members,
      },
    ];
  });
  const values = {
    ...program,
    directions,
    bothDirections: directions.length === 2,
    probes: true,
    sizes: { routes: program.routes },
    routeActions: ["to_port", ...directions.map(({ name }) => `to_${name}links`)],
    selector:
      field === undefined ? { ...NO_SELECTOR, hashed: false } : { ...selectorValues(field), hashed: true },
  };
  return { name, template: TEMPLATE, values };
}
