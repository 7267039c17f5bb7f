/** The outcome of a unit: the number of probes until each failure is named, all paths between two hosts are covered, or all links are. */
import { given, Random } from "../../../../base/index.js";
import {
  ExactWalker,
  elementsOf,
  emptyFlows,
  type Finding,
  FlowTracer,
  Localiser,
  linksBetweenSwitches,
  MAX_LINKS,
  type NetworkElement,
  RouteFinder,
  Twins,
} from "../../../paths/index.js";
import { hostsOf, type Topology, tierOf } from "../../../topology/index.js";
import type { TopologyStage } from "../registered-kind.js";
import type { Localise, LocaliseUnit } from "./check.js";
import { CoverProbes, type NextWay, randomWays } from "./probes.js";
import { type Result, resultOf } from "./result.js";

/** The number of probes until everything was covered. */
export interface Covered {
  /** Number of paths of a pair of hosts, or of directed links between two tiers of switches. */
  readonly things: number;
  /** -1: not even with a hundred times as many probes. */
  readonly probes: number;
  /** Mean number of the things that a probe crosses. */
  readonly crossed: number;
}

export interface LocaliseOutcome {
  /** For each failure: the number of probes until a result, and which one; -1 probes without a result. `sets`: of two faults, how many pairs are named. */
  readonly named: readonly {
    readonly probes: number;
    readonly result: Result;
    readonly sets?: number | undefined;
  }[];
  /** For each pair of hosts, or for each run over all links. */
  readonly covered: readonly Covered[];
  /** Elements of the kind that fails. */
  readonly candidates: number;
  readonly hosts: number;
  readonly switches: number;
}

/** Number of probes between two evaluations: the minimum, and the share of all probes so far. */
const LOOK_EVERY = 32;
const LOOK_SHARE = 0.02;
/** Number of probes between two moments at which the run can be stopped. */
const BREATH = 100_000;

export async function runLocalise(
  { topology, settings }: Localise,
  { scheme, what, loss }: LocaliseUnit,
  { seed, stepDone, breathe }: TopologyStage,
): Promise<LocaliseOutcome> {
  const model = scheme.plan.pathModel!();
  const walker = new ExactWalker(topology, model);
  const tracer = new FlowTracer(topology, model);
  const random = new Random(seed).fork("localise");
  const hosts = hostsOf(topology).length;
  const switches = topology.nodes.length - hosts;
  const pool = walker.isExact
    ? new CoverProbes(new RouteFinder(topology, walker), random.fork("pool"))
    : undefined;
  const ways = (own: Random): NextWay => {
    const routes = pool?.routes(own);
    if (routes !== undefined) return (suspects) => routes(suspects).links;
    return randomWays(topology, tracer, own, settings.ip);
  };
  if (what === "ways" || what === "links") {
    const covered: Covered[] = [];
    const draw = random.fork(what === "ways" ? "pairs" : what);
    for (let i = 0; i < settings.cover_pairs; i++) {
      covered.push(
        what === "ways"
          ? coverPair(topology, walker, tracer, settings.ip, draw)
          : coverLinks(topology, ways(draw.fork(i))),
      );
      await breathe();
    }
    await stepDone();
    return { named: [], covered, candidates: 0, hosts, switches };
  }
  const candidates = elementsOf(topology).filter(({ kind }) => kind === what);
  const named: { probes: number; result: Result; sets?: number | undefined }[] = [];
  const twins = new Twins(topology, model, false);
  // All schemes have the same failures.
  const draw = random.fork(`${what} ${loss}`);
  for (let i = 0; i < settings.failures; i++) {
    const failed = distinct(settings.faults, () => draw.pick(candidates));
    const own = draw.fork(i);
    const localiser = new Localiser(twins, { confidence: settings.confidence });
    const lossy = failed.map((element) => ({ element, loss }));
    const { finding, probes } = await searchFor(topology, lossy, {
      localiser,
      next: ways(own),
      random: own.fork("loss"),
      most: settings.most_probes,
      faults: settings.faults,
      breathe,
    });
    const sets = finding.kind === "several" ? finding.sets.length : undefined;
    named.push({ probes, result: resultOf(finding, failed), ...given({ sets }) });
    await breathe();
  }
  await stepDone();
  return { named, covered: [], candidates: candidates.length, hosts, switches };
}

/** So many different elements. */
function distinct(count: number, pick: () => NetworkElement): NetworkElement[] {
  const picked = new Set<NetworkElement>();
  while (picked.size < count) picked.add(pick());
  return [...picked];
}

/** An element that loses this share of the packets. */
export interface FailedElement {
  readonly element: NetworkElement;
  readonly loss: number;
}

/** Result of a search: what was found, and the number of probes until then; -1: nothing was found. */
export interface Found {
  readonly finding: Finding;
  readonly probes: number;
}

interface Search {
  readonly localiser: Localiser;
  readonly next: NextWay;
  /** Decides which probes are lost. */
  readonly random: Random;
  /** Maximum number of probes. */
  readonly most: number;
  /** Number of faults: with two, the search goes on after it has named one element. Default 1. */
  readonly faults?: number;
  readonly breathe?: () => Promise<void>;
}

/** Sends probes until the localiser has a result, while all of `failed` lose packets. */
export async function searchFor(
  topology: Topology,
  failed: readonly FailedElement[],
  { localiser, next, random, most, faults = 1, breathe = async () => {} }: Search,
): Promise<Found> {
  const crossed = failed.map(({ element, loss }) => ({ links: linksInto(topology, element), loss }));
  let seen = 0;
  let lostInAll = 0;
  let last: Found = { finding: { kind: "open" }, probes: -1 };
  for (let probes = 1; probes <= most; probes++) {
    if (probes % BREATH === 0) await breathe();
    const links = next(localiser.suspects);
    let arrived = true;
    for (const { links: meets, loss } of crossed)
      for (let i = 0; i < links.length && arrived; i++)
        if (meets[links[i]!] === 1) {
          arrived = random.float() >= loss;
          break;
        }
    localiser.add(links, arrived);
    if (!arrived) lostInAll++;
    // Without a lost probe there is nothing to name.
    const isSoon = probes - seen < Math.max(LOOK_EVERY, LOOK_SHARE * probes);
    if (lostInAll === 0 || (arrived && isSoon)) continue;
    seen = probes;
    const finding = localiser.judge();
    if (finding.kind === "several" || (finding.kind === "named" && faults === 1)) return { finding, probes };
    // A second fault that the first one hides, as a dead switch hides its links, is never seen.
    if (finding.kind === "named") last = { finding, probes };
    else if (localiser.several !== undefined) last = { finding: localiser.several, probes: most };
  }
  return last;
}

/** By directed link: 1 where a packet that crosses it also crosses the element. */
export function linksInto({ links }: Topology, { kind, number }: NetworkElement): Uint8Array {
  const meets = new Uint8Array(2 * links.length);
  if (kind === "direction" || kind === "host_direction") meets[number] = 1;
  else if (kind === "link" || kind === "host_link") meets.fill(1, 2 * number, 2 * number + 2);
  else
    for (const { index, a, b } of links) {
      if (b.node === number) meets[2 * index] = 1;
      if (a.node === number) meets[2 * index + 1] = 1;
    }
  return meets;
}

/** Limit of probes, as a multiple of the number of things to cover. */
const PATIENCE = 100;

/**
 * Number of probes until all directed links between switches were crossed. `things` are the links of the pair of tiers that random probes
 * are expected to cover last, by the coupon collector.
 */
function coverLinks(topology: Topology, next: NextWay): Covered {
  const { nodes, links } = topology;
  const between = linksBetweenSwitches(topology);
  const left = new Uint8Array(2 * links.length);
  const tiers: { links: number; crossings: number }[] = [];
  /** By directed link: number of its pair of tiers, from 1. */
  const tierOfLink = new Uint8Array(2 * links.length);
  const known = new Map<string, number>();
  for (const link of between) {
    const { a, b } = links[link >> 1]!;
    const key = [tierOf(nodes[a.node]!), tierOf(nodes[b.node]!)].sort((x, y) => x - y).join();
    if (!known.has(key)) known.set(key, tiers.push({ links: 0, crossings: 0 }));
    tierOfLink[link] = known.get(key)!;
    tiers[tierOfLink[link]! - 1]!.links++;
    left[link] = 1;
  }
  const most = PATIENCE * between.length;
  let missing = between.length;
  let probes = 0;
  while (missing > 0 && probes < most) {
    const way = next([]);
    probes++;
    for (let i = 0; i < way.length; i++) {
      const link = way[i]!;
      missing -= left[link]!;
      left[link] = 0;
      if (tierOfLink[link] !== 0) tiers[tierOfLink[link]! - 1]!.crossings++;
    }
  }
  const last = tiers.reduce((slow, tier) =>
    expected(tier.links) / tier.crossings > expected(slow.links) / slow.crossings ? tier : slow,
  );
  return { things: last.links, probes: missing === 0 ? probes : -1, crossed: last.crossings / probes };
}

/** Proportional to the expected number of draws that collect n things. */
function expected(n: number): number {
  return n * Math.log(n + 1);
}

/** Number of probes of one pair of hosts until each path from the first to the second was taken. */
function coverPair(
  topology: Topology,
  walker: ExactWalker,
  tracer: FlowTracer,
  ip: 4 | 6,
  random: Random,
): Covered {
  const hosts = hostsOf(topology);
  const pods = new Set(topology.racks.map(({ pod }) => pod)).size;
  const placeOf = (rack: number) => (pods > 1 ? topology.racks[rack]!.pod : rack);
  const out = new Int32Array(MAX_LINKS);
  const source = random.pick(hosts);
  let destination = random.pick(hosts);
  while (placeOf(destination.host!.rack) === placeOf(source.host!.rack)) destination = random.pick(hosts);
  if (walker.isExact) {
    const things = walker.all(source.index, destination.index).length;
    return { things, probes: things, crossed: 1 };
  }
  const things = countWays(topology, tracer, source.index, destination.index);
  const seen = new Set<string>();
  const batch = Math.min(65_536, 4 * things);
  for (let probes = 0; probes < PATIENCE * things; ) {
    const nic = new Uint8Array(batch);
    const flows = { ...emptyFlows(batch, ip), nic };
    flows.source.fill(source.index);
    flows.destination.fill(destination.index);
    flows.protocol.fill(17);
    for (let i = 0; i < batch; i++) {
      flows.sourcePort[i] = random.int(65_536);
      flows.destinationPort[i] = random.int(65_536);
      nic[i] = random.int(source.ports.length);
    }
    const traced = tracer.of(flows);
    for (let i = 0; i < batch; i++) {
      const count = traced.linksOf(i, out);
      probes++;
      if (count > 0) seen.add(out.subarray(0, count).join());
      if (seen.size === things) return { things, probes, crossed: 1 };
    }
  }
  return { things, probes: -1, crossed: 1 };
}

/** Number of paths between two hosts, over every slot of every choice. */
function countWays({ nodes }: Topology, { model }: FlowTracer, source: number, destination: number): number {
  const switches = new Map(model.switches.map((own) => [own.node, own]));
  const rack = nodes[destination]!.host!.rack;
  const waysFrom = (node: number): number => {
    if (node === destination) return 1;
    const own = switches.get(node);
    if (own === undefined) return 0;
    const next = own.next[rack]!;
    if (next < 0) return nodes[node]!.ports.some(({ peer }) => peer === destination) ? 1 : 0;
    const ports = new Set(Array.from(own.choices[next]!.rows[0]!));
    return [...ports].reduce((sum, port) => sum + waysFrom(nodes[node]!.ports[port - 1]!.peer), 0);
  };
  return nodes[source]!.ports.reduce((sum, { peer }) => sum + waysFrom(peer), 0);
}
