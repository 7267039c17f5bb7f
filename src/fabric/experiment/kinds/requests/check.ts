/** Checks a file of the kind `requests`: its hosts exist, there are enough servers, and the transport is TCP. */
import { didYouMean } from "../../../../base/index.js";
import { hostsOf } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import { listedCommands } from "../../commands.js";
import { controllerFaults } from "../../control-plane-faults.js";
import { listed } from "../../faults/element.js";
import { listedFaults } from "../../faults/listed-faults.js";
import type { CheckContext } from "../kind.js";
import type { Requests, RequestsSettings } from "./schema.js";

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
