/** What a unit yields: how many probes it takes to name each failure, or to cover all ways between two hosts. */
import { Random } from "../../../base/index.js";
import {
  ExactWalker,
  elementsOf,
  emptyFlows,
  FlowTracer,
  LossSolver,
  MAX_LINKS,
  type NetworkElement,
} from "../../../paths/index.js";
import { hostsOf, type Topology } from "../../../topology/index.js";
import type { TopologyStage } from "../topology-kind.js";
import type { Localise, LocaliseUnit } from "./check.js";
import { type NextWay, RoutePool, randomProbes } from "./probes.js";

export interface LocaliseOutcome {
  /** By failure: probes until a name was given, whether it was right; -1 probes: none was given. */
  readonly named: readonly { readonly probes: number; readonly right: boolean }[];
  /** By pair: its ways, and the probes that covered them; -1: not with a hundred times as many. */
  readonly covered: readonly { readonly ways: number; readonly probes: number }[];
  readonly hosts: number;
  readonly switches: number;
}

/** Probes that arrive between two looks at what they have told, at least, and their share of all. */
const LOOK_EVERY = 32;
const LOOK_SHARE = 0.05;
/** More suspects than this are not probed one by one. */
const MOST_SUSPECTS = 64;
/** An element with less of the confidence of the best is no suspect. */
const SUSPECT_SHARE = 1e-3;

export async function runLocalise(
  { topology, settings }: Localise,
  { run, what, loss }: LocaliseUnit,
  { seed, stepDone, breathe }: TopologyStage,
): Promise<LocaliseOutcome> {
  const model = run.plan.pathModel!();
  const walker = new ExactWalker(topology, model);
  const tracer = new FlowTracer(topology, model);
  const random = new Random(seed).fork("localise");
  const hosts = hostsOf(topology).length;
  const switches = topology.nodes.length - hosts;
  if (what === "cover") {
    const covered = coverPairs(
      topology,
      walker,
      tracer,
      settings.cover_pairs,
      settings.ip,
      random.fork("pairs"),
    );
    await stepDone();
    return { named: [], covered, hosts, switches };
  }
  const elements = elementsOf(topology);
  const candidates = elements.filter(({ kind }) => kind === what);
  const pool = walker.isExact ? new RoutePool(topology, walker, random.fork("pool")) : undefined;
  const named: { probes: number; right: boolean }[] = [];
  // All schemes meet the same failures.
  const draw = random.fork(`${what} ${loss}`);
  for (let i = 0; i < settings.failures; i++) {
    const failed = draw.pick(candidates);
    const own = draw.fork(i);
    const next = pool?.probes(own) ?? randomProbes(topology, tracer, own, settings.ip);
    named.push(nameOne(elements, failed, loss, next, own.fork("loss"), settings));
    await breathe();
  }
  await stepDone();
  return { named, covered: [], hosts, switches };
}

function nameOne(
  elements: readonly NetworkElement[],
  failed: NetworkElement,
  loss: number,
  next: NextWay,
  random: Random,
  { confidence, most_probes }: Localise["settings"],
): { probes: number; right: boolean } {
  const solver = new LossSolver(elements);
  let suspects: readonly NetworkElement[] = [];
  let seen = 0;
  let lostInAll = 0;
  for (let probes = 1; probes <= most_probes; probes++) {
    const way = next(suspects);
    const crosses =
      failed.kind === "switch"
        ? way.switches.includes(failed.number)
        : way.links.some((link) => (failed.kind === "link" ? link >> 1 : link) === failed.number);
    const arrived = !crosses || random.float() >= loss;
    solver.add(way.links, way.switches, arrived);
    if (!arrived) lostInAll++;
    // Without a lost probe there is nothing to name.
    const isSoon = probes - seen < Math.max(LOOK_EVERY, LOOK_SHARE * probes);
    if (lostInAll === 0 || (arrived && isSoon)) continue;
    seen = probes;
    const shares = solver.confidences();
    const verdict = solver.verdict(shares);
    if (verdict.element !== undefined && verdict.confidence >= confidence)
      return { probes, right: verdict.element === failed };
    const ranked: { one: NetworkElement; share: number }[] = [];
    for (const [i, one] of elements.entries())
      if (shares[i]! >= SUSPECT_SHARE * verdict.confidence) ranked.push({ one, share: shares[i]! });
    ranked.sort((a, b) => b.share - a.share);
    suspects = ranked.slice(0, MOST_SUSPECTS).map(({ one }) => one);
  }
  return { probes: -1, right: false };
}

/** Probes of one pair of hosts until each way from the first to the second was taken. */
function coverPairs(
  topology: Topology,
  walker: ExactWalker,
  tracer: FlowTracer,
  pairs: number,
  ip: 4 | 6,
  random: Random,
): { ways: number; probes: number }[] {
  const hosts = hostsOf(topology);
  const pods = new Set(topology.racks.map(({ pod }) => pod)).size;
  const placeOf = (rack: number) => (pods > 1 ? topology.racks[rack]!.pod : rack);
  const out = new Int32Array(MAX_LINKS);
  return Array.from({ length: pairs }, () => {
    const source = random.pick(hosts);
    let destination = random.pick(hosts);
    while (placeOf(destination.host!.rack) === placeOf(source.host!.rack)) destination = random.pick(hosts);
    if (walker.isExact) {
      const ways = walker.all(source.index, destination.index).length;
      return { ways, probes: ways };
    }
    const ways = countWays(topology, tracer, source.index, destination.index);
    const seen = new Set<string>();
    const batch = Math.min(65_536, 4 * ways);
    for (let probes = 0; probes < 100 * ways; ) {
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
        if (seen.size === ways) return { ways, probes };
      }
    }
    return { ways, probes: -1 };
  });
}

/** Ways between two hosts, by every slot of every choice. */
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
