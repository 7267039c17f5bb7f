/**
 * PLB (SIGCOMM'22): hosts draw a new value of a header field, which plain ECMP hashes, when a flow is congested in several
 * consecutive rounds. After a timeout they act as PRR does, with one copy. See `balancing-path.ts`.
 */
import { z } from "zod";
import { FIELD_BITS, SELECTOR_FIELDS } from "../../../base/packets/index.js";
import type { ProgramPlan } from "../../../toolchain/generate/index.js";
import { type HostContext, type HostPolicy, MovingPath, type Rerouter } from "../../hosts/index.js";
import { checkDescription } from "../description.js";
import { planEcmpSwitches } from "../ecmp/plan.js";
import { flowHash, mix } from "../hash.js";
import { hashParameters } from "../hash-settings.js";
import type { Scheme } from "../scheme.js";
import { BALANCING_NEEDS, BalancingPath, balancingSchema } from "./balancing-path.js";

/** Packets: DCTCP's K for links of 10 Gbit/s (Alizadeh et al., SIGCOMM 2010, section 4). */
const DCTCP_THRESHOLD = 65;

/** Absent: `queues.ecn_threshold` of the experiment, or 65. */
export const thresholdSchema = z.number().int().min(1).max(1_000_000).optional();

export function withThreshold(
  programs: readonly ProgramPlan[],
  threshold: number | undefined,
): readonly ProgramPlan[] {
  const ecn = threshold === undefined ? { threshold: DCTCP_THRESHOLD, isDefault: true } : { threshold };
  return programs.map((program) => ({ ...program, values: { ...program.values, ecn } }));
}

const plbParameters = z.strictObject({
  /** Header field that hosts change: as for PRR. */
  field: z.enum(SELECTOR_FIELDS).default("dscp"),
  /** Queue length in packets from which switches mark. */
  threshold: thresholdSchema,
  ...balancingSchema.shape,
  ...hashParameters,
});

/** `values`: selectors are drawn from [0, values). */
const plbDescription = z.strictObject({
  kind: z.literal("plb"),
  values: z
    .number()
    .int()
    .min(1)
    .max(2 ** 32),
  ...balancingSchema.shape,
});

export const plb: Scheme<z.output<typeof plbParameters>> = {
  name: "plb",
  title: "PLB",
  summary: "PLB: hosts change a hashed header field at random when a flow is congested round after round",
  parameters: plbParameters,
  plan: (topology, { field, threshold, congested_share, idle_rounds, rounds, pause_s, ...hash }) => {
    const { programs, replanning, ...rest } = planEcmpSwitches(topology, hash, field);
    return {
      scheme: "plb",
      field,
      ...rest,
      programs: withThreshold(programs, threshold),
      replanning: {
        get programs() {
          return withThreshold(replanning.programs, threshold);
        },
        planner: () => replanning.planner(),
      },
      hosts: {
        kind: "plb",
        values: 2 ** FIELD_BITS[field],
        congested_share,
        idle_rounds,
        rounds,
        pause_s,
      },
      repaths: "hosts",
      notes: [
        `PLB draws a new path after ${rounds} congested rounds (${idle_rounds} before a pause), and at a timeout as PRR does, with one copy.`,
      ],
    };
  },
  hosts: plbHosts,
};

/** Flows start at value 0. */
function plbHosts(description: unknown, { clock }: HostContext): HostPolicy {
  const { kind: _, values, ...rules } = checkDescription(plbDescription, description);
  const drawAny: Rerouter = { leave: (_from, _tried, random) => random.int(values) };
  return {
    ecn: true,
    needs: BALANCING_NEEDS,
    open: (_flow, random) =>
      new BalancingPath(new MovingPath(drawAny, random, 0, "duplicates", 0), rules, clock, random),
    nic: (flow, selector, nics) => mix(flowHash(flow), selector) % nics,
  };
}
