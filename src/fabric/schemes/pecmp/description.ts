/** The shape of the description of P-ECMP's host policy, for descriptions that come from another process. */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../../base/packets/index.js";
import { balancingSchema } from "../plb/balancing-path.js";
import { FAILOVERS } from "./failovers.js";
import type { PecmpHosts } from "./hosts.js";
import { HOPS, VERSION_BITS } from "./layout.js";
import { SPRAYS } from "./spraying.js";
import { SUBFLOW_RULES } from "./subflows.js";
import { viaDescription } from "./via.js";

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

const rulesShape = {
  failover: z.enum(FAILOVERS),
  layout: layoutSchema,
  offsets: z.strictObject({ rule: z.enum(["odd", "primes"]), offsets: z.array(count), bits: count }),
  subflows: z.enum(SUBFLOW_RULES),
  balance: balancingSchema.exactOptional(),
  spray: z.enum(SPRAYS).exactOptional(),
  /** NICs in service, where these are not all. */
  nics: z.array(count).min(1).exactOptional(),
};

/** The rules for the flows of a host; an update brings new ones. */
export const hostRules: z.ZodType<PecmpHosts> = z.strictObject(rulesShape);

export const pecmpDescription = z.strictObject({
  kind: z.literal("pecmp"),
  ...rulesShape,
  /** By name of a host: the initial value of `nics`. */
  nics_of: z.record(z.string(), z.array(count).min(1)).exactOptional(),
  /** By name of a sending host: the first nodes of its flows' routes. */
  via: viaDescription.exactOptional(),
  /** The hosts accept updates; this says how their flows change the version. */
  switchover: z.enum(["drained", "at_once"]).exactOptional(),
});
