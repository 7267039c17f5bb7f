/** Keys of an experiment file about updates: how they are made, and what a command changes. */
import { z } from "zod";
import { durationSchema } from "../../../topology/index.js";
import { FAILOVERS } from "../failovers.js";

/** A switch with all its links, or all links between two nodes. */
export const elementSchema = z.union([z.string(), z.tuple([z.string(), z.string()])], {
  error: "expected the name of a switch, or the names of the two ends of a link",
});
export type Element = z.output<typeof elementSchema>;

export const weightsSchema = z.union(
  [z.literal("capacity"), z.array(z.tuple([z.string(), z.string(), z.number().int().min(1)]))],
  { error: "expected capacity, or a list of [switch, neighbour, weight] with whole weights from 1" },
);

/** How the fabric changes from one state to the next. */
export const updateParameters = z.strictObject({
  /**
   * `transaction`: section 3.4, with the version bit. `plain`: switch by switch, in place. `none`: there is no controller for
   * updates, and hosts take no messages.
   */
  mode: z.enum(["none", "transaction", "plain"]).default("none"),
  /**
   * `drained`: a flow changes its version when all its data are acknowledged, and sends no new data until then. `at_once`:
   * with the next packet, as in the text of section 3.4.
   */
  switchover: z.enum(["drained", "at_once"]).default("drained"),
  /** Time from the last host's change to the removal of the old state: longer than any packet is in flight. */
  drain: durationSchema.default(10_000_000),
  /** Time in which hosts change all their flows; then they change the rest at once. */
  patience: durationSchema.default(1_000_000_000),
  /** What a controller does with an unfinished update of another one that no host follows yet. */
  interrupted: z.enum(["finish", "take_back"]).default("finish"),
});

/** The command `update`: the state after it. A key that is absent is as in the parameters of the scheme. */
export const updateCommand = z.strictObject({
  /** Out of service. */
  without: z.array(elementSchema).exactOptional(),
  weights: weightsSchema.exactOptional(),
  control: z.enum(["offset", "hops", "both"]).exactOptional(),
  offsets: z.enum(["auto", "odd", "primes"]).exactOptional(),
  failover: z.enum(FAILOVERS).exactOptional(),
});
/** `{}`: the initial state of the fabric. */
export type UpdateSpec = z.output<typeof updateCommand>;
