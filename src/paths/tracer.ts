/** Follows flows through a fabric, switch by switch, as the programs would forward their packets. */
import { fail } from "../base/index.js";
import type { Topology } from "../topology/index.js";
import { CODES } from "./codes.js";
import { type FlatModel, flatten } from "./flat-model.js";
import { type FlowHash, flowHash, HostAddresses } from "./flow-hashes.js";
import { type FlowColumns, MAX_LINKS, type PathSource } from "./flows.js";
import { LOCAL, type PathModel } from "./model.js";

interface Hashes {
  readonly of: readonly FlowHash[];
  /** By choice: bits that the seed flips, and whether it does no more than that. */
  readonly flips: Int32Array;
  readonly flipped: Uint8Array;
}

/** Paths of any number of batches of flows. The tables of the hash functions are made once. */
export class FlowTracer {
  /** @internal */
  readonly flat: FlatModel;
  readonly #hashes = new Map<4 | 6, Hashes>();
  /** Rack by node index of a host. */
  readonly #rack: Int32Array;

  constructor(
    readonly topology: Topology,
    readonly model: PathModel,
  ) {
    this.flat = flatten(topology, model);
    this.#rack = Int32Array.from(topology.nodes, ({ host }) => host?.rack ?? -1);
  }

  /** The paths of a batch. Throws DiagnosticError P45200 for a row that names no host. */
  of(flows: FlowColumns): TracedFlows {
    const rack = this.#rack;
    for (const column of [flows.source, flows.destination])
      for (let flow = 0; flow < flows.size; flow++)
        if ((rack[column[flow]!] ?? -1) < 0)
          fail(CODES.columns, undefined, `flow ${flow}: node ${column[flow]} is no host`);
    return new TracedFlows(this.topology, this.flat, this.#hashesOf(flows.version), rack, flows);
  }

  #hashesOf(version: 4 | 6): Hashes {
    let hashes = this.#hashes.get(version);
    if (hashes === undefined) {
      const addresses = new HostAddresses(this.topology, version);
      const of = this.model.hashes.map((model) => flowHash(model, addresses));
      const flat = this.flat;
      const flips = new Int32Array(flat.hash.length);
      const flipped = new Uint8Array(flat.hash.length);
      const known = new Map<string, number | undefined>();
      for (const [choice, hash] of flat.hash.entries()) {
        if (hash < 0) continue;
        const seed = flat.seed[choice]!;
        const key = `${hash} ${seed}`;
        if (!known.has(key)) known.set(key, of[hash]!.flips(seed));
        const bits = known.get(key);
        flips[choice] = bits ?? 0;
        flipped[choice] = bits === undefined ? 0 : 1;
      }
      hashes = { of, flips, flipped };
      this.#hashes.set(version, hashes);
    }
    return hashes;
  }
}

/** The paths of a batch, and the slots that they took. */
export class TracedFlows implements PathSource {
  /** Numbers of the slots that the last flow took in groups of several slots, in their order. */
  readonly taken = new Int32Array(MAX_LINKS);
  takenCount = 0;
  /** By hash: the flow whose value is known, and the value. */
  readonly #known: Int32Array;
  readonly #values: Int32Array;

  constructor(
    readonly topology: Topology,
    readonly flat: FlatModel,
    readonly hashes: Hashes,
    readonly rack: Int32Array,
    readonly flows: FlowColumns,
  ) {
    this.#known = new Int32Array(hashes.of.length).fill(-1);
    this.#values = new Int32Array(hashes.of.length);
  }

  linksOf(flow: number, out: Int32Array): number {
    const { flat, flows, rack } = this;
    const source = flows.source[flow]!;
    const destination = flows.destination[flow]!;
    const from = rack[source]!;
    const to = rack[destination]!;
    let port = flat.firstPort[source]! + (flows.nic === undefined ? 0 : flows.nic[flow]!);
    let count = 0;
    this.takenCount = 0;
    for (;;) {
      out[count++] = flat.link[port]!;
      const node = flat.peer[port]!;
      if (node === destination) return count;
      if (count === MAX_LINKS) return -1;
      const own = flat.switches[node];
      if (own === undefined) return -1;
      const ingress = flat.firstPort[node]! + flat.peerPort[port]! - 1;
      const { sourceClass } = own;
      const kind = flat.portClass[ingress]! + (sourceClass === undefined ? 0 : sourceClass[from]!);
      const next = own.next[kind * flat.racks + to]!;
      if (next >= 0) port = this.#choose(flow, flat.firstChoice[node]! + next);
      else if (next === LOCAL) port = this.#toHost(node, destination);
      else return -1;
      if (port < 0) return -1;
    }
  }

  #choose(flow: number, choice: number): number {
    const { flat, flows } = this;
    let row = flat.firstRow[choice]!;
    const rows = flat.rows[choice]!;
    if (rows > 1) {
      const selector = flows.selector === undefined ? 0 : flows.selector[flow]!;
      row += ((selector >>> flat.sliceLow[choice]!) % flat.sliceMask[choice]!) % rows;
    }
    const first = flat.firstSlot[row]!;
    const slots = flat.slots[row]!;
    if (slots === 1) return flat.portOfSlot[first]!;
    const slot = first + modulo(this.#hash(flow, choice), slots);
    this.taken[this.takenCount++] = slot;
    return flat.portOfSlot[slot]!;
  }

  #hash(flow: number, choice: number): number {
    const { flat, hashes, flows } = this;
    const hash = flat.hash[choice]!;
    if (hashes.flipped[choice] === 0) return hashes.of[hash]!.of(flows, flow, flat.seed[choice]!);
    if (this.#known[hash] !== flow) {
      this.#known[hash] = flow;
      this.#values[hash] = hashes.of[hash]!.of(flows, flow, 0);
    }
    return this.#values[hash]! ^ hashes.flips[choice]!;
  }

  /** The first port of a switch that leads to one of its hosts. */
  #toHost(node: number, host: number): number {
    const { flat, topology } = this;
    for (const { peer, peerPort, link } of topology.nodes[host]!.ports)
      if (peer === node && !topology.down?.has(link)) return flat.firstPort[node]! + peerPort - 1;
    return -1;
  }
}

/** An int32 as an unsigned number, modulo a small number: the division of two integers is much faster than that of two doubles. */
function modulo(value: number, size: number): number {
  if ((size & (size - 1)) === 0) return value & (size - 1);
  return ((((value >>> 1) % size) << 1) + (value & 1)) % size;
}
