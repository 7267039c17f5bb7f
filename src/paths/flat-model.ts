/** A path model in flat typed arrays: numbers of ports, choices and slots instead of objects. */
import type { Topology } from "../topology/index.js";
import { directedLink } from "./flows.js";
import type { PathModel, SwitchModel } from "./model.js";

export interface FlatModel {
  readonly racks: number;
  /** By node: number of its port 1; ports of all nodes are numbered one after the other. */
  readonly firstPort: Int32Array;
  /** By port: the directed link that leads out of it, the node at the other end, and the number of the port there. */
  readonly link: Int32Array;
  readonly peer: Int32Array;
  readonly peerPort: Int32Array;
  /** By port: class of a packet that comes in by it. */
  readonly portClass: Int32Array;
  /** By node: its model; undefined for hosts. */
  readonly switches: readonly (SwitchModel | undefined)[];
  /** By node: number of its first choice. */
  readonly firstChoice: Int32Array;
  /** By choice: hash (-1: there is one slot only), seed, first row, number of rows, slice of the selector. */
  readonly hash: Int32Array;
  readonly seed: Float64Array;
  readonly firstRow: Int32Array;
  readonly rows: Int32Array;
  readonly sliceLow: Uint8Array;
  readonly sliceMask: Float64Array;
  /** By row: first slot, number of slots; a slot is the number of a port. */
  readonly firstSlot: Int32Array;
  readonly slots: Int32Array;
  readonly portOfSlot: Int32Array;
}

export function flatten(topology: Topology, { switches }: PathModel): FlatModel {
  const { nodes } = topology;
  const firstPort = new Int32Array(nodes.length + 1);
  for (const { index, ports } of nodes) firstPort[index + 1] = firstPort[index]! + ports.length;
  const ports = firstPort[nodes.length]!;
  const link = new Int32Array(ports);
  const peer = new Int32Array(ports);
  const peerPort = new Int32Array(ports);
  for (const node of nodes)
    for (const port of node.ports) {
      const at = firstPort[node.index]! + port.number - 1;
      link[at] = directedLink(topology, node.index, port.number);
      peer[at] = port.peer;
      peerPort[at] = port.peerPort;
    }
  const portClass = new Int32Array(ports);
  const byNode: (SwitchModel | undefined)[] = nodes.map(() => undefined);
  const firstChoice = new Int32Array(nodes.length);
  const choices = switches.flatMap((own) => own.choices.map((choice) => ({ choice, node: own.node })));
  let next = 0;
  for (const own of switches) {
    byNode[own.node] = own;
    firstChoice[own.node] = next;
    next += own.choices.length;
    for (const { number } of nodes[own.node]!.ports)
      portClass[firstPort[own.node]! + number - 1] = own.portClass?.[number] ?? 0;
  }
  const rowLists = choices.flatMap(({ choice, node }) => choice.rows.map((row) => ({ row, node })));
  const firstSlot = new Int32Array(rowLists.length);
  const slots = Int32Array.from(rowLists, ({ row }) => row.length);
  const portOfSlot = new Int32Array(slots.reduce((sum, count) => sum + count, 0));
  let slot = 0;
  for (const [i, { row, node }] of rowLists.entries()) {
    firstSlot[i] = slot;
    for (let k = 0; k < row.length; k++) portOfSlot[slot++] = firstPort[node]! + row[k]! - 1;
  }
  const rows = Int32Array.from(choices, ({ choice }) => choice.rows.length);
  const firstRow = new Int32Array(choices.length);
  for (let i = 1; i < choices.length; i++) firstRow[i] = firstRow[i - 1]! + rows[i - 1]!;
  const alone = (row: ArrayLike<number>) => row.length === 1;
  return {
    racks: topology.racks.length,
    firstPort,
    link,
    peer,
    peerPort,
    portClass,
    switches: byNode,
    firstChoice,
    hash: Int32Array.from(choices, ({ choice }) => (choice.rows.every(alone) ? -1 : choice.hash)),
    seed: Float64Array.from(choices, ({ choice }) => choice.seed),
    firstRow,
    rows,
    sliceLow: Uint8Array.from(choices, ({ choice }) => choice.slice?.low ?? 0),
    sliceMask: Float64Array.from(choices, ({ choice }) => 2 ** (choice.slice?.width ?? 0)),
    firstSlot,
    slots,
    portOfSlot,
  };
}
