/**
 * The key `sweep` of an experiment file: keys of the file with lists of values, which form a grid; `points`, assignments
 * of several keys together; `seeds`.
 */
import { z } from "zod";

const MAX_SEED = 2 ** 32 - 1;

const seedError = `expected a seed, a whole number from 0 to ${MAX_SEED}`;
const seedSchema = z.number({ error: seedError }).int(seedError).min(0, seedError).max(MAX_SEED, seedError);

const seedsError = "expected a number of seeds from 1 to 1000000000, or a list of seeds";

export const sweepSchema = z
  .object({
    /** Each point sets its keys together; it is combined with every combination of the other swept keys. */
    points: z
      .array(
        z
          .record(z.string(), z.unknown(), { error: "expected keys of the file with a value each" })
          .refine((one) => Object.keys(one).length > 0, "expected keys of the file with a value each"),
        { error: "expected a list of points, each with keys of the file and their values" },
      )
      .min(1, "expected at least one point")
      .optional(),
    /** A number of seeds, beginning with the file's; or a list of seeds. */
    seeds: z
      .union([z.number().int().min(1).max(1e9), z.array(seedSchema).min(1)], { error: seedsError })
      .optional(),
  })
  .catchall(
    z
      .array(z.unknown(), { error: "expected a list of the key's values" })
      .min(1, "expected at least one value"),
  );

export type SweepSettings = z.output<typeof sweepSchema>;
