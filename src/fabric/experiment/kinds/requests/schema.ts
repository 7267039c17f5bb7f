/**
 * The experiment file of the kind `requests`: an application that sends requests over persistent connections, closes connections that do
 * not answer, and retries (Cloud Block Storage in P-ECMP, NSDI'25, section 5.3).
 */
import { z } from "zod";
import { bytesSchema, durationSchema, positiveDurationSchema } from "../../../topology/index.js";
import { commandsSchema } from "../../commands.js";
import { type Checked, fabricKeys, ipSchema, machineKeys, transportSchema, whole } from "../../experiment.js";
import type { RunFaults } from "../../faults/during-run.js";
import { listedFaultSchema } from "../../faults/listed-faults.js";

const applicationSchema = z.strictObject({
  /** Hosts, by name. */
  clients: z.array(z.string()).min(1),
  servers: z.array(z.string()).min(1),
  /** Number of servers that one IO asks, drawn for each IO; it is complete when all have answered. */
  fan_out: whole("a number of servers", 1, 1000).default(3),
  /** Number of connections of a client to each server; IOs use them in turn. */
  connections: whole("a number of connections", 1, 100).default(1),
  /** Payload of a question and of its answer. */
  request: bytesSchema.default(16_000),
  response: bytesSchema.default(200),
  /** Mean time between the IOs of a client; they arrive as a Poisson process. */
  interval: positiveDurationSchema.default(20_000_000),
  /** A connection whose oldest question has waited for this time is closed; a new one from another port asks again. */
  timeout: positiveDurationSchema.default(1_000_000_000),
  /** An IO that takes longer is slow. */
  jitter: positiveDurationSchema.default(1_000_000_000),
  /** A client hangs if IOs wait and none completes for this time. */
  hang: positiveDurationSchema.default(1_000_000_000),
});

export const requestsSchema = z.strictObject({
  kind: z.literal("requests").optional(),
  ...fabricKeys,
  application: applicationSchema,
  /** End of the arrivals of IOs and of the run: an IO that has not completed then is unfinished. */
  duration: positiveDurationSchema,
  /** IOs that arrive earlier are not measured. */
  warm_up: durationSchema.default(0),
  traffic: z.strictObject({ ip: ipSchema }).prefault({}),
  faults: z.array(listedFaultSchema).default([]),
  commands: commandsSchema,
  ...machineKeys,
  transport: transportSchema({ protocol: "tcp", handshake: true }),
});

/** The file with defaults filled in. */
export type RequestsSettings = z.output<typeof requestsSchema>;
export type Application = RequestsSettings["application"];

export type Requests = Checked<RequestsSettings> & RunFaults;
