/** Checks a file of the kind `requests`: its hosts exist, there are enough servers, and the transport is TCP. */

import { z } from "zod";
import { didYouMean } from "../../../../base/index.js";
import { bytesSchema, durationSchema, hostsOf, positiveDurationSchema } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import { commandsSchema, controllerFaults, listedCommands } from "../../control-plane.js";
import { type Checked, fabricKeys, ipSchema, machineKeys, transportSchema, whole } from "../../experiment.js";
import type { RunFaults } from "../../faults/during-run.js";
import { listed } from "../../faults/element.js";
import { listedFaultSchema, listedFaults } from "../../faults/listed-faults.js";
import type { CheckContext } from "../kind.js";

const NO_NUMBERS = "the connections of an application have no numbers";

/** Adds P43014 for hosts that the topology lacks, P45523 for an application that cannot run. */
export function requestsOf(context: CheckContext<RequestsSettings>): Requests {
  const { source, value: settings, topology, locate, diagnostics, plan } = context;
  checkApplication(context);
  const { duration, traffic } = settings;
  const list = { faults: settings.faults, duration, ip: traffic.ip, flows: NO_NUMBERS };
  const faults = listedFaults(list, topology, locate, diagnostics);
  const schemes = plan(settings, 1);
  const killed = controllerFaults(settings, schemes, locate, diagnostics);
  const commands = listedCommands(settings, schemes, locate, diagnostics);
  return { source, locate, settings, topology, schemes, faults, controllerFaults: killed, commands };
}

function checkApplication({
  value: { application, transport, duration, warm_up },
  topology,
  locate,
  diagnostics,
}: CheckContext<RequestsSettings>): void {
  const wrong = (path: readonly (string | number)[], message: string, ...help: string[]) =>
    diagnostics.error(CODES.application, locate(path), message, ...help);
  const hosts = hostsOf(topology).map(({ name }) => name);
  const { clients, servers, fan_out } = application;
  for (const [key, names] of [
    ["clients", clients],
    ["servers", servers],
  ] as const)
    for (const [i, name] of names.entries()) {
      if (!hosts.includes(name))
        diagnostics.error(
          CODES.unknownPlace,
          locate(["application", key, i]),
          `no host is called "${name}"${didYouMean(name, hosts, '"')}`,
          `hosts: ${listed(hosts)}`,
        );
      else if (names.indexOf(name) < i || (key === "servers" && clients.includes(name)))
        wrong(
          ["application", key, i],
          `"${name}" is listed twice among the clients and servers`,
          "name each host once",
        );
    }
  if (fan_out > servers.length)
    wrong(
      ["application", "fan_out"],
      `fan_out is ${fan_out}, but there are ${servers.length} servers`,
      "write a smaller fan_out, or more servers",
    );
  if (transport.protocol !== "tcp" || !transport.handshake || transport.subflows !== undefined)
    wrong(
      ["transport"],
      "the application opens connections of TCP with a handshake, without subflows",
      "leave out protocol: fixed, handshake: false and subflows",
    );
  if (warm_up >= duration)
    wrong(["warm_up"], "no IO arrives after the warm-up, see `duration`", "write a shorter warm_up");
}

// The experiment file of the kind `requests`: an application that sends requests over persistent connections, closes connections that do
// not answer, and retries (Cloud Block Storage in P-ECMP, NSDI'25, section 5.3).

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
