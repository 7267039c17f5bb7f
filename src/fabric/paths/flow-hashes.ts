/**
 * Computes the hashes of flows with tables. An affine hash is the XOR of the contributions of all bytes of its input, so each host and each byte
 * of a port has a word in a table, and the seed of a switch flips constant bits. Other hashes are computed from their bytes.
 */
import type { Topology } from "../topology/index.js";
import type { FlowColumns } from "./flows.js";
import type { HashModel } from "./model.js";
import { addressWords, HashOfFlow, type RawFlow, rawFlow } from "./raw-flow.js";

/** Addresses of all hosts of a topology. */
export class HostAddresses {
  /** Index among the hosts by node index; without meaning for switches. */
  readonly ordinal: Int32Array;
  /** Four words by index among the hosts. */
  readonly words: readonly Uint32Array[];

  constructor(topology: Topology, version: 4 | 6) {
    this.ordinal = new Int32Array(topology.nodes.length);
    const words: Uint32Array[] = [];
    for (const { index, host } of topology.nodes) {
      if (host === undefined) continue;
      this.ordinal[index] = words.length;
      words.push(addressWords(version === 4 ? host.ipv4 : host.ipv6));
    }
    this.words = words;
  }
}

/**
 * The hash functions of a model over the flows of a topology. Affine functions of few bits share words of 32 bits, so that one XOR of
 * table entries gives the values of several functions.
 */
export class FlowHashes {
  /** Number of words. */
  readonly words: number;
  /** By hash: its word, and the position of its value in the word; -1: it is not affine. */
  readonly wordOf: Int32Array;
  readonly shiftOf: Uint8Array;
  readonly maskOf: Int32Array;
  readonly #affine: readonly (AffineHash | undefined)[];
  readonly #bytes: readonly (BytesHash | undefined)[];
  readonly #tables: readonly WordTables[];

  constructor(models: readonly HashModel[], addresses: HostAddresses) {
    this.wordOf = new Int32Array(models.length).fill(-1);
    this.shiftOf = new Uint8Array(models.length);
    this.maskOf = new Int32Array(models.length);
    const affine = models.map((model) => (model.affine ? new AffineHash(model, addresses) : undefined));
    const tables: WordTables[] = [];
    const used: number[] = [];
    for (const [hash, own] of affine.entries()) {
      if (own === undefined) continue;
      let word = used.findIndex((bits) => bits + own.width <= 32);
      if (word < 0) {
        word = used.push(0) - 1;
        tables.push(new WordTables(own, addresses));
      }
      this.wordOf[hash] = word;
      this.shiftOf[hash] = used[word]!;
      this.maskOf[hash] = 2 ** own.width - 1;
      tables[word]!.add(own, used[word]!);
      used[word]! += own.width;
    }
    this.words = tables.length;
    this.#affine = affine;
    this.#bytes = models.map((model) => (model.affine ? undefined : new BytesHash(model, addresses)));
    this.#tables = tables;
  }

  /** Bits that a seed flips in every value of a hash; undefined: the hash is not affine. */
  flips(hash: number, seed: number): number | undefined {
    return this.#affine[hash]?.flips(seed);
  }

  /** The values of all hashes of a word for one flow and seed 0. */
  word(word: number, flows: FlowColumns, flow: number): number {
    return this.#tables[word]!.of(flows, flow);
  }

  /** The value of a hash that is not affine, as an int32. */
  whole(hash: number, flows: FlowColumns, flow: number, seed: number): number {
    return this.#bytes[hash]!.of(flows, flow, seed);
  }
}

type ShortField = "protocol" | "sourcePort" | "destinationPort" | "selector";

/** Fields other than addresses, byte by byte: the name, and the shift of the byte. In the order of the tables. */
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

/** The contribution of each byte of the input to the value of one affine hash. */
class AffineHash {
  /** By host, and by byte and value of the other fields. */
  readonly src: Int32Array;
  readonly dst: Int32Array;
  readonly short: Int32Array;
  /** The value of a flow of zeros. */
  readonly zero: number;
  /** Bits of the value that can ever be 1 with seed 0, from the lowest up to the highest one. */
  readonly width: number;
  readonly #hash: HashOfFlow;

  constructor(model: HashModel, { words }: HostAddresses) {
    this.#hash = new HashOfFlow(model);
    this.zero = this.#hash.of(rawFlow()) | 0;
    this.src = this.#ofHosts("src", words);
    this.dst = this.#ofHosts("dst", words);
    this.short = this.#table(SHORT_BYTES.length, (flow, byte, value) => {
      const [field, shift] = SHORT_BYTES[byte]!;
      flow[field] = (value << shift) >>> 0;
    });
    let bits = this.zero;
    for (const table of [this.src, this.dst, this.short]) for (const value of table) bits |= value;
    this.width = 32 - Math.clz32(bits);
  }

  /** For each of `bytes` bytes and each of their values: the contribution to the hash. `set` writes one byte into a flow of zeros. */
  #table(bytes: number, set: (flow: RawFlow, byte: number, value: number) => void): Int32Array {
    const table = new Int32Array(256 * bytes);
    for (let byte = 0; byte < bytes; byte++) {
      // The contributions of single bits come from the hash itself, their sums from XOR.
      for (let bit = 1; bit < 256; bit *= 2) {
        const flow = rawFlow();
        set(flow, byte, bit);
        const added = this.#hash.of(flow) ^ this.zero;
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
    return this.#hash.of({ ...rawFlow(), seed }) ^ this.zero;
  }
}

/** The tables of several affine hashes, packed into words. */
class WordTables {
  readonly #src: Int32Array;
  readonly #dst: Int32Array;
  readonly #short: Int32Array;
  readonly #ordinal: Int32Array;

  constructor({ src, dst, short }: AffineHash, { ordinal }: HostAddresses) {
    this.#src = new Int32Array(src.length);
    this.#dst = new Int32Array(dst.length);
    this.#short = new Int32Array(short.length);
    this.#ordinal = ordinal;
  }

  /** Adds a hash whose lowest bit goes to `shift`. */
  add({ src, dst, short, zero }: AffineHash, shift: number): void {
    for (const [i, value] of src.entries()) this.#src[i]! |= (value ^ zero) << shift;
    for (const [i, value] of dst.entries()) this.#dst[i]! |= value << shift;
    for (const [i, value] of short.entries()) this.#short[i]! |= value << shift;
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

/** A hash that is computed from the bytes of its input. */
class BytesHash {
  readonly #raw = rawFlow();
  readonly #hash: HashOfFlow;

  constructor(
    model: HashModel,
    readonly addresses: HostAddresses,
  ) {
    this.#hash = new HashOfFlow(model);
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
