/**
 * The hashes of flows by tables. An affine hash is the XOR of what each byte of its input adds, so each host and each byte of a
 * port has a word in a table, and the seed of a switch flips constant bits. Other hashes are computed from their bytes.
 */
import type { Topology } from "../topology/index.js";
import type { FlowColumns } from "./flows.js";
import type { HashModel } from "./model.js";
import { addressWords, HashOfFlow, type RawFlow, rawFlow } from "./raw-flow.js";

/** Addresses of all hosts of a topology. */
export class HostAddresses {
  /** Index among the hosts by node index; -1 for switches. */
  readonly ordinal: Int32Array;
  /** Four words by index among the hosts. */
  readonly words: readonly Uint32Array[];

  constructor(topology: Topology, version: 4 | 6) {
    this.ordinal = new Int32Array(topology.nodes.length).fill(-1);
    const words: Uint32Array[] = [];
    for (const { index, host } of topology.nodes) {
      if (host === undefined) continue;
      this.ordinal[index] = words.length;
      words.push(addressWords(version === 4 ? host.ipv4 : host.ipv6));
    }
    this.words = words;
  }
}

/** One hash function over the flows of a topology. */
export interface FlowHash {
  /** Bits that a seed flips in every value; undefined: the seed is part of the input of {@link of}. */
  flips(seed: number): number | undefined;
  /** The value of a flow as an int32. A hash with flips has the value for seed 0. */
  of(flows: FlowColumns, flow: number, seed: number): number;
}

export function flowHash(model: HashModel, addresses: HostAddresses): FlowHash {
  return model.affine ? new AffineHash(model, addresses) : new BytesHash(model, addresses);
}

type ShortField = "protocol" | "sourcePort" | "destinationPort" | "selector";

/** Fields other than addresses byte by byte: the name, and how far the byte is shifted. In the order of the tables. */
const SHORT_BYTES: readonly (readonly [ShortField, number])[] = [
  ["protocol", 0],
  ["sourcePort", 8],
  ["sourcePort", 0],
  ["destinationPort", 8],
  ["destinationPort", 0],
  ["selector", 24],
  ["selector", 16],
  ["selector", 8],
  ["selector", 0],
];

class AffineHash implements FlowHash {
  readonly #src: Int32Array;
  readonly #dst: Int32Array;
  readonly #short: Int32Array;
  readonly #ordinal: Int32Array;
  readonly #hash: HashOfFlow;
  readonly #zero: number;

  constructor(model: HashModel, { words, ordinal }: HostAddresses) {
    this.#hash = new HashOfFlow(model);
    this.#zero = this.#hash.of(rawFlow()) | 0;
    this.#src = this.#ofHosts("src", words);
    this.#dst = this.#ofHosts("dst", words);
    for (let i = 0; i < this.#src.length; i++) this.#src[i]! ^= this.#zero;
    this.#short = this.#table(SHORT_BYTES.length, (flow, byte, value) => {
      const [field, shift] = SHORT_BYTES[byte]!;
      flow[field] = (value << shift) >>> 0;
    });
    this.#ordinal = ordinal;
  }

  /** For each of `bytes` bytes and each of their values: what it adds to the hash. `set` writes one byte into a flow of zeros. */
  #table(bytes: number, set: (flow: RawFlow, byte: number, value: number) => void): Int32Array {
    const table = new Int32Array(256 * bytes);
    for (let byte = 0; byte < bytes; byte++) {
      // The single bits by the hash itself, their sums by XOR.
      for (let bit = 1; bit < 256; bit *= 2) {
        const flow = rawFlow();
        set(flow, byte, bit);
        const added = this.#hash.of(flow) ^ this.#zero;
        for (let value = 0; value < bit; value++)
          table[256 * byte + bit + value] = table[256 * byte + value]! ^ added;
      }
    }
    return table;
  }

  #ofHosts(field: "src" | "dst", words: readonly Uint32Array[]): Int32Array {
    const table = this.#table(16, (flow, byte, value) => {
      flow[field][byte >> 2] = (value << (24 - 8 * (byte & 3))) >>> 0;
    });
    return Int32Array.from(words, (address) => {
      let sum = 0;
      for (let byte = 0; byte < 16; byte++)
        sum ^= table[256 * byte + ((address[byte >> 2]! >>> (24 - 8 * (byte & 3))) & 255)]!;
      return sum;
    });
  }

  flips(seed: number): number {
    return this.#hash.of({ ...rawFlow(), seed }) ^ this.#zero;
  }

  of(
    { source, destination, protocol, sourcePort, destinationPort, selector }: FlowColumns,
    flow: number,
  ): number {
    const short = this.#short;
    const ordinal = this.#ordinal;
    const from = sourcePort[flow]!;
    const to = destinationPort[flow]!;
    const value =
      this.#src[ordinal[source[flow]!]!]! ^
      this.#dst[ordinal[destination[flow]!]!]! ^
      short[protocol[flow]!]! ^
      short[256 + (from >>> 8)]! ^
      short[512 + (from & 255)]! ^
      short[768 + (to >>> 8)]! ^
      short[1024 + (to & 255)]!;
    if (selector === undefined) return value;
    const own = selector[flow]!;
    return (
      value ^
      short[1280 + (own >>> 24)]! ^
      short[1536 + ((own >>> 16) & 255)]! ^
      short[1792 + ((own >>> 8) & 255)]! ^
      short[2048 + (own & 255)]!
    );
  }
}

class BytesHash implements FlowHash {
  readonly #raw = rawFlow();
  readonly #hash: HashOfFlow;

  constructor(
    model: HashModel,
    readonly addresses: HostAddresses,
  ) {
    this.#hash = new HashOfFlow(model);
  }

  flips(): undefined {
    return undefined;
  }

  of(flows: FlowColumns, flow: number, seed: number): number {
    const { words, ordinal } = this.addresses;
    const raw = this.#raw;
    raw.src.set(words[ordinal[flows.source[flow]!]!]!);
    raw.dst.set(words[ordinal[flows.destination[flow]!]!]!);
    raw.protocol = flows.protocol[flow]!;
    raw.sourcePort = flows.sourcePort[flow]!;
    raw.destinationPort = flows.destinationPort[flow]!;
    raw.selector = flows.selector?.[flow] ?? 0;
    raw.seed = seed;
    return this.#hash.of(raw) | 0;
  }
}
