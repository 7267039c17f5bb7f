/** Finds the element that a fault of a file names. */
import { z } from "zod";
import { defined, didYouMean } from "../../../base/index.js";
import { hostsOf, nodeNamed, switchesOf, type Topology, type TopologyNode } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { ALL_CHANNELS, type Element, type Ways } from "./fault.js";
import type { Place } from "./schema.js";

/** Exactly one of the first six is given; `direction` is from the first named node, or from the source of a flow. */
export const elementKeys = {
  /** The nodes at its ends, by name. */
  link: z.tuple([z.string(), z.string()]).optional(),
  /** The link at a port of a switch, given by the port's number. */
  port: z.tuple([z.string(), z.number().int()]).optional(),
  switch: z.string().optional(),
  host: z.string().optional(),
  /** The control channel of a switch or a host, or `all` of them. */
  control: z.string().optional(),
  /** The number of a flow in the results, from 0. */
  flow: z.number().int().min(0).optional(),
  direction: z.enum(["both", "out", "in"]).optional(),
};

export interface ElementSpec {
  link?: [string, string] | undefined;
  port?: [string, number] | undefined;
  switch?: string | undefined;
  host?: string | undefined;
  control?: string | undefined;
  flow?: number | undefined;
  direction?: Ways | undefined;
}

const KINDS = ["link", "port", "switch", "host", "control", "flow"] as const;

/** The word for the control channels of all switches and hosts. */
const ALL = "all";

/**
 * How many flows the experiment numbers, infinite where that is not known before the run; or why its flows have no numbers.
 */
export type FlowNumbers = number | string;

/** Adds P43031 unless exactly one element is named, P43032 and P43033 for one that is not unique, P43014 for a name that the topology lacks. */
export function elementOf(
  spec: ElementSpec,
  topology: Topology,
  flows: FlowNumbers,
  place: Place,
): Element | undefined {
  const named = KINDS.filter((kind) => spec[kind] !== undefined);
  const { diagnostics } = place;
  const [kind] = named;
  if (kind === undefined || named.length > 1) {
    const what = kind === undefined ? "a fault without an element" : `a fault of a ${named.join(" and a ")}`;
    diagnostics.error(CODES.oneElement, place.at(), what, `name one of ${KINDS.join(", ")}`);
    return undefined;
  }
  const { direction = "both" } = spec;
  if (kind === "flow") return flowOf(defined(spec.flow), spec.direction ?? "out", flows, place);
  if (spec.direction !== undefined && kind !== "link" && kind !== "port")
    diagnostics.error(
      CODES.faultDirection,
      place.at("direction"),
      `a ${kind === "control" ? "control channel" : kind} has no direction`,
      "name a link or a port, or leave direction out",
    );
  if (kind === "control") return controlOf(defined(spec.control), topology, place);
  if (kind === "switch" || kind === "host") {
    const node = nodeOf(defined(spec[kind]), topology, kind, place);
    return node && { kind: "node", index: node.index };
  }
  return kind === "port"
    ? atPort(defined(spec.port), direction, topology, place)
    : between(defined(spec.link), direction, topology, place);
}

function flowOf(number: number, ways: Ways, flows: FlowNumbers, place: Place): Element | undefined {
  const { diagnostics } = place;
  if (ways === "both")
    diagnostics.error(
      CODES.faultDirection,
      place.at("direction"),
      "the packets of a flow are counted in one direction",
      "write out for what its source sends, in for what it receives, or a fault for each",
    );
  if (typeof flows === "string")
    diagnostics.error(CODES.unknownPlace, place.at("flow"), `flow ${number} cannot be named: ${flows}`);
  else if (number >= flows)
    diagnostics.error(
      CODES.unknownPlace,
      place.at("flow"),
      `there is no flow ${number}`,
      `there are ${flows} flows, from 0 to ${flows - 1}`,
    );
  else if (ways !== "both") return { kind: "flow", index: number, ways };
  return undefined;
}

function controlOf(name: string, topology: Topology, place: Place): Element | undefined {
  if (name === ALL) return { kind: "control", index: ALL_CHANNELS };
  const node = nodeNamed(topology, name);
  if (node !== undefined) return { kind: "control", index: node.index };
  const names = [ALL, ...topology.nodes.map((one) => one.name)];
  place.diagnostics.error(
    CODES.unknownPlace,
    place.at("control"),
    `no switch and no host is called "${name}"${didYouMean(name, names, '"')}`,
    "name one of them, or all",
  );
  return undefined;
}

function nodeOf(
  name: string,
  topology: Topology,
  kind: "switch" | "host",
  place: Place,
  key: string = kind,
): TopologyNode | undefined {
  const node = nodeNamed(topology, name);
  if (node !== undefined && (node.role === "host") === (kind === "host")) return node;
  const all = kind === "host" ? hostsOf(topology) : switchesOf(topology);
  const names = all.map((one) => one.name);
  place.diagnostics.error(
    CODES.unknownPlace,
    place.at(key),
    `no ${kind} is called "${name}"${didYouMean(name, names, '"')}`,
    `${kind === "host" ? "hosts" : "switches"}: ${listed(names)}`,
  );
  return undefined;
}

function atPort([name, number]: [string, number], ways: Ways, topology: Topology, place: Place) {
  const node = nodeOf(name, topology, "switch", place, "port");
  if (node === undefined) return undefined;
  const port = node.ports.find((one) => one.number === number);
  if (port !== undefined) return link(topology, port.link, node.index, ways);
  place.diagnostics.error(
    CODES.unknownPlace,
    place.at("port"),
    `${name} has no port ${number}`,
    `it has the ports 1 to ${node.ports.length}`,
  );
  return undefined;
}

function between([first, second]: [string, string], ways: Ways, topology: Topology, place: Place) {
  const [a, b] = [first, second].map((name) => nodeNamed(topology, name));
  const at = place.at("link");
  for (const [name, node] of [
    [first, a],
    [second, b],
  ] as const) {
    if (node !== undefined) continue;
    const names = topology.nodes.map((one) => one.name);
    place.diagnostics.error(
      CODES.unknownPlace,
      at,
      `no node is called "${name}"${didYouMean(name, names, '"')}`,
    );
  }
  if (a === undefined || b === undefined) return undefined;
  const ports = a.ports.filter(({ peer }) => peer === b.index);
  if (ports.length === 1) return link(topology, defined(ports[0]).link, a.index, ways);
  if (ports.length === 0) {
    const peers = [...new Set(a.ports.map(({ peer }) => defined(topology.nodes[peer]).name))];
    place.diagnostics.error(
      CODES.unknownPlace,
      at,
      `no link between ${first} and ${second}`,
      `${first} is linked to ${listed(peers)}`,
    );
    return undefined;
  }
  const numbers = ports.map(({ number }) => number).join(", ");
  place.diagnostics.error(
    CODES.severalLinks,
    at,
    `${ports.length} links between ${first} and ${second}`,
    `name one by its port: port: [${first}, N], N being one of ${numbers}`,
  );
  return undefined;
}

/** The link, with `ways` from the view of the node `first`. */
function link(topology: Topology, index: number, first: number, ways: Ways): Element {
  if (ways === "both" || defined(topology.links[index]).a.node === first)
    return { kind: "link", index, ways };
  return { kind: "link", index, ways: ways === "out" ? "in" : "out" };
}

const MAX_LISTED_NAMES = 12;

/** The first few names, and dots for the others. */
export function listed(names: readonly string[]): string {
  return names.slice(0, MAX_LISTED_NAMES).join(", ") + (names.length > MAX_LISTED_NAMES ? ", ..." : "");
}
