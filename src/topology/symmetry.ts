/**
 * Finds equivalent parts of a network: a result for one of them holds for the others.
 *
 * Two racks are of one class when their switches have the same roles and the same neighbours
 * (without hosts). Exchanging the two racks maps the graph of switches onto itself and does not move any other switch.
 * So distances, routes and numbers of paths are the same to both racks. The racks of a pod without missing links are
 * one class, and the work on a fabric grows with the number of its pods instead of its racks.
 */
import { type Port, type Topology, type TopologyNode, tierOf } from "./topology.js";

export interface RackClasses {
  /** Class by rack; classes are numbered by their first rack. */
  readonly classOf: Int32Array;
  /** First rack of each class. */
  readonly representatives: readonly number[];
  /** Switches by rack. For two racks of a class, the switches at the same index correspond. */
  readonly switches: readonly (readonly number[])[];
}

export function rackClasses(topology: Topology): RackClasses {
  const { nodes, racks, down } = topology;
  const rackCount = new Map<number, number>();
  for (const rack of racks)
    for (const node of rack.switches) rackCount.set(node, (rackCount.get(node) ?? 0) + 1);
  const switchKey = (index: number): string => {
    const { role, ports } = nodes[index]!;
    const usable = down === undefined ? ports : ports.filter(({ link }) => !down.has(link));
    const peers = usable.map(({ peer }) => peer).filter((peer) => nodes[peer]!.role !== "host");
    return `${role} ${peers.sort((a, b) => a - b).join(" ")}`;
  };
  const classOf = new Int32Array(racks.length);
  const representatives: number[] = [];
  const classes = new Map<string, number>();
  const switches = racks.map((rack) => {
    const keyed = rack.switches.map((node) => ({ node, key: switchKey(node) }));
    keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.node - b.node));
    // A switch of two racks would have to be exchanged with two others: each such rack is a class of its own.
    const isAlone = rack.switches.some((node) => rackCount.get(node)! > 1);
    const key = isAlone ? `alone ${rack.index}` : keyed.map((own) => own.key).join("\n");
    let index = classes.get(key);
    if (index === undefined) {
      index = representatives.push(rack.index) - 1;
      classes.set(key, index);
    }
    classOf[rack.index] = index;
    return keyed.map(({ node }) => node);
  });
  return { classOf, representatives, switches };
}

/**
 * Representative pods: any two racks of the network are connected as some two racks of these pods are. Pods with the same
 * wiring inside and the same neighbours outside can be exchanged, so two pods of each kind are enough. Links that are down
 * count as links here.
 */
export function typicalPods(topology: Topology): Set<number> {
  const { nodes, pods, racks } = topology;
  const switchesOf = pods.map((): TopologyNode[] => []);
  for (const node of nodes)
    if (node.pod !== undefined && node.role !== "host") switchesOf[node.pod]?.push(node);
  const counts = new Map<string, number>();
  const typical = new Set<number>();
  for (const { index, racks: own } of pods) {
    const isTiered = own.every((rack) => racks[rack]!.switches.every((node) => nodes[node]!.pod === index));
    const key = isTiered ? switchesOf[index]!.map((node) => wiringOf(topology, node)).join("\n") : `${index}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count <= 2) typical.add(index);
  }
  return typical;
}

/** Two pods that can be exchanged: the switches at the same index correspond, and no other switch moves. */
export interface PodTwin {
  /** The first pod of its kind. */
  readonly first: number;
  readonly firstSwitches: readonly number[];
  readonly switches: readonly number[];
}

/**
 * By pod: the first pod with the same wiring inside and the same neighbours outside, if that is another one. Links that are
 * down are no links here. Racks of twins correspond by their order, and so do the classes of {@link rackClasses}, none of
 * which reaches into another pod.
 */
export function podTwins(
  topology: Topology,
  { classOf, representatives }: RackClasses,
): (PodTwin | undefined)[] {
  const { nodes, pods, racks } = topology;
  const switchesOf = pods.map((): number[] => []);
  for (const { index, pod, role } of nodes)
    if (pod !== undefined && role !== "host") switchesOf[pod]?.push(index);
  const firsts = new Map<string, number>();
  return pods.map(({ index, racks: own }) => {
    const isClosed = own.every((rack) => {
      const { switches } = racks[rack]!;
      const representative = racks[representatives[classOf[rack]!]!]!;
      return representative.pod === index && switches.every((node) => nodes[node]!.pod === index);
    });
    if (!isClosed) return undefined;
    const hosted = own.map((rack) => racks[rack]!.switches.map((node) => placeOf(nodes[node]!)).join(" "));
    const wiring = switchesOf[index]!.map((node) => wiringOf(topology, nodes[node]!, isUpSwitch));
    const key = [...hosted, ...wiring].join("\n");
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, index);
      return undefined;
    }
    return { first, firstSwitches: switchesOf[first]!, switches: switchesOf[index]! };
  });
}

/** Whether a port leads to a switch over a link that is up. */
function isUpSwitch({ nodes, down }: Topology, { peer, link }: Port): boolean {
  return nodes[peer]!.role !== "host" && down?.has(link) !== true;
}

/** A switch and its neighbours: those in its pod by role and position, others by their index. */
function wiringOf(
  topology: Topology,
  node: TopologyNode,
  counts: (topology: Topology, port: Port) => boolean = () => true,
): string {
  const peers: string[] = [];
  for (const port of node.ports) {
    if (!counts(topology, port)) continue;
    const other = topology.nodes[port.peer]!;
    peers.push(other.pod === node.pod ? placeOf(other) : `${port.peer}`);
  }
  return `${placeOf(node)} ${tierOf(node)}: ${peers.sort().join(" ")}`;
}

/** Role and position of a node in its pod. */
function placeOf({ role, position }: TopologyNode): string {
  return `${role}${position}`;
}
