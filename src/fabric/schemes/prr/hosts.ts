/**
 * PRR's hosts. Both ends re-path by drawing a random value for the header field. The sender re-paths on a timeout. The
 * receiver re-paths when it receives data with another value in the field (the sender has re-pathed), or only data that it
 * already has (its acknowledgements were lost). So each attempt draws both directions again, as P-ECMP's closed form
 * p = ((N-1)/N)^2 assumes (P-ECMP, section 2.1). Where both ends send data, each interprets the other's change as an attempt, and neither
 * stays on its path: then `receiver: duplicates` must be used, with which it re-paths only when it receives data that it already has, as
 * PRR itself does.
 *
 * With two copies, which PRR does not have, each end sends on its old path and on a drawn one, as P-ECMP's hosts do: this allows a
 * comparison at equal cost.
 */
import { z } from "zod";
import { fail, type Locate, type Random } from "../../../base/index.js";
import {
  type HostPolicy,
  MovingPath,
  type PathChooser,
  ProbingPath,
  type Rerouter,
} from "../../hosts/index.js";
import { CODES } from "../codes.js";
import { checkDescription } from "../description.js";
import { flowHash, mix } from "../hash.js";

export const copiesSchema = z.union([z.literal(1), z.literal(2)], { error: "expected 1 or 2" }).default(1);

/** When the receiver of data draws a new path; see above. */
export const receiverSchema = z.enum(["attempts", "duplicates"]).default("attempts");

/** `values`: selectors are drawn from [0, values). */
const prrDescription = z.strictObject({
  kind: z.literal("prr"),
  values: z
    .number()
    .int()
    .min(1)
    .max(2 ** 32),
  copies: copiesSchema,
  receiver: receiverSchema,
});

/** Any value of the field, including the old one. */
function drawAny(values: number): Rerouter {
  return { leave: (_from, _tried, random) => random.int(values) };
}

/** A value that was not tried yet, while there is one: two copies with the same value would take the same path. */
function drawOther(values: number): Rerouter {
  return {
    leave(_from, tried, random) {
      const used = new Set(tried);
      for (;;) {
        const value = random.int(values);
        if (!used.has(value) || used.size >= values) return value;
      }
    },
  };
}

/** What a reader of results must know about the number of copies. */
export const COPIES_NOTES: Readonly<Record<1 | 2, string>> = {
  1: "PRR sends one copy of every packet.",
  2:
    "PRR (copies: 2) sends every retransmission after a timeout, and its acknowledgement, on two paths, and an echo option in " +
    "every segment; PRR itself sends one copy.",
};

/** Throws DiagnosticError P45543 for a rule of the receiver that hosts with two copies would not follow. */
export function checkReceiver(
  { copies, receiver }: { readonly copies: 1 | 2; readonly receiver: "attempts" | "duplicates" },
  locate: Locate = () => undefined,
): void {
  if (copies === 2 && receiver !== "attempts")
    fail(
      CODES.receiverOfCopies,
      locate(["receiver"]),
      `receiver: ${receiver} has no effect with copies: 2: the receiver answers each trial of the sender on two paths`,
      "leave receiver out, or write copies: 1",
    );
}

/** Flows start at value 0. */
export function prrHosts(description: unknown): HostPolicy {
  const { values, copies, receiver } = checkDescription(prrDescription, description);
  return {
    open: (_flow, random: Random): PathChooser =>
      copies === 1
        ? new MovingPath(drawAny(values), random, 0, receiver, 0)
        : new ProbingPath(drawOther(values), random, 0, 0),
    nic: (flow, selector, nics) => mix(flowHash(flow), selector) % nics,
  };
}
