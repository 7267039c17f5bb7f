/** The ports of shortest paths as bitmaps: for each switch and destination, on demand. */
import type { Distances } from "./distances.js";
import type { FlowNetwork } from "./network.js";

export class ShortestPorts {
  /** Words of 32 bits of a switch: bit p % 32 of word p / 32 is port p, counted from 0 within the switch. */
  readonly words: number;
  readonly #to: (Int32Array | undefined)[];

  constructor(
    private readonly network: FlowNetwork,
    private readonly distances: Distances,
  ) {
    let most = 1;
    for (let own = 0; own < network.switches; own++) most = Math.max(most, network.portsOf(own));
    this.words = Math.ceil(most / 32);
    this.#to = new Array(network.switches).fill(undefined);
  }

  /** Bitmaps of the ports that lead nearer to `destination`, {@link words} words a switch. */
  to(destination: number): Int32Array {
    return (this.#to[destination] ??= this.#find(destination));
  }

  /** The distances have changed. */
  forget(): void {
    this.#to.fill(undefined);
  }

  #find(destination: number): Int32Array {
    const { words } = this;
    const { isDown } = this.distances;
    const { firstPort, peer, switches } = this.network;
    const distance = this.distances.to(destination);
    const bitmaps = new Int32Array(switches * words);
    for (let own = 0; own < switches; own++) {
      const from = firstPort[own]!;
      for (let port = from; port < firstPort[own + 1]!; port++) {
        if (distance[peer[port]!]! >= distance[own]! || isDown[port] === 1) continue;
        bitmaps[own * words + ((port - from) >> 5)]! |= 1 << (port - from);
      }
    }
    return bitmaps;
  }
}

/** Whether bit `port` of the bitmap that begins at `base` is set. */
export function hasPort(bitmaps: Int32Array, base: number, port: number): boolean {
  return ((bitmaps[base + (port >> 5)]! >>> port) & 1) === 1;
}

/** The number of bits that are set in a word. */
function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The bit that is set with `index` others below it, in `words` words from `base` on; -1 where fewer are set. */
export function portAt(bitmaps: Int32Array, base: number, words: number, index: number): number {
  let left = index;
  for (let word = 0; word < words; word++) {
    let bits = bitmaps[base + word]!;
    const count = bitsOf(bits);
    if (left >= count) {
      left -= count;
      continue;
    }
    for (; left > 0; left--) bits &= bits - 1;
    return 32 * word + 31 - Math.clz32(bits & -bits);
  }
  return -1;
}

/** The number of ports in the bitmap that begins at `base`. */
export function portCount(bitmaps: Int32Array, base: number, words: number): number {
  let count = 0;
  for (let word = 0; word < words; word++) count += bitsOf(bitmaps[base + word]!);
  return count;
}
