/**
 * PRR (SIGCOMM'23): the data plane is plain ECMP with an additional header field in the hash input. A host
 * re-paths by writing a random value into this field; see `hosts.ts`.
 */
import { z } from "zod";
import { FIELD_BITS, SELECTOR_FIELDS } from "../../../base/packets/index.js";
import { type ClosedForm, DRAWS_BESIDE_THE_OLD_PATH, DRAWS_BOTH_DIRECTIONS } from "../closed-form.js";
import { planEcmpSwitches } from "../ecmp/plan.js";
import { hashParameters } from "../hash-settings.js";
import type { Scheme } from "../scheme.js";
import { COPIES_NOTES, checkReceiver, copiesSchema, prrHosts, receiverSchema } from "./hosts.js";

const prrParameters = z.strictObject({
  /**
   * Header field that hosts change. The 64 values of a DSCP are enough for a uniform choice in one tier, but too few for
   * independent choices in all tiers; a flow label has enough values. But an IPv4 packet has no flow label.
   */
  field: z.enum(SELECTOR_FIELDS).default("dscp"),
  /** Copies of a retransmission after a timeout and of its acknowledgement; PRR itself sends one. */
  copies: copiesSchema,
  /** When the receiver of data draws a new path: also at the sender's attempts, or only at duplicates. For hosts that send one copy. */
  receiver: receiverSchema,
  ...hashParameters,
});

export const prr: Scheme<z.output<typeof prrParameters>> = {
  name: "prr",
  title: "PRR",
  summary: "PRR: the hash covers a header field that hosts change at random to re-path",
  parameters: prrParameters,
  plan: (topology, parameters, locate) => {
    checkReceiver(parameters, locate);
    return {
      scheme: "prr",
      field: parameters.field,
      ...planEcmpSwitches(topology, parameters, parameters.field),
      hosts: {
        kind: "prr",
        values: 2 ** FIELD_BITS[parameters.field],
        copies: parameters.copies,
        receiver: parameters.receiver,
      },
      repaths: "hosts",
      ...closedFormOf(parameters),
      notes: [COPIES_NOTES[parameters.copies]],
    };
  },
  hosts: prrHosts,
};

/** For hosts that draw both directions at each try, or send two copies. */
function closedFormOf({ copies, receiver }: z.output<typeof prrParameters>): { closedForm?: ClosedForm } {
  if (copies === 2) return { closedForm: DRAWS_BESIDE_THE_OLD_PATH };
  return receiver === "attempts" ? { closedForm: DRAWS_BOTH_DIRECTIONS } : {};
}
