/** A path model in flat typed arrays: numbers of ports, choices and lanes in place of objects; data that are read together are adjacent. */
import type { Topology } from "../topology/index.js";
import { directedLink } from "./flows.js";
import type { PathModel, PortChoice, SwitchModel } from "./model.js";

/** Fields of a port in {@link FlatModel.ports}. */
export const PORT = { link: 0, peer: 1, table: 2, sources: 3, size: 4 } as const;
/** Fields of a choice in {@link FlatModel.choices}. */
export const CHOICE = {
  hash: 0,
  firstRow: 1,
  rows: 2,
  firstLane: 3,
  sliceLow: 4,
  sliceMask: 5,
  size: 6,
} as const;
/** Fields of a row in {@link FlatModel.rows}. */
export const ROW = { first: 0, slots: 1, size: 2 } as const;

export interface FlatModel {
  readonly racks: number;
  /** By node: number of its port 1; ports of all nodes are numbered one after the other. */
  readonly firstPort: Int32Array;
  /**
   * By port: its directed link; the node at the other end; where the table of that node for the class of that end
   * begins in `next`, -1 at a host; where the offsets of that node by rack of the source begin in `sources`, -1 if there are none.
   */
  readonly ports: Int32Array;
  /** By port of a host: the port at the other end; -1 where the link is down, and for switches. */
  readonly toHost: Int32Array;
  /** By table start plus offset of the source plus rack of the destination: number of a choice, or a negative value of the model. */
  readonly next: Int32Array;
  readonly sources: Int32Array;
  /** By switch of the model: number of its first choice. */
  readonly firstChoice: Int32Array;
  /** By choice: hash (without meaning where there is one slot only), first row and number of rows, first lane, slice of the selector. */
  readonly choices: Int32Array;
  /** By choice: the seed, an unsigned number of 32 bits. */
  readonly seed: Float64Array;
  /** By row: where its slots begin in `laneOfSlot`, and their number. Equal rows share them. */
  readonly rows: Int32Array;
  /** By slot: the lane, counted from the first one of the choice. */
  readonly laneOfSlot: Uint16Array;
  /** By lane, which is a port of a choice: number of the port. */
  readonly portOfLane: Int32Array;
}

export function flatten(topology: Topology, { switches }: PathModel): FlatModel {
  const { nodes } = topology;
  const firstPort = new Int32Array(nodes.length + 1);
  for (const { index, ports } of nodes) firstPort[index + 1] = firstPort[index]! + ports.length;
  const firstChoice = new Int32Array(switches.length + 1);
  for (const [i, { choices }] of switches.entries()) firstChoice[i + 1] = firstChoice[i]! + choices.length;
  const tables = flatTables(topology, switches, firstChoice);
  return {
    racks: topology.racks.length,
    firstPort,
    ...flatPorts(topology, firstPort, tables),
    next: tables.next,
    sources: tables.sources,
    firstChoice,
    ...flatChoices(
      switches.flatMap(({ node, choices }) =>
        choices.map((choice) => ({ choice, port: firstPort[node]! - 1 })),
      ),
    ),
  };
}

interface FlatTables {
  readonly next: Int32Array;
  readonly sources: Int32Array;
  /** By node: where it begins in `next` and in `sources`, -1: nowhere; the class by number of the ingress port. */
  readonly table: Int32Array;
  readonly source: Int32Array;
  readonly portClass: readonly (ArrayLike<number> | undefined)[];
}

function flatTables(
  { nodes, racks }: Topology,
  switches: readonly SwitchModel[],
  firstChoice: Int32Array,
): FlatTables {
  const next = new Int32Array(switches.reduce((sum, own) => sum + own.next.length, 0));
  const sources: number[] = [];
  const table = new Int32Array(nodes.length).fill(-1);
  const source = new Int32Array(nodes.length).fill(-1);
  const portClass: (ArrayLike<number> | undefined)[] = nodes.map(() => undefined);
  let at = 0;
  for (const [i, own] of switches.entries()) {
    table[own.node] = at;
    portClass[own.node] = own.portClass;
    for (const choice of own.next) next[at++] = choice < 0 ? choice : choice + firstChoice[i]!;
    if (own.sourceClass === undefined) continue;
    source[own.node] = sources.length;
    for (let rack = 0; rack < racks.length; rack++) sources.push(own.sourceClass[rack]! * racks.length);
  }
  return { next, sources: Int32Array.from(sources), table, source, portClass };
}

function flatPorts(topology: Topology, firstPort: Int32Array, { table, source, portClass }: FlatTables) {
  const { nodes, racks, down } = topology;
  const count = firstPort[nodes.length]!;
  const ports = new Int32Array(PORT.size * count);
  const toHost = new Int32Array(count).fill(-1);
  for (const node of nodes)
    for (const { number, peer, peerPort, link } of node.ports) {
      const port = firstPort[node.index]! + number - 1;
      const at = PORT.size * port;
      ports[at + PORT.link] = directedLink(topology, node.index, number);
      ports[at + PORT.peer] = peer;
      ports[at + PORT.table] =
        table[peer]! < 0 ? -1 : table[peer]! + (portClass[peer]?.[peerPort] ?? 0) * racks.length;
      ports[at + PORT.sources] = source[peer]!;
      if (node.host !== undefined && !down?.has(link)) toHost[port] = firstPort[peer]! + peerPort - 1;
    }
  return { ports, toHost };
}

/** `port`: number of the port before port 1 of the choice's switch. */
function flatChoices(list: readonly { readonly choice: PortChoice; readonly port: number }[]) {
  const choices = new Int32Array(CHOICE.size * list.length);
  const rows: number[] = [];
  const laneOfSlot: number[] = [];
  const portOfLane: number[] = [];
  const known = new Map<string, number>();
  for (const [i, { choice, port }] of list.entries()) {
    const at = CHOICE.size * i;
    const width = choice.slice?.width ?? 0;
    choices[at + CHOICE.hash] = choice.hash;
    choices[at + CHOICE.firstRow] = rows.length / ROW.size;
    choices[at + CHOICE.rows] = choice.rows.length;
    choices[at + CHOICE.firstLane] = portOfLane.length;
    choices[at + CHOICE.sliceLow] = choice.slice?.low ?? 0;
    choices[at + CHOICE.sliceMask] = 2 ** width - 1;
    const lanes = new Map(portsOfChoice(choice).map((own, lane) => [own, lane]));
    for (const own of lanes.keys()) portOfLane.push(port + own);
    for (const row of choice.rows) {
      const slots = Array.from(row, (own) => lanes.get(own)!);
      const key = slots.join(" ");
      let first = known.get(key);
      if (first === undefined) {
        first = laneOfSlot.length;
        for (const lane of slots) laneOfSlot.push(lane);
        known.set(key, first);
      }
      rows.push(first, slots.length);
    }
  }
  return {
    choices,
    seed: Float64Array.from(list, ({ choice }) => choice.seed),
    rows: Int32Array.from(rows),
    laneOfSlot: Uint16Array.from(laneOfSlot),
    portOfLane: Int32Array.from(portOfLane),
  };
}

/** The ports of a choice, each once: its lanes, in their order. */
export function portsOfChoice({ rows }: PortChoice): number[] {
  return [...new Set(rows.flatMap((row) => Array.from(row)))];
}
