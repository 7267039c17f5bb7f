/** Checks the flows of a timeline: the hosts that they name exist, and they can run together. */
import { type Diagnostics, didYouMean, type Locate } from "../../../base/index.js";
import { hostsOf, nodeNamed, type Topology } from "../../../topology/index.js";
import { CLIENT_PORTS } from "../../../traffic/index.js";
import type { FlowSpec, TimelineSettings } from "../../experiment.js";
import { listed } from "../../faults/element.js";

/** Adds P43014 for names that the topology lacks and P43015 for what makes no sense. */
export function checkTimeline(
  settings: TimelineSettings,
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  const taken = new Set<string>();
  const hosts = hostsOf(topology).map(({ name }) => name);
  settings.flows.forEach((flow, i) => {
    if (settings.traffic.generator === "iperf3") checkIperf3(flow, i, taken, locate, diagnostics);
    for (const end of ["from", "to"] as const) {
      if (nodeNamed(topology, flow[end])?.role === "host") continue;
      diagnostics.error(
        "P43014",
        locate(["flows", i, end]),
        `no host is called "${flow[end]}"${didYouMean(flow[end], hosts, '"')}`,
        `hosts: ${listed(hosts)}`,
      );
    }
    if (flow.from === flow.to)
      diagnostics.error("P43015", locate(["flows", i, "to"]), `a flow from ${flow.from} to itself`);
    if (flow.start >= settings.duration)
      diagnostics.error(
        "P43015",
        locate(["flows", i, "start"]),
        "the flow starts after the end, see duration",
      );
  });
  checkNumber(settings, locate, diagnostics);
}

/** Maximum number of flows of all lines together: more would exceed the memory before they load a fabric. */
const MAX_FLOWS = 100_000;

/** Each flow between the same hosts, to the same port, needs a client port of its own. */
function checkNumber({ flows }: TimelineSettings, locate: Locate, diagnostics: Diagnostics): void {
  let total = 0;
  const alike = new Map<string, number>();
  for (const [i, { from, to, port, count }] of flows.entries()) {
    const place = locate(["flows", i]) ?? locate(["flows"]);
    const key = `${from} ${to} ${port}`;
    const before = alike.get(key) ?? 0;
    alike.set(key, before + count);
    total += count;
    if (total > MAX_FLOWS) {
      diagnostics.error("P43015", place, `more than ${MAX_FLOWS} flows`, "list fewer flows");
      return;
    }
    if (before <= CLIENT_PORTS && before + count > CLIENT_PORTS)
      diagnostics.error(
        "P43015",
        place,
        `more than ${CLIENT_PORTS} flows from ${from} to port ${port} of ${to}`,
        "there are no more client ports: give some flows another port or other hosts",
      );
  }
}

/** A server of iperf3 takes one flow at a time, and a flow needs an end. */
function checkIperf3(
  { to, port, bytes, count }: FlowSpec,
  i: number,
  taken: Set<string>,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  const place = locate(["flows", i]) ?? locate(["flows"]);
  if (bytes === undefined)
    diagnostics.error("P43015", place, "a flow without bytes, which iperf3 would never end", "add bytes");
  if (taken.has(`${to} ${port}`) || count > 1)
    diagnostics.error(
      "P43015",
      place,
      `several flows of iperf3 to port ${port} of ${to}`,
      "a server of iperf3 takes one flow: give each a port of its own",
    );
  taken.add(`${to} ${port}`);
}
