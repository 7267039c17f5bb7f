/** Follows flows through a fabric, switch by switch, as the programs would forward their packets. */
import { fail } from "../../base/index.js";
import type { Topology } from "../topology/index.js";
import { CODES } from "./codes.js";
import { CHOICE, type FlatModel, flatten, PORT, ROW } from "./flat-model.js";
import { FlowHashes, HostAddresses } from "./flow-hashes.js";
import { type FlowColumns, MAX_LINKS, type PathSource } from "./flows.js";
import { LOCAL, type PathModel } from "./model.js";

interface Hashes {
  readonly of: FlowHashes;
  /** By choice: bits that the seed flips, and whether flipping bits is its only effect. */
  readonly flips: Int32Array;
  readonly flipped: Uint8Array;
}

/** Traces the paths of any number of batches of flows. The tables of the hash functions are computed once. */
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
    return new TracedFlows(this.flat, this.#hashesOf(flows.version), rack, flows);
  }

  #hashesOf(version: 4 | 6): Hashes {
    let hashes = this.#hashes.get(version);
    if (hashes === undefined) {
      const of = new FlowHashes(this.model.hashes, new HostAddresses(this.topology, version));
      const { seed, choices } = this.flat;
      const flips = new Int32Array(seed.length);
      const flipped = new Uint8Array(seed.length);
      const known = new Map<string, number | undefined>();
      for (let choice = 0; choice < seed.length; choice++) {
        const hash = choices[CHOICE.size * choice + CHOICE.hash]!;
        const key = `${hash} ${seed[choice]}`;
        if (!known.has(key)) known.set(key, of.flips(hash, seed[choice]!));
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

/** The paths of a batch, and the lanes that they took. */
class TracedFlows implements PathSource {
  /** The lanes that the last flow took in groups of several slots, in their order. */
  readonly taken = new Int32Array(MAX_LINKS);
  takenCount = 0;
  /** By word of hashes: the flow for which the value is cached, and the value. */
  readonly #known: Int32Array;
  readonly #values: Int32Array;

  constructor(
    readonly flat: FlatModel,
    readonly hashes: Hashes,
    readonly rack: Int32Array,
    readonly flows: FlowColumns,
  ) {
    const { words } = hashes.of;
    this.#known = new Int32Array(words).fill(-1);
    this.#values = new Int32Array(words);
  }

  linksOf(flow: number, out: Int32Array): number {
    const { flows, rack } = this;
    const { ports, next, sources, firstPort } = this.flat;
    const source = flows.source[flow]!;
    const destination = flows.destination[flow]!;
    const from = rack[source]!;
    const to = rack[destination]!;
    let port = firstPort[source]! + (flows.nic === undefined ? 0 : flows.nic[flow]!);
    let count = 0;
    this.takenCount = 0;
    for (;;) {
      const at = PORT.size * port;
      out[count++] = ports[at + PORT.link]!;
      const node = ports[at + PORT.peer]!;
      if (node === destination) return count;
      const table = ports[at + PORT.table]!;
      if (count === MAX_LINKS || table < 0) return -1;
      const offsets = ports[at + PORT.sources]!;
      const choice = next[table + (offsets < 0 ? 0 : sources[offsets + from]!) + to]!;
      if (choice >= 0) port = this.#choose(flow, choice);
      else if (choice === LOCAL) port = this.#toHost(node, destination);
      else return -1;
      if (port < 0) return -1;
    }
  }

  #choose(flow: number, choice: number): number {
    const { choices, rows, laneOfSlot, portOfLane } = this.flat;
    const at = CHOICE.size * choice;
    let row = choices[at + CHOICE.firstRow]!;
    const count = choices[at + CHOICE.rows]!;
    if (count > 1) {
      const { selector } = this.flows;
      const value = selector === undefined ? 0 : selector[flow]! >>> choices[at + CHOICE.sliceLow]!;
      row += ((value & choices[at + CHOICE.sliceMask]!) >>> 0) % count;
    }
    const first = rows[ROW.size * row + ROW.first]!;
    const slots = rows[ROW.size * row + ROW.slots]!;
    const firstLane = choices[at + CHOICE.firstLane]!;
    if (slots === 1) return portOfLane[firstLane + laneOfSlot[first]!]!;
    const hash = this.#hash(flow, choice, choices[at + CHOICE.hash]!);
    const lane = firstLane + laneOfSlot[first + modulo(hash, slots)]!;
    this.taken[this.takenCount++] = lane;
    return portOfLane[lane]!;
  }

  #hash(flow: number, choice: number, hash: number): number {
    const { hashes, flows } = this;
    const { of } = hashes;
    if (hashes.flipped[choice] === 0) return of.whole(hash, flows, flow, this.flat.seed[choice]!);
    const word = of.wordOf[hash]!;
    if (this.#known[word] !== flow) {
      this.#known[word] = flow;
      this.#values[word] = of.word(word, flows, flow);
    }
    return ((this.#values[word]! >>> of.shiftOf[hash]!) & of.maskOf[hash]!) ^ hashes.flips[choice]!;
  }

  /** The first port of a switch that leads to one of its hosts. */
  #toHost(node: number, host: number): number {
    const { firstPort, ports, toHost } = this.flat;
    for (let port = firstPort[host]!; port < firstPort[host + 1]!; port++)
      if (ports[PORT.size * port + PORT.peer] === node && toHost[port]! >= 0) return toHost[port]!;
    return -1;
  }
}

/** An int32 as an unsigned number, modulo a small number: the division of two integers is much faster than that of two doubles. */
function modulo(value: number, size: number): number {
  if ((size & (size - 1)) === 0) return value & (size - 1);
  return ((((value >>> 1) % size) << 1) + (value & 1)) % size;
}
