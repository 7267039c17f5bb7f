/**
 * Finds equivalent parts of a network: a result for one of them holds for the others.
 *
 * Two racks are of one class when their switches have the same roles and the same neighbours
 * (without hosts). Exchanging the two racks maps the graph of switches onto itself and does not move any other switch.
 * So distances, routes and numbers of paths are the same to both racks. The racks of a pod without missing links are
 * one class, and the work on a fabric grows with the number of its pods instead of its racks.
 */
import { SequenceIndex } from "../../base/index.js";
import { nodeAt, type Port, type Role, type Topology, type TopologyNode, tierOf } from "./topology.js";

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
  const kinds = new SequenceIndex();
  /** Equal for switches with the same role and neighbours. */
  const kindOf = (index: number): number => {
    const { role, ports } = nodes[index]!;
    const peers: number[] = [];
    for (const { peer, link } of ports)
      if (nodes[peer]!.role !== "host" && down?.has(link) !== true) peers.push(peer);
    return kinds.indexOf([ROLE_NUMBERS[role], ...sorted(peers)]);
  };
  const classOf = new Int32Array(racks.length);
  const representatives: number[] = [];
  const keys = new SequenceIndex();
  const classes = new Map<number, number>();
  const switches = racks.map((rack) => {
    const own = rack.switches.map((node) => ({ node, kind: kindOf(node) }));
    own.sort((a, b) => a.kind - b.kind || a.node - b.node);
    // A switch of two racks would have to be exchanged with two others: each such rack is a class of its own.
    const isAlone = rack.switches.some((node) => rackCount.get(node)! > 1);
    const key = keys.indexOf(isAlone ? [-1, rack.index] : own.map(({ kind }) => kind));
    let index = classes.get(key);
    if (index === undefined) classes.set(key, (index = representatives.push(rack.index) - 1));
    classOf[rack.index] = index;
    return own.map(({ node }) => node);
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
  const kinds = new SequenceIndex();
  const counts: number[] = [];
  const typical = new Set<number>();
  for (const { index, racks: own } of pods) {
    const isTiered = own.every((rack) => racks[rack]!.switches.every((node) => nodes[node]!.pod === index));
    const key: number[] = [];
    if (isTiered) for (const node of switchesOf[index]!) addWiring(key, topology, node);
    else key.push(-1, index);
    const kind = kinds.indexOf(key);
    const count = (counts[kind] ?? 0) + 1;
    counts[kind] = count;
    if (count <= 2) typical.add(index);
  }
  return typical;
}

/** Two pods that can be exchanged: the switches at the same index correspond, and no other switch moves. */
interface PodTwin {
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
  const kinds = new SequenceIndex();
  const firsts: number[] = [];
  return pods.map(({ index, racks: own }) => {
    const isClosed = own.every((rack) => {
      const { switches } = racks[rack]!;
      const representative = racks[representatives[classOf[rack]!]!]!;
      return representative.pod === index && switches.every((node) => nodes[node]!.pod === index);
    });
    if (!isClosed) return undefined;
    const key: number[] = [];
    for (const rack of own) {
      const { switches } = racks[rack]!;
      key.push(switches.length);
      for (const node of switches) key.push(placeOf(nodes[node]!));
    }
    for (const node of switchesOf[index]!) addWiring(key, topology, nodes[node]!, isUpSwitch);
    const kind = kinds.indexOf(key);
    const first = firsts[kind];
    if (first === undefined) {
      firsts[kind] = index;
      return undefined;
    }
    return { first, firstSwitches: switchesOf[first]!, switches: switchesOf[index]! };
  });
}

/** Whether a port leads to a switch over a link that is up. */
function isUpSwitch({ nodes, down }: Topology, { peer, link }: Port): boolean {
  return nodes[peer]!.role !== "host" && down?.has(link) !== true;
}

/** Adds a switch and its neighbours to a key: those in its pod by role and position, others by their index. */
function addWiring(
  key: number[],
  topology: Topology,
  node: TopologyNode,
  counts?: (topology: Topology, port: Port) => boolean,
): void {
  const peers: number[] = [];
  for (const port of node.ports) {
    if (counts?.(topology, port) === false) continue;
    const other = nodeAt(topology, port.peer);
    peers.push(other.pod === node.pod ? placeOf(other) - OUTSIDE : port.peer);
  }
  key.push(placeOf(node), tierOf(node), peers.length);
  for (const peer of sorted(peers)) key.push(peer);
}

const ROLE_NUMBERS: Readonly<Record<Role, number>> = { host: 0, tor: 1, leaf: 2, spine: 3, switch: 4 };

/** Greater than any value of {@link placeOf}. */
const OUTSIDE = 2 ** 30;

/** Role and position of a node in its pod, as one number. */
function placeOf({ role, position }: TopologyNode): number {
  return ROLE_NUMBERS[role] + 8 * position;
}

/** Sorted. Most lists are in this order already. */
function sorted(list: number[]): number[] {
  for (let i = 1; i < list.length; i++) if (list[i]! < list[i - 1]!) return list.sort((a, b) => a - b);
  return list;
}
