/**
 * Hash functions of switches by name, as in `p4loom hash`: the CRC catalogue, XOR folds, Pearson, Toeplitz, the RTAG7
 * family, and a function that models a random one.
 */
import { Random } from "../../base/index.js";
import { crcCatalogue } from "./catalogue.js";
import { Crc } from "./crc.js";
import { Pearson } from "./pearson.js";
import { RTAG7_BINS, rtag7, rtag7Functions } from "./rtag7.js";
import { csum16, xor16, xor32 } from "./simple.js";
import { Toeplitz } from "./toeplitz.js";
import { Xxh64 } from "./xxh64.js";

export type HashFamily = "crc" | "xor" | "checksum" | "pearson" | "toeplitz" | "rtag7" | "random";

export interface NamedHash {
  /** In lower case. */
  readonly name: string;
  readonly family: HashFamily;
  /** Bits of the result, at most 32. */
  readonly width: number;
  /**
   * True by construction: the function is an affine map over GF(2) for inputs of one length, because it is made of shifts and
   * XORs alone. A seed of such a function flips bits of the result and changes nothing else.
   */
  readonly affine: boolean;
  /** An instance with a seed; docs/hash.md defines the seed of each family. */
  make(seed: number): (bytes: Uint8Array) => number;
}

/** Hashes the seed, four bytes big-endian, before the input: this is equal to another start value of the register. */
function seeded(hash: (bytes: Uint8Array) => number): (seed: number) => (bytes: Uint8Array) => number {
  return (seed) => {
    if (seed === 0) return hash;
    let input = new Uint8Array(4);
    return (bytes) => {
      if (input.length !== bytes.length + 4) input = new Uint8Array(bytes.length + 4);
      for (let i = 0; i < 4; i++) input[i] = seed >>> (24 - 8 * i);
      for (let i = 0; i < bytes.length; i++) input[4 + i] = bytes[i]!;
      return hash(input);
    };
  };
}

/** Inputs in the bins of RTAG7, byte after byte; further bytes are folded onto the first by XOR. */
function binsOf(bytes: Uint8Array, bins: Uint16Array): Uint16Array {
  bins.fill(0);
  for (let i = 0; i < bytes.length; i++) {
    const at = (i >> 1) % RTAG7_BINS;
    bins[at] = bins[at]! ^ (i & 1 ? bytes[i]! : bytes[i]! << 8);
  }
  return bins;
}

const SECRET_KEY = Uint8Array.from([
  0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca,
  0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b,
  0xbe, 0xac, 0x01, 0xfa,
]);

/** The verification key of receive-side scaling, or one that the seed draws. */
function toeplitzKey(seed: number): Uint8Array {
  if (seed === 0) return SECRET_KEY;
  const random = new Random(seed);
  return Uint8Array.from({ length: SECRET_KEY.length }, () => random.int(256));
}

/** All functions, in a fixed order. */
export const hashFunctions: readonly NamedHash[] = [
  ...crcCatalogue.map(
    (crc): NamedHash => ({
      name: crc.name.toLowerCase(),
      family: "crc",
      width: crc.width,
      affine: true,
      make: (seed) => {
        const table = new Crc(crc);
        return seeded((bytes) => table.compute(bytes))(seed);
      },
    }),
  ),
  { name: "xor16", family: "xor", width: 16, affine: true, make: seeded((bytes) => xor16(bytes)) },
  { name: "xor32", family: "xor", width: 32, affine: true, make: seeded((bytes) => xor32(bytes)) },
  { name: "csum16", family: "checksum", width: 16, affine: false, make: seeded((bytes) => csum16(bytes)) },
  {
    name: "pearson",
    family: "pearson",
    width: 16,
    affine: false,
    make: (seed) => {
      const pearson = Pearson.seeded(seed);
      return (bytes) => pearson.hash(bytes, 16);
    },
  },
  {
    name: "toeplitz",
    family: "toeplitz",
    width: 32,
    affine: true,
    make: (seed) => {
      const toeplitz = new Toeplitz(toeplitzKey(seed));
      return (bytes) => toeplitz.hash(bytes);
    },
  },
  ...rtag7Functions.map(
    (name): NamedHash => ({
      name: `rtag7/${name}`,
      family: "rtag7",
      width: 16,
      affine: true,
      make: (seed) => {
        const bins = new Uint16Array(RTAG7_BINS);
        const options = { function: name, seed, preprocess: false, offset: 0, bits: 16 };
        return (bytes) => rtag7(binsOf(bytes, bins), options);
      },
    }),
  ),
  {
    name: "random",
    family: "random",
    width: 32,
    affine: false,
    make: (seed) => {
      const hash = new Xxh64();
      return seeded((bytes) => hash.low(bytes, bytes.length) >>> 0)(seed + 1);
    },
  },
];

const byName = new Map(hashFunctions.map((hash) => [hash.name, hash]));

/** The function of a name in upper or lower case; undefined when there is none. */
export function hashNamed(name: string): NamedHash | undefined {
  return byName.get(name.toLowerCase());
}
