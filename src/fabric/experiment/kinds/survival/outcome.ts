/**
 * The outcome of a scheme. Each connection has one failed element of each tier, drawn from those that its client's paths choose from. A
 * subflow is lost if its data or its acknowledgements cross the element; a connection, if all of its subflows are (section 5.2).
 */
import { Random } from "../../../../base/index.js";
import type { FlowKey } from "../../../../base/packets/index.js";
import { type HostPolicy, restingHost } from "../../../hosts/index.js";
import { emptyFlows, MAX_LINKS, type PathSource } from "../../../paths/index.js";
import { SelectorPaths } from "../../../schemes/index.js";
import { hostsOf, nodeNamed, type Topology } from "../../../topology/index.js";
import { drawClientPort } from "../../../traffic/index.js";
import type { TopologyStage } from "../registered-kind.js";
import type { Survival, SurvivalFailure, SurvivalSettings, SurvivalUnit } from "./check.js";

export interface SurvivalOutcome {
  readonly failures: readonly FailureCount[];
}

export interface FailureCount {
  readonly failure: SurvivalFailure;
  /** Number of equal elements, one of which fails; null where clients have different numbers of them. */
  readonly sites: number | null;
  /** Number of connections whose subflows are all lost. */
  readonly lost: number;
  /** Number of lost subflows, over all connections. */
  readonly lostSubflows: number;
  /** Number of connections by the number of their remaining subflows, from 0. */
  readonly left: readonly number[];
}

/** Port of the servers. */
const SERVER_PORT = 5001;
const BATCH = 20_000;

export async function runSurvival(
  { settings, topology }: Survival,
  { scheme }: SurvivalUnit,
  { seed, stepDone, breathe }: TopologyStage,
): Promise<SurvivalOutcome> {
  const { connections, connection_subflows: count, failures, ip } = settings;
  const paths = new SelectorPaths(topology, scheme.plan.pathModel!(), scheme.plan.hosts);
  const policy = scheme.hosts(restingHost());
  // All schemes have the same hosts, ports and failures.
  const random = new Random(seed).fork("connections");
  const draw = drawer(topology, settings);
  const sitesFor = new Map<string, Sites>();
  const tallies = failures.map(() => ({
    left: new Array<number>(count + 1).fill(0),
    sites: new Set<number>(),
  }));
  for (let done = 0; done < connections; done += BATCH) {
    const size = Math.min(BATCH, connections - done);
    const pairs = Array.from({ length: size }, () => draw(random));
    const ports = pairs.map(() => portsOf(settings, random));
    const elements = pairs.map(() => failures.map(() => random.float()));
    const [forth, back] = (["client", "server"] as const).map((role) =>
      traced(paths.of(columnsOf({ topology, policy, ip }, { pairs, ports }, role)), size * count),
    );
    for (let connection = 0; connection < size; connection++) {
      const client = pairs[connection]![0];
      for (const [i, failure] of failures.entries()) {
        const key = `${failure} ${client}`;
        let sites = sitesFor.get(key);
        if (sites === undefined) {
          sites = sitesOf(topology, client, failure);
          sitesFor.set(key, sites);
        }
        const failed = Math.floor(elements[connection]![i]! * sites.count);
        let left = 0;
        for (let flow = connection * count; flow < (connection + 1) * count; flow++)
          if (!crosses(forth!, flow, sites, failed) && !crosses(back!, flow, sites, failed)) left++;
        const tally = tallies[i]!;
        tally.left[left] = tally.left[left]! + 1;
        tally.sites.add(sites.count);
      }
    }
    await breathe();
    if ((done + size) % 1e5 === 0) await stepDone();
  }
  await stepDone();
  return {
    failures: failures.map((failure, i) => {
      const { left, sites } = tallies[i]!;
      return {
        failure,
        sites: sites.size === 1 ? [...sites][0]! : null,
        lost: left[0]!,
        lostSubflows: left.reduce((sum, connections, alive) => sum + connections * (count - alive), 0),
        left,
      };
    }),
  };
}

/** The directed links of flows, those of flow i from `starts[i]` to `starts[i + 1]`; a flow that does not arrive has none and is in `lost`. */
interface Traced {
  readonly starts: Int32Array;
  readonly links: Int32Array;
  readonly lost: ReadonlySet<number>;
}

function traced(source: PathSource, flows: number): Traced {
  const starts = new Int32Array(flows + 1);
  const links: number[] = [];
  const lost = new Set<number>();
  const path = new Int32Array(MAX_LINKS);
  for (let flow = 0; flow < flows; flow++) {
    const length = source.linksOf(flow, path);
    if (length < 0) lost.add(flow);
    for (let i = 0; i < length; i++) links.push(path[i]!);
    starts[flow + 1] = links.length;
  }
  return { starts, links: Int32Array.from(links), lost };
}

function crosses({ starts, links, lost }: Traced, flow: number, { ofLink }: Sites, failed: number): boolean {
  for (let i = starts[flow]!; i < starts[flow + 1]!; i++) if (ofLink[links[i]!] === failed) return true;
  return lost.has(flow);
}

/** Client ports of the subflows: different ones, or one for all. */
function portsOf({ connection_subflows: count, subflow_ports }: SurvivalSettings, random: Random): number[] {
  if (subflow_ports === "shared") return new Array<number>(count).fill(drawClientPort(random));
  const ports = new Set<number>();
  while (ports.size < count) ports.add(drawClientPort(random));
  return [...ports];
}

/** The subflows of all connections as one end sends them, connection by connection. */
function columnsOf(
  { topology, policy, ip }: { readonly topology: Topology; readonly policy: HostPolicy; readonly ip: 4 | 6 },
  {
    pairs,
    ports,
  }: {
    readonly pairs: readonly (readonly [client: number, server: number])[];
    readonly ports: readonly (readonly number[])[];
  },
  role: "client" | "server",
) {
  const subflows = ports[0]!.length;
  const flows = {
    ...emptyFlows(pairs.length * subflows, ip),
    selector: new Uint32Array(pairs.length * subflows),
  };
  const addressOf = (node: number) => topology.nodes[node]!.host![ip === 4 ? "ipv4" : "ipv6"];
  const random = new Random(0);
  for (const [connection, [client, server]] of pairs.entries()) {
    const [from, to] = role === "client" ? [client, server] : [server, client];
    for (const [subflow, port] of ports[connection]!.entries()) {
      const flow = connection * subflows + subflow;
      const [srcPort, dstPort] = role === "client" ? [port, SERVER_PORT] : [SERVER_PORT, port];
      const key: FlowKey = { src: addressOf(from), dst: addressOf(to), protocol: 6, srcPort, dstPort };
      flows.source[flow] = from;
      flows.destination[flow] = to;
      flows.sourcePort[flow] = srcPort;
      flows.destinationPort[flow] = dstPort;
      flows.selector[flow] = policy.open(key, random, { role, subflow, subflows }).selector;
    }
  }
  return flows;
}

function drawer(topology: Topology, { between }: SurvivalSettings) {
  if (typeof between !== "string") {
    const pair = between.map((name) => nodeNamed(topology, name)!.index) as [number, number];
    return (): readonly [number, number] => pair;
  }
  const hosts = hostsOf(topology);
  const placeOf = ({ host }: (typeof hosts)[number]) =>
    between === "inter_pod" ? topology.racks[host!.rack]!.pod : host!.rack;
  return (random: Random): readonly [number, number] => {
    const from = random.pick(hosts);
    let to = random.pick(hosts);
    while (placeOf(to) === placeOf(from)) to = random.pick(hosts);
    return [from.index, to.index];
  };
}

export interface Sites {
  /** Number of equal elements, one of which fails. */
  readonly count: number;
  /** Index of the element at the end of a directed link, from 0 to `count` - 1; -1: another node or link. */
  readonly ofLink: Int32Array;
}

/** The sites of a failure for connections of one client host. */
export function sitesOf(topology: Topology, client: number, failure: SurvivalFailure): Sites {
  const { nodes, links } = topology;
  const tors = nodes[client]!.ports.map(({ peer }) => peer);
  const { pod } = nodes[tors[0]!]!;
  const ofLink = new Int32Array(2 * links.length).fill(-1);
  const numbers = new Map<number, number>();
  const numberOf = (key: number) => {
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key)!;
  };
  for (const { index, a, b } of links) {
    for (const [way, from, to] of [
      [0, a.node, b.node],
      [1, b.node, a.node],
    ] as const) {
      const at = 2 * index + way;
      if (failure === "link") {
        const [tor, leaf] = nodes[from]!.role === "leaf" ? [to, from] : [from, to];
        if (tors.includes(tor) && nodes[leaf]!.role === "leaf") ofLink[at] = numberOf(index);
        continue;
      }
      const node = nodes[to]!;
      if (node.role !== failure) continue;
      if (failure === "tor" ? tors.includes(to) : failure === "spine" || node.pod === pod)
        ofLink[at] = numberOf(to);
    }
  }
  return { count: numbers.size, ofLink };
}
