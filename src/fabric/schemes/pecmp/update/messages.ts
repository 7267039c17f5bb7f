/** Questions of the controller of updates to hosts, and the answers. */
import { z } from "zod";
import type { Json } from "../../../../base/index.js";
import { hostRules } from "../description.js";
import { movedFlowsSchema } from "./moved-flows.js";
import { updateCommand } from "./parameters.js";

const version = z.union([z.literal(0), z.literal(1)]);

export const request = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("state") }),
  /** An update to this version begins: the host stores it, so that any other controller can finish it. */
  z.strictObject({ op: z.literal("announce"), to: version, spec: updateCommand }),
  /** New flows have this version, and the others change to it; those that `moved` names wait for their data in flight. */
  z.strictObject({ op: z.literal("commit"), to: version, rules: hostRules, moved: movedFlowsSchema }),
  /** Flows that have not changed yet do so now. */
  z.strictObject({ op: z.literal("hurry") }),
  /** The announced update has ended, or was rolled back. */
  z.strictObject({ op: z.literal("close") }),
  /** Without versions: these rules replace the earlier ones. */
  z.strictObject({ op: z.literal("replace"), spec: updateCommand, rules: hostRules }),
]);
export type HostRequest = z.output<typeof request>;

export const hostState = z.strictObject({
  version,
  /** Number of flows with data in flight on the other version. */
  waiting: z.number().int().min(0),
  /** The target of each version. */
  specs: z.tuple([updateCommand, updateCommand]),
  /** The version of an announced update. */
  pending: version.nullable(),
  /** Number of segments that arrived below the highest before them, since the host began, and the greatest distance. */
  late: z.number().int().min(0),
  furthest_bytes: z.number().int().min(0),
});
export type HostState = z.output<typeof hostState>;

/** In the form of a JSON message. */
export function asJson(value: HostRequest | HostState): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
