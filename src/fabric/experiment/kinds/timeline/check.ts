/** Checks a file of the kind `timeline`: its hosts and elements exist, and its flows can run together. */
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Diagnostics, didYouMean, type Locate } from "../../../../base/index.js";
import {
  durationSchema,
  hostsOf,
  nodeNamed,
  positiveDurationSchema,
  type Topology,
} from "../../../topology/index.js";
import { CLIENT_PORTS, DEFAULT_PORT, readTrafficFile } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import {
  type Command,
  type ControllerFault,
  commandsSchema,
  controllerFaults,
  listedCommands,
} from "../../control-plane.js";
import { type Checked, fabricKeys, ipSchema, machineKeys, whole } from "../../experiment.js";
import { listed } from "../../faults/element.js";
import type { Fault } from "../../faults/fault.js";
import { listedFaultSchema, listedFaults } from "../../faults/listed-faults.js";
import { readSource } from "../../files.js";
import type { CheckContext } from "../kind.js";

/** Adds P43005 and P42320 to P42323 for a traffic file, P43014, P43015, and P43021 to P43037. */
export function timelineOf({
  source,
  value,
  topology,
  locate,
  diagnostics,
  plan,
}: CheckContext<TimelineFile>): Timeline {
  const flows =
    typeof value.flows === "string"
      ? readFlows(join(dirname(source.path), value.flows), topology, diagnostics)
      : value.flows;
  const settings: TimelineSettings = { ...value, flows };
  checkTimeline(settings, topology, locate, diagnostics);
  const { duration, traffic } = settings;
  const count = flows.reduce((sum, flow) => sum + flow.count, 0);
  const list = { faults: settings.faults, duration, ip: traffic.ip, flows: count };
  const faults = listedFaults(list, topology, locate, diagnostics);
  const schemes = plan(settings, 1);
  const killed = controllerFaults(settings, schemes, locate, diagnostics);
  const commands = listedCommands(settings, schemes, locate, diagnostics);
  return { source, locate, settings, topology, schemes, faults, controllerFaults: killed, commands };
}

/** The flows of a traffic file; P43005 and P42320 to P42323 go to the list. */
function readFlows(path: string, topology: Topology, diagnostics: Diagnostics): FlowSpec[] {
  const file = readSource(path, diagnostics);
  if (file === undefined) return [];
  const hosts = new Set(hostsOf(topology).map(({ name }) => name));
  return readTrafficFile(file, hosts, diagnostics).map(({ src, dst, startNs, bytes, port }) => ({
    from: src,
    to: dst,
    count: 1,
    start: startNs,
    bytes,
    port,
  }));
}

/** Adds P43014 for names that the topology does not have and P43021 to P43024 for flows that are impossible. */
function checkTimeline(
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
        CODES.unknownPlace,
        locate(["flows", i, end]),
        `no host is called "${flow[end]}"${didYouMean(flow[end], hosts, '"')}`,
        `hosts: ${listed(hosts)}`,
      );
    }
    if (flow.from === flow.to)
      diagnostics.error(
        CODES.flowToItself,
        locate(["flows", i, "to"]),
        `the flow goes from ${flow.from} to itself`,
      );
    if (flow.start >= settings.duration)
      diagnostics.error(
        CODES.afterTheEnd,
        locate(["flows", i, "start"]),
        "the flow starts after the end of the run, see `duration`",
      );
  });
  checkNumber(settings, locate, diagnostics);
}

/** Maximum number of flows of all lines together: more would exceed the memory. */
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
      diagnostics.error(CODES.tooManyFlows, place, `more than ${MAX_FLOWS} flows`, "list fewer flows");
      return;
    }
    if (before <= CLIENT_PORTS && before + count > CLIENT_PORTS)
      diagnostics.error(
        CODES.tooManyFlows,
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
    diagnostics.error(
      CODES.iperf3Flow,
      place,
      "the flow has no bytes, and iperf3 would never end it",
      "add bytes",
    );
  if (taken.has(`${to} ${port}`) || count > 1)
    diagnostics.error(
      CODES.iperf3Flow,
      place,
      `several flows of iperf3 to port ${port} of ${to}`,
      "a server of iperf3 takes one flow: give each a port of its own",
    );
  taken.add(`${to} ${port}`);
}

// The experiment file of the kind `timeline`: given flows, and faults at given times.

const flowSchema = z.strictObject({
  /** Hosts, by name. */
  from: z.string(),
  to: z.string(),
  /** Number of flows; each has a client port of its own. */
  count: whole("a number of flows", 1, 10_000).default(1),
  start: durationSchema.default(0),
  /** Absent: it sends until the end. */
  bytes: whole("bytes", 1, 1e12).optional(),
  /** Port of the receiver. */
  port: whole("a port", 1, 65_535).default(DEFAULT_PORT),
});

/** Given flows, and faults at given times. */
export const timelineSchema = z.strictObject({
  kind: z.literal("timeline").optional(),
  ...fabricKeys,
  /** A list, or the path of a traffic file relative to the experiment file's folder. */
  flows: z.union([z.string().min(1), z.array(flowSchema).min(1)], {
    error: "expected a list of flows, or the path of a traffic file",
  }),
  faults: z.array(listedFaultSchema).default([]),
  commands: commandsSchema,
  /** From the start of the first flow to the end. */
  duration: positiveDurationSchema,
  traffic: z
    .strictObject({
      ip: ipSchema,
      /** Source of the flows on a testbed: the host agent, or iperf3. */
      generator: z.enum(["agent", "iperf3"]).default("agent"),
    })
    .prefault({}),
  ...machineKeys,
});

type FlowSpec = z.output<typeof flowSchema>;
/** The file with defaults filled in. */
export type TimelineFile = z.output<typeof timelineSchema>;

/** Settings with the flows of a traffic file in the list. */
type TimelineSettings = Omit<TimelineFile, "flows"> & {
  flows: readonly FlowSpec[];
};
/** Flows and faults as the file lists them. */
export type Timeline = Checked<TimelineSettings> & {
  /** In the order of the file. */
  readonly faults: readonly Fault[];
  /** In time order. */
  readonly controllerFaults: readonly ControllerFault[];
  /** In time order. */
  readonly commands: readonly Command[];
};
