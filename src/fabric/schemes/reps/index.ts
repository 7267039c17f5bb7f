/** REPS (arXiv 2407.21625): packet spraying that uses the entropy values of good acknowledgements again; see `recycled-entropies.ts`. */
import { z } from "zod";
import type { HostContext, HostPolicy } from "../../hosts/index.js";
import { durationSchema } from "../../topology/index.js";
import { checkDescription } from "../description.js";
import { planEcmpSwitches } from "../ecmp/plan.js";
import { flowHash, mix } from "../hash.js";
import { hashParameters } from "../hash-settings.js";
import { thresholdSchema, withThreshold } from "../plb/index.js";
import type { Scheme } from "../scheme.js";
import { entropiesOf, entropiesSchema, entropyParameters } from "../spray/parameters.js";
import { RecycledEntropies } from "./recycled-entropies.js";

const cacheSchema = z.number().int().min(1).max(4096);
const exploreSchema = z.number().int().min(0).max(1_000_000);

const repsParameters = z.strictObject({
  ...entropyParameters,
  /** Values that a sender keeps; the paper's is 8. */
  cache: cacheSchema.default(8),
  /** Packets with drawn values at the start and after freezing mode: a bandwidth-delay product. */
  explore: exploreSchema.default(32),
  /** How long a sender draws no values after a timeout; 0s: it has no freezing mode. */
  freeze: durationSchema.prefault("1ms"),
  /** Queue length in packets from which switches mark. */
  threshold: thresholdSchema,
  ...hashParameters,
});

const repsDescription = z.strictObject({
  kind: z.literal("reps"),
  entropies: entropiesSchema,
  cache: cacheSchema,
  explore: exploreSchema,
  freeze: z.number().int().min(0),
});

export const reps: Scheme<z.output<typeof repsParameters>> = {
  name: "reps",
  title: "REPS",
  summary: "REPS: packet spraying that uses the entropy values of unmarked acknowledgements again",
  parameters: repsParameters,
  plan: (topology, { cache, explore, freeze, threshold, ...rest }, locate) => {
    const entropies = entropiesOf(rest, locate);
    const { programs, replanning, ...switches } = planEcmpSwitches(topology, rest, rest.field);
    return {
      scheme: "reps",
      field: rest.field,
      ...switches,
      programs: withThreshold(programs, threshold),
      replanning: {
        get programs() {
          return withThreshold(replanning.programs, threshold);
        },
        planner: () => replanning.planner(),
      },
      hosts: { kind: "reps", entropies, cache, explore, freeze },
      repaths: "hosts",
      sprays: true,
      notes: [
        `REPS draws from ${entropies} entropy values, keeps ${cache} of unmarked acknowledgements, and ${
          freeze === 0 ? "has no freezing mode" : `draws none for ${freeze / 1000} us after a timeout`
        }.`,
      ],
    };
  },
  hosts: repsHosts,
};

function repsHosts(description: unknown, { clock }: HostContext): HostPolicy {
  const { kind: _, ...rules } = checkDescription(repsDescription, description);
  return {
    ecn: true,
    needs: ["packets", "marks"],
    open: (_flow, random) => new RecycledEntropies(rules, random, clock),
    nic: (flow, selector, nics) => mix(flowHash(flow), selector) % nics,
  };
}
