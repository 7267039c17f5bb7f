/** From the description of a workload to its flows: the parts with their patterns, rates and random numbers. */
import type { Random } from "../../base/index.js";
import type { Topology } from "../topology/index.js";
import { type ArrivalSpec, gapDrawer } from "./arrivals.js";
import type { SizeDistribution } from "./cdf.js";
import {
  type CollectiveSpec,
  OpenCollectives,
  type Operation,
  RepeatedCollectives,
  stepsOf,
} from "./collective.js";
import { ClosedRequests, type FanOut, OpenRequests } from "./fan-out.js";
import { hostPlaces, type Place } from "./flow.js";
import { type Allowance, DrawnFlows, type FlowSource, type Service } from "./flow-source.js";
import { capacityBps, type LoadBase } from "./load.js";
import { FlowAllowance, type Limits, MixedWorkload } from "./mixed-workload.js";
import { matrixGroups, matrixPattern, type TrafficMatrix } from "./patterns/matrix.js";
import {
  permutationPattern,
  rackLocalPattern,
  stridePattern,
  uniformInterRackShare,
  uniformPattern,
} from "./patterns/partners.js";
import type { Pattern, Spread } from "./patterns/pattern.js";

/** Hosts by their indexes in `Topology.nodes`, or a number of hosts that are drawn; absent: all. */
export type HostChoice = number | readonly number[] | undefined;

/** Patterns of single flows. */
export type PairSpec =
  | { readonly kind: "all_to_all" | "inter_rack" | "inter_pod" | "permutation" }
  | { readonly kind: "stride"; readonly stride: number }
  | { readonly kind: "rack_local"; readonly share: number }
  | { readonly kind: "matrix"; readonly matrix: TrafficMatrix };

/** Requests with fan-out; an incast is one without questions. */
export interface RequestSpec {
  readonly kind: "requests";
  readonly clients: HostChoice;
  readonly servers: HostChoice;
  readonly degree: number;
  readonly questionBytes: number;
}

/** A collective operation; hosts that are named are in the order of the ring, drawn ones in a drawn order. */
export interface OperationSpec {
  readonly kind: "collective";
  readonly operation: Operation;
  readonly hosts: HostChoice;
}

/** The rate of a part's flows or requests: by load, by their mean interval, or in a closed loop (requests and collective operations only). */
export type PaceSpec =
  | { readonly kind: "load"; readonly load: number; readonly arrivals: ArrivalSpec }
  | { readonly kind: "interval"; readonly intervalNs: number; readonly arrivals: ArrivalSpec }
  | { readonly kind: "closed"; readonly outstanding: number; readonly thinkNs: number };

export type PatternSpec = PairSpec | RequestSpec | OperationSpec;

export interface PartSpec {
  readonly pattern: PatternSpec;
  readonly pace: PaceSpec;
  readonly sizes: SizeDistribution;
  readonly service: Service;
}

export interface WorkloadSpec extends Limits {
  readonly parts: readonly PartSpec[];
  readonly loadOf: LoadBase;
  /** Payload of a full segment: the size of a packet on a link with a rate in packets. */
  readonly segmentBytes: number;
}

/**
 * The flows of a workload for a seed. Sizes, pairs, arrivals and drawn hosts of each part have random streams of their own:
 * a change of one leaves the others unchanged. The caller has checked that the description fits the topology.
 */
export function openWorkload(spec: WorkloadSpec, topology: Topology, random: Random): MixedWorkload {
  const allowance = new FlowAllowance(spec);
  const places = hostPlaces(topology);
  let offered: number | undefined = 0;
  const sources = spec.parts.map((part, index) => {
    const opened = openPart(part, spec, { topology, places, allowance }, random.fork(`part ${index}`));
    offered =
      offered === undefined || opened.offeredBps === undefined ? undefined : offered + opened.offeredBps;
    return opened.source;
  });
  return new MixedWorkload(sources, allowance, offered);
}

interface OpenedPart {
  readonly source: FlowSource;
  /** Absent in closed loops. */
  readonly offeredBps: number | undefined;
}

/** What the parts of a workload share. */
interface Ground {
  readonly topology: Topology;
  readonly places: readonly Place[];
  readonly allowance: Allowance;
}

function openPart(
  part: PartSpec,
  { loadOf, segmentBytes }: Pick<WorkloadSpec, "loadOf" | "segmentBytes">,
  { topology, places, allowance }: Ground,
  random: Random,
): OpenedPart {
  const { pattern, pace, sizes, service } = part;
  /** Rate of flows, or of requests, that have this payload (for requests: in their answers). */
  const paced = (spread: Spread, bytes: number) => {
    if (pace.kind === "closed") throw new Error("flows in a closed loop have no pace");
    const intervalNs =
      pace.kind === "interval"
        ? pace.intervalNs
        : (bytes * 8e9) / (pace.load * capacityBps(loadOf, spread, topology, segmentBytes));
    return { gap: gapDrawer(pace.arrivals, intervalNs), offeredBps: (bytes * 8e9) / intervalNs };
  };
  if (pattern.kind === "collective") {
    const { operation } = pattern;
    const { ring, spread } = openRing(pattern, places, random);
    const hosts = ring.map(({ host }) => host);
    const spec: CollectiveSpec = { operation, hosts, sizes, service };
    if (pace.kind === "closed")
      return {
        source: new RepeatedCollectives(spec, pace.thinkNs, allowance, random),
        offeredBps: undefined,
      };
    const { gap, offeredBps } = paced(spread, stepsOf(operation, hosts.length) * sizes.mean);
    return { source: new OpenCollectives(spec, gap, allowance, random), offeredBps };
  }
  if (pattern.kind !== "requests") {
    const pairs = openPattern(pattern, places, random);
    const { gap, offeredBps } = paced(pairs, sizes.mean);
    return { source: new DrawnFlows(gap, pairs, sizes, service, random), offeredBps };
  }
  const { degree, questionBytes } = pattern;
  const ends = openEnds(pattern, places, random);
  const [clients, servers] = [ends.clients, ends.servers].map((list) => list.map(({ host }) => host));
  const fanOut: FanOut = {
    clients: clients!,
    servers: servers!,
    degree,
    questionBytes,
    sizes,
    service,
  };
  if (pace.kind === "closed")
    return { source: new ClosedRequests(fanOut, pace, allowance, random), offeredBps: undefined };
  const { gap, offeredBps } = paced(ends.spread, degree * sizes.mean);
  return { source: new OpenRequests(fanOut, gap, allowance, random), offeredBps };
}

/** The senders and receivers of a pattern. For requests those of the answers; questions come in addition, as headers do. */
export function spreadOf(pattern: PatternSpec, topology: Topology, random: Random): Spread {
  const places = hostPlaces(topology);
  if (pattern.kind === "collective") return openRing(pattern, places, random).spread;
  return pattern.kind === "requests"
    ? openEnds(pattern, places, random).spread
    : openPattern(pattern, places, random);
}

function openPattern(spec: PairSpec, places: readonly Place[], random: Random): Pattern {
  const pattern = patternOf(spec, places, random.fork("partners"));
  if (pattern === undefined) throw new Error(`no two hosts match ${spec.kind}`);
  return pattern;
}

/** With hosts that are drawn, the share between racks is that of all hosts, so that a load is the same under every seed. */
function openEnds(spec: RequestSpec, places: readonly Place[], random: Random) {
  const clients = chosen(spec.clients, places, random.fork("choice of clients"));
  const servers = chosen(spec.servers, places, random.fork("choice of servers"));
  const drawn = typeof spec.clients === "number" || typeof spec.servers === "number";
  const interRackShare = drawn ? uniformInterRackShare(places) : shareBetween(clients, servers);
  const spread: Spread = { senders: servers, receivers: clients, interRackShare };
  return { clients, servers, spread };
}

/** With hosts that are drawn, the share between racks is that of all hosts, as for requests. */
function openRing({ operation, hosts }: OperationSpec, places: readonly Place[], random: Random) {
  const byHost = new Map(places.map((place) => [place.host, place]));
  const ring =
    hosts === undefined
      ? places
      : typeof hosts === "number"
        ? random
            .fork("choice of hosts")
            .shuffle([...places])
            .slice(0, hosts)
        : hosts.map((host) => byHost.get(host)!);
  const members = places.filter(({ host }) => ring.some((one) => one.host === host));
  const crossing = ring.filter(({ rack }, i) => rack !== ring[(i + 1) % ring.length]!.rack).length;
  const interRackShare =
    typeof hosts === "number"
      ? uniformInterRackShare(places)
      : operation === "all_reduce"
        ? crossing / ring.length
        : shareBetween(members, members);
  const spread: Spread = { senders: members, receivers: members, interRackShare };
  return { ring, spread };
}

function patternOf(spec: PairSpec, places: readonly Place[], random: Random): Pattern | undefined {
  switch (spec.kind) {
    case "all_to_all":
      return uniformPattern(places, "any");
    case "inter_rack":
    case "inter_pod":
      return uniformPattern(places, spec.kind);
    case "permutation":
      return permutationPattern(places, random);
    case "stride":
      return stridePattern(places, spec.stride);
    case "rack_local":
      return rackLocalPattern(places, spec.share);
    case "matrix": {
      const groups = matrixGroups(places, spec.matrix.size);
      return groups && matrixPattern(spec.matrix, groups);
    }
  }
}

/** The chosen hosts in the order of the nodes. */
function chosen(choice: HostChoice, places: readonly Place[], random: Random): Place[] {
  if (choice === undefined) return [...places];
  const order = places.map((_, index) => index);
  const drawn =
    typeof choice === "number"
      ? new Set(random.shuffle(order).slice(0, choice))
      : new Set(order.filter((index) => choice.includes(places[index]!.host)));
  return places.filter((_, index) => drawn.has(index));
}

/** The share of the pairs of a client and its neighbouring server that are in different racks. */
function shareBetween(clients: readonly Place[], servers: readonly Place[]): number {
  const inRack = new Map<number, number>();
  for (const { rack } of servers) inRack.set(rack, (inRack.get(rack) ?? 0) + 1);
  const isServer = new Set(servers.map(({ host }) => host));
  let sum = 0;
  for (const { host, rack } of clients) {
    const own = isServer.has(host) ? 1 : 0;
    sum += (servers.length - (inRack.get(rack) ?? 0)) / (servers.length - own);
  }
  return sum / clients.length;
}
