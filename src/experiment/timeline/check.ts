/** Checks a timeline: the elements that its flows and faults name exist, and each fault makes sense after those before it. */
import type { Diagnostics, Locate } from "../../base/index.js";
import { hostsOf, nodeNamed, switchesOf, type Topology } from "../../topology/index.js";
import { CLIENT_PORTS } from "../../traffic/index.js";
import { FAULT_KINDS, type FaultSpec, type FlowSpec, type TimelineSettings } from "../experiment.js";
import type { Site } from "../failure-sites.js";

/** A fault of the file with what it names. */
export interface PlacedFault {
  readonly at: number;
  readonly kind: FaultSpec["kind"];
  readonly site: Site;
  /** Place in the file's list. */
  readonly number: number;
}

/** Faults in the order of their times, those of one time in the file's order. They must have been checked. */
export function placedFaults({ faults }: TimelineSettings, topology: Topology): PlacedFault[] {
  const placed = faults.map((fault, number) => ({
    at: fault.at,
    kind: fault.kind,
    site: siteOf(fault, topology)!,
    number,
  }));
  return placed.sort((a, b) => a.at - b.at || a.number - b.number);
}

/** Undefined where there is no such element. */
function siteOf(fault: FaultSpec, topology: Topology): Site | undefined {
  if (fault.switch !== undefined) {
    const node = nodeNamed(topology, fault.switch);
    return node === undefined || node.role === "host" ? undefined : { kind: "node", index: node.index };
  }
  const [a, b] = (fault.link ?? []).map((name) => nodeNamed(topology, name));
  const link = topology.links.find(
    (one) =>
      (one.a.node === a?.index && one.b.node === b?.index) ||
      (one.a.node === b?.index && one.b.node === a?.index),
  );
  return link === undefined ? undefined : { kind: "link", index: link.index };
}

/** By kind: the kind of fault that it ends; undefined for kinds that begin a fault. */
export const ENDED_KIND: Readonly<Record<FaultSpec["kind"], FaultSpec["kind"] | undefined>> = {
  silent: undefined,
  down: undefined,
  kill: undefined,
  repair: "silent",
  up: "down",
  restart: "kill",
};

/** Adds P43014 for names that the topology lacks and P43015 for what makes no sense. */
export function checkTimeline(
  settings: TimelineSettings,
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  const taken = new Set<string>();
  settings.flows.forEach((flow, i) => {
    if (settings.traffic.generator === "iperf3") checkIperf3(flow, i, taken, locate, diagnostics);
    for (const end of ["from", "to"] as const) {
      if (nodeNamed(topology, flow[end])?.role === "host") continue;
      diagnostics.error(
        "P43014",
        locate(["flows", i, end]),
        `no host is called "${flow[end]}"`,
        `hosts: ${listed(hostsOf(topology))}`,
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
  const faults = settings.faults.map((fault, i) => ({ fault, i, site: siteOf(fault, topology) }));
  for (const { fault, i, site } of faults) {
    if ((fault.switch === undefined) === (fault.link === undefined)) {
      const what = fault.link === undefined ? "neither a link nor a switch" : "a link and a switch";
      diagnostics.error("P43015", locate(["faults", i]), `a fault of ${what}`, "name one of the two");
      continue;
    }
    const element = fault.switch === undefined ? "link" : "switch";
    const kinds: readonly string[] = FAULT_KINDS[element];
    if (!kinds.includes(fault.kind))
      diagnostics.error(
        "P43015",
        locate(["faults", i, "kind"]),
        `a ${element} has no fault of the kind "${fault.kind}"`,
        `kinds of a ${element}: ${kinds.join(", ")}`,
      );
    if (site !== undefined) continue;
    const [what, note] =
      fault.switch === undefined
        ? [`no link between ${fault.link!.join(" and ")}`, []]
        : [`no switch is called "${fault.switch}"`, [`switches: ${listed(switchesOf(topology))}`]];
    diagnostics.error("P43014", locate(["faults", i, element]), what, ...note);
  }
  if (diagnostics.hasErrors) return;
  const active = new Set<string>();
  const inTime = faults.toSorted((a, b) => a.fault.at - b.fault.at || a.i - b.i);
  for (const { fault, i, site } of inTime) {
    if (site === undefined) continue;
    if (fault.at >= settings.duration)
      diagnostics.error("P43015", locate(["faults", i, "at"]), "the fault comes after the end, see duration");
    const ended = ENDED_KIND[fault.kind];
    const key = `${site.kind} ${site.index} ${ended ?? fault.kind}`;
    const name = fault.switch ?? fault.link!.join(" - ");
    if (ended === undefined && active.has(key))
      diagnostics.error("P43015", locate(["faults", i, "kind"]), `${name} is ${WORDS[fault.kind]} already`);
    if (ended !== undefined && !active.has(key))
      diagnostics.error("P43015", locate(["faults", i, "kind"]), `${name} is not ${WORDS[ended]} then`);
    if (ended === undefined) active.add(key);
    else active.delete(key);
  }
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

const WORDS: Readonly<Record<string, string>> = { silent: "silent", down: "down", kill: "killed" };

const MAX_LISTED_NAMES = 12;

function listed(nodes: readonly { name: string }[]): string {
  const names = nodes.slice(0, MAX_LISTED_NAMES).map(({ name }) => name);
  return names.join(", ") + (nodes.length > MAX_LISTED_NAMES ? ", ..." : "");
}
