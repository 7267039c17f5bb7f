/** The input of a hash for one flow, part by part, in the layout of the programs' parser and hash inputs. */
import type { HashModel, HashPart } from "./model.js";

/** The fields of a flow that can be hashed. Addresses are 128 bits as four words, the most significant first. */
export interface RawFlow {
  readonly src: Uint32Array;
  readonly dst: Uint32Array;
  protocol: number;
  sourcePort: number;
  destinationPort: number;
  selector: number;
  seed: number;
}

export function rawFlow(): RawFlow {
  return {
    src: new Uint32Array(4),
    dst: new Uint32Array(4),
    protocol: 0,
    sourcePort: 0,
    destinationPort: 0,
    selector: 0,
    seed: 0,
  };
}

/** The words of an address of 32 or 128 bits. */
export function addressWords(address: bigint): Uint32Array {
  return Uint32Array.from([96n, 64n, 32n, 0n], (shift) => Number((address >> shift) & 0xffffffffn));
}

const SHORT_FIELDS = {
  protocol: "protocol",
  src_port: "sourcePort",
  dst_port: "destinationPort",
  selector: "selector",
  seed: "seed",
} as const;

/** Computes one hash of raw flows; it keeps a buffer of its own. */
export class HashOfFlow {
  readonly #bytes: Uint8Array;

  constructor(readonly model: HashModel) {
    const bits = model.input.reduce((sum, part) => sum + part.bits, 0);
    this.#bytes = new Uint8Array(Math.ceil(bits / 8));
  }

  of(flow: RawFlow): number {
    const bytes = this.#bytes.fill(0);
    let at = 0;
    for (const part of this.model.input) {
      this.#write(at, part, flow);
      at += part.bits;
    }
    return this.model.hash(bytes, bytes.length) >>> 0;
  }

  #write(at: number, { field, bits, folded }: HashPart, flow: RawFlow): void {
    switch (field) {
      case "src":
      case "dst": {
        const words = flow[field];
        if (folded === true) this.#bits(at, bits, foldWords(words, bits));
        else
          for (let word = 0; word < bits / 32; word++)
            this.#bits(at + 32 * word, 32, words[4 - bits / 32 + word]!);
        break;
      }
      case "zero":
        break;
      default:
        this.#bits(at, bits, flow[SHORT_FIELDS[field]]);
    }
  }

  /** Writes the low `bits` bits of a number, at most 32, at a position in bits. */
  #bits(at: number, bits: number, value: number): void {
    for (let i = 0; i < bits; i++)
      if ((value >>> (bits - 1 - i)) & 1) this.#bytes[(at + i) >> 3]! |= 0x80 >>> ((at + i) & 7);
  }
}

/** The XOR of all groups of `bits` bits of an address; `bits` divides 32. */
function foldWords(words: Uint32Array, bits: number): number {
  let value = 0;
  for (const word of words) value ^= word;
  for (let width = 32; width > bits; width /= 2)
    value = (value ^ (value >>> (width / 2))) & (2 ** (width / 2) - 1);
  return value >>> 0;
}
