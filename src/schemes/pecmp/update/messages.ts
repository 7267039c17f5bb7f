/** What the controller of updates asks hosts, and what they answer. */
import { z } from "zod";
import type { Json } from "../../../base/index.js";
import { hostRules } from "../description.js";
import { updateCommand } from "./parameters.js";

const version = z.union([z.literal(0), z.literal(1)]);

export const request = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("state") }),
  /** An update to this version begins: kept, so that any other controller can finish it. */
  z.strictObject({ op: z.literal("announce"), to: version, spec: updateCommand }),
  /** New flows have this version, and the others change to it. */
  z.strictObject({ op: z.literal("commit"), to: version, rules: hostRules }),
  /** The flows that have not changed do so now. */
  z.strictObject({ op: z.literal("hurry") }),
  /** The update that was announced has ended, or was taken back. */
  z.strictObject({ op: z.literal("close") }),
  /** Without versions: these rules instead of those before. */
  z.strictObject({ op: z.literal("replace"), spec: updateCommand, rules: hostRules }),
]);
export type HostRequest = z.output<typeof request>;

export const hostState = z.strictObject({
  version,
  /** Flows with data under way on the other version. */
  waiting: z.number().int().min(0),
  /** What each version stands for. */
  specs: z.tuple([updateCommand, updateCommand]),
  /** The version that an announced update leads to. */
  pending: version.nullable(),
  /** Segments that came in below the highest before them, since the host began, and the furthest of them. */
  late: z.number().int().min(0),
  furthest_bytes: z.number().int().min(0),
});
export type HostState = z.output<typeof hostState>;

/** As it goes over the wire. */
export function asJson(value: HostRequest | HostState): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
