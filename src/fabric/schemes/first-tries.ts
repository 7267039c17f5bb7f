/**
 * Counts the single failures that the first try of a flow avoids, by the paths of the plan's switches and the choosers of its hosts, without
 * packets: the failure hits a path of the flow, the sender's timer expires, and the copies that it then sends, and the acknowledgements
 * of those that arrive, cross the failed element or not. For a flow with one segment in flight.
 *
 * The bound: a failure can be avoided if the graph has a path without the element, which a minimum-cost flow finds (`DisjointPaths`).
 */
import type { Random } from "../../base/index.js";
import type { FlowKey } from "../../base/packets/index.js";
import { CLIENT, type HostPolicy, SERVER } from "../hosts/index.js";
import { DisjointPaths, type Topology } from "../topology/index.js";
import type { FabricPlan } from "./scheme.js";
import { type HostFlow, SelectorPaths } from "./selector-paths.js";

export interface FirstTries {
  readonly flows: number;
  /** Number of pairs of a flow and a switch or link on the paths of its two directions; links of hosts with one NIC are not counted. */
  readonly failures: number;
  /** How many of them have another path in the graph. */
  readonly avoidable: number;
  /** How many of these the first try avoids. */
  readonly left: number;
  /** Number of flows without a path before the failure. */
  readonly lost: number;
}

/** A failure that has another path in the graph, and what the ends of a flow did after it. */
export interface FirstTry {
  /** Node index of a switch, or the complement of the index of a link. */
  readonly element: number;
  readonly flow: HostFlow;
  /** Selectors that the sender and the receiver used after the failure. */
  readonly sent: readonly number[];
  readonly answered: readonly number[];
  readonly left: boolean;
}

interface FirstTryOptions {
  readonly topology: Topology;
  readonly plan: FabricPlan & Required<Pick<FabricPlan, "pathModel">>;
  readonly policy: HostPolicy;
  readonly flows: Iterable<HostFlow>;
  readonly random: Random;
  /** Called once for each avoidable failure. */
  readonly onTry?: (one: FirstTry) => void;
}

export function firstTries({ topology, plan, policy, flows, random, onTry }: FirstTryOptions): FirstTries {
  const paths = new SelectorPaths(topology, plan.pathModel(), plan.hosts);
  const cuts = new Cuts(topology);
  const counts = { flows: 0, failures: 0, avoidable: 0, left: 0, lost: 0 };
  for (const flow of flows) {
    counts.flows++;
    const back = reversed(flow);
    const pathOf = (of: HostFlow, selector: number) => elementsOfPath(topology, paths.pathOf(of, selector));
    const trial = () => {
      const own = random.fork(`flow ${counts.flows}`);
      return {
        sender: policy.open(keyOf(topology, flow), own.fork("client"), CLIENT),
        receiver: policy.open(keyOf(topology, back), own.fork("server"), SERVER),
      };
    };
    const coin = random.fork(`failures of flow ${counts.flows}`);
    const { sender, receiver } = trial();
    const first = { selector: sender.selector, echo: 0 };
    // The first segment of the flow and its answer arrive.
    const answer = receiver.onData(first, false)[0]!;
    const forth = pathOf(flow, first.selector);
    const home = pathOf(back, answer);
    if (forth === undefined || home === undefined) {
      counts.lost++;
      continue;
    }
    const unavoidable = cuts.between(flow.source, flow.destination);
    for (const element of new Set([...forth, ...home])) {
      counts.failures++;
      if (unavoidable.has(element)) continue;
      counts.avoidable++;
      const ends = trial();
      ends.receiver.onData(first, false);
      ends.sender.onAck({ selector: answer, echo: first.selector });
      // A failure on both paths occurs either before the segment passes it, or between the segment and the answer.
      const arrived = !forth.has(element) || (home.has(element) && coin.int(2) === 1);
      if (arrived) ends.receiver.onData({ selector: first.selector, echo: answer }, false);
      const sent = ends.sender.onTimeout(1);
      const through = (of: HostFlow, selector: number) => pathOf(of, selector)?.has(element) === false;
      const answered: number[] = [];
      let known = arrived;
      for (const selector of sent) {
        if (!through(flow, selector)) continue;
        answered.push(...ends.receiver.onData({ selector, echo: answer }, known));
        known = true;
      }
      const left = answered.some((selector) => through(back, selector));
      if (left) counts.left++;
      onTry?.({ element, flow, sent, answered, left });
    }
  }
  return counts;
}

/** Switches and links that every path between two hosts crosses. */
class Cuts {
  readonly #search: DisjointPaths;
  readonly #known = new Map<string, ReadonlySet<number>>();

  constructor(readonly topology: Topology) {
    this.#search = new DisjointPaths(topology);
  }

  between(source: number, destination: number): ReadonlySet<number> {
    const { nodes, racks } = this.topology;
    const [from, to] = [nodes[source]!.host!.rack, nodes[destination]!.host!.rack];
    const key = `${from} ${to}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      const [one, other] = this.#search
        .between(racks[from]!.switches, racks[to]!.switches, 2)
        .map((path) => [
          ...path.nodes,
          ...path.ports.map((port, i) => ~nodes[path.nodes[i]!]!.ports[port - 1]!.link),
        ]);
      found = new Set(other === undefined ? (one ?? []) : one!.filter((element) => other.includes(element)));
      this.#known.set(key, found);
    }
    const own = [source, destination].flatMap((host) => {
      const { ports } = nodes[host]!;
      return ports.length === 1 ? [~ports[0]!.link] : [];
    });
    return own.length === 0 ? found : new Set([...found, ...own]);
  }
}

/** Switches and links of a path; links of hosts with one NIC are left out. */
function elementsOfPath(
  { nodes }: Topology,
  path: { readonly nodes: readonly number[]; readonly links: readonly number[] } | undefined,
): ReadonlySet<number> | undefined {
  if (path === undefined) return undefined;
  const isAlone = (node: number) => nodes[node]!.role === "host" && nodes[node]!.ports.length === 1;
  const links = path.links.filter((_, i) => !isAlone(path.nodes[i]!) && !isAlone(path.nodes[i + 1]!));
  return new Set([
    ...path.nodes.filter((node) => nodes[node]!.role !== "host"),
    ...links.map((link) => ~(link >> 1)),
  ]);
}

function reversed(flow: HostFlow): HostFlow {
  return {
    ...flow,
    source: flow.destination,
    destination: flow.source,
    sourcePort: flow.destinationPort,
    destinationPort: flow.sourcePort,
  };
}

function keyOf({ nodes }: Topology, flow: HostFlow): FlowKey {
  const family = flow.version === 4 ? "ipv4" : "ipv6";
  return {
    src: nodes[flow.source]!.host![family],
    dst: nodes[flow.destination]!.host![family],
    protocol: flow.protocol,
    srcPort: flow.sourcePort,
    dstPort: flow.destinationPort,
  };
}
