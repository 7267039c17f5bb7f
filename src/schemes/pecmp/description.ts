/** The shape of the description of P-ECMP's host policy, for descriptions that come from another process. */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../hosts/index.js";
import { balancingSchema } from "../plb/balancing-path.js";
import { FAILOVERS } from "./hosts.js";
import { HOPS, VERSION_BITS } from "./layout.js";
import { SPRAYS } from "./spraying.js";
import { SUBFLOW_RULES } from "./subflows.js";

const count = z.number().int().min(0);
const bit = z.number().int().min(0).max(31);

const layoutSchema = z.strictObject({
  field: z.enum(SELECTOR_FIELDS),
  control: z.enum(["offset", "hops", "both"]),
  versionBit: z.enum(VERSION_BITS),
  shared: z.boolean(),
  bits: z.number().int().min(0).max(32),
  slices: z.partialRecord(
    z.enum(HOPS),
    z.strictObject({ low: bit, width: z.number().int().min(0).max(32), version: bit.exactOptional() }),
  ),
  fanOuts: z.partialRecord(
    z.enum(HOPS),
    z.strictObject({ least: z.number().int().min(2), most: z.number().int().min(2) }),
  ),
});

export const pecmpDescription = z.strictObject({
  kind: z.literal("pecmp"),
  failover: z.enum(FAILOVERS),
  layout: layoutSchema,
  offsets: z.strictObject({ rule: z.enum(["odd", "primes"]), offsets: z.array(count), bits: count }),
  subflows: z.enum(SUBFLOW_RULES),
  balance: balancingSchema.optional(),
  spray: z.enum(SPRAYS).optional(),
});
