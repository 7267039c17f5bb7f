/** RePaC's hosts: failover by marks (algorithm 1), and the paths that a planner has assigned to flows (algorithm 2). */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../../base/packets/index.js";
import { fixedPath, type HostContext, type HostPolicy } from "../../hosts/index.js";
import { checkDescription } from "../description.js";
import { MarkedPath } from "./marked-path.js";
import { MarkChooser } from "./marks.js";
import { nicHash } from "./nic-hash.js";
import type { Pathmap } from "./pathmap.js";

export const FAILOVERS = ["marks", "none"] as const;
export const RECEIVERS = ["marks", "stays"] as const;

const count = z.number().int().min(0);

const pathmapSchema: z.ZodType<Pathmap> = z.strictObject({
  control: z.strictObject({
    field: z.enum(SELECTOR_FIELDS),
    fieldBits: count.max(16),
    portBits: count.max(16),
  }),
  buckets: z.number().int().min(1),
  hops: z.array(
    z.strictObject({ hop: z.string(), offsets: z.array(count), sizes: z.array(z.number().int().min(1)) }),
  ),
});

const repacDescription = z.strictObject({
  kind: z.literal("repac"),
  failover: z.enum(FAILOVERS),
  receiver: z.enum(RECEIVERS),
  markingPeriodNs: z.number().min(0),
  buckets: z.number().int().min(1),
  /** `null`: a controller probes the switches and sends it. */
  pathmap: pathmapSchema.nullable(),
  /** Whether flows that are known in advance get paths before they open. */
  planned: z.boolean(),
});

const mapMessage = z.strictObject({ pathmap: pathmapSchema });

/** The policy of one host. Throws DiagnosticError P42210 for a wrong description. */
export function repacHosts(description: unknown, { clock }: HostContext): HostPolicy {
  const own = checkDescription(repacDescription, description);
  let marks = own.pathmap === null ? undefined : new MarkChooser(own.pathmap);
  const listens = own.pathmap === null;
  const needs = [
    ...(own.planned ? (["assignments", "source-ports"] as const) : []),
    ...(listens ? (["messages"] as const) : []),
  ];
  return {
    open: (_flow, random, { assignment }) => {
      const selector = assignment?.selector ?? 0;
      if (own.failover === "none") return fixedPath(selector);
      return new MarkedPath({
        marks: () => marks,
        clock,
        random,
        selector,
        periodNs: own.markingPeriodNs,
        marksAcks: own.receiver === "marks",
      });
    },
    sourcePort: (flow, { assignment }) => assignment?.sourcePort ?? flow.srcPort,
    nic: (flow, selector, nics) => (nicHash(flow, selector) % own.buckets) % nics,
    ...(needs.length === 0 ? {} : { needs }),
    ...(listens
      ? {
          onMessage: (message) => {
            marks = new MarkChooser(checkDescription(mapMessage, message).pathmap);
            return null;
          },
        }
      : {}),
  };
}
