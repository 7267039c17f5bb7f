/** Parameters of the scheme: how functions, seeds and sizes of groups are assigned to switches, and the limits of a chip. */
import { z } from "zod";
import { ROUTINGS } from "./routing.js";

/**
 * `one`: all switches have the first function. `per_stage`: each stage has one. `per_port`: each stage has one for packets from below
 * and one for the others. `recombining`: as `per_port`, but a function is reused where the colours of its flows are mixed again.
 * `coprime`: a function is reused with groups of coprime sizes. `random`: each switch draws one.
 */
const DESIGNS = ["one", "per_stage", "per_port", "recombining", "coprime", "random"] as const;

/** Chips by name, with their functions. */
export const CHIPS = {
  /** Six functions that are independent of each other for groups of up to 256 slots. */
  six: [
    "rtag7/crc16-bisync",
    "rtag7/crc32-low",
    "rtag7/crc32-high",
    "rtag7/crc16-ccitt",
    "rtag7/crc16-bisync:bits=8-15",
    "rtag7/crc16-ccitt:bits=8-15",
  ],
  /** Six CRC16s and a CRC32, as the paper counts RTAG7's functions; five of them share a byte. */
  rtag7: [
    "rtag7/crc16-bisync",
    "rtag7/crc32-low",
    "rtag7/crc16-ccitt",
    "rtag7/crc16-bisync-xor8",
    "rtag7/crc16-bisync-xor4",
    "rtag7/crc16-bisync-xor2",
    "rtag7/crc16-bisync-xor1",
  ],
  /** A function that is not linear, so that each seed gives another function. */
  ideal: ["ideal"],
} as const;

const whole = (what: string, least: number, most: number) =>
  z
    .number({ error: `expected ${what}` })
    .int(`expected ${what}`)
    .min(least, `expected ${what}, at least ${least}`)
    .max(most, `expected ${what}, at most ${most}`);

const chipSchema = z.union(
  [
    z.enum(Object.keys(CHIPS) as [keyof typeof CHIPS, ...(keyof typeof CHIPS)[]]),
    z.array(z.string()).min(1, "expected the functions of the chip"),
  ],
  { error: `expected ${Object.keys(CHIPS).join(", ")}, or a list of functions` },
);

export const hashingParameters = z.strictObject({
  design: z.enum(DESIGNS).default("recombining"),
  /** A chip by name, or its functions; see `functions.ts`. */
  chip: chipSchema.default("six"),
  /** Seeds: drawn for each switch, or 0. Default: drawn where functions are assigned by stage or at random. */
  seeds: z.enum(["switch", "none"]).optional(),
  hash_seed: whole("a seed", 0, 2 ** 32 - 1).default(1),
  /**
   * Where `recombining` may reuse a function: wherever it is proved to be free of polarisation (`any`), downwards in the stage that uses it
   * upwards (`stage`), or the latter only in some stages (a list; `[2, 4]` is the paper's figure 8).
   */
  reuse: z
    .union([z.enum(["any", "stage"]), z.array(whole("a stage", 1, 16))], {
      error: "expected any, stage, or a list of stages",
    })
    .default("any"),
  /** `per_stage`: each server block draws its functions, a different one for each of its stages. */
  draw: z.boolean().default(false),
  routing: z.enum(ROUTINGS).default("shortest"),
  /** Number of paths of each pair of racks, for `routing: k_shortest`. */
  k: whole("a number of paths", 1, 64).default(4),
  /**
   * Sizes of groups for `coprime`: for traffic from the own server block, and for traffic in transit. If absent, the best
   * sizes within `group_members` are used.
   */
  sizes: z.tuple([whole("a size of a group", 1, 4096), whole("a size of a group", 1, 4096)]).optional(),
  /** Maximum number of entries of a group. */
  group_members: whole("a number of members", 2, 4096).default(128),
  /** Maximum number of groups of a chip, and of entries of all groups together: by default those of a Trident 5 (P-ECMP, section 2.3). */
  chip_groups: whole("a number of groups", 1, 2 ** 20).default(8192),
  chip_members: whole("a number of members", 2, 2 ** 24).default(65_536),
  /** Weights of equal parts of each group: `[2, 1]` means that the first half counts twice. */
  weights: z
    .array(whole("a weight", 1, 256))
    .min(1)
    .default([1]),
  /** How weighted groups are extended to a size. */
  duplication: z.enum(["naive", "split"]).default("split"),
});

export type HashingParameters = z.output<typeof hashingParameters>;
