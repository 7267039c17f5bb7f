/**
 * How the switches of a fabric forward, in typed form: what a scheme's plan writes into the tables, and the hash functions of
 * its programs. So a path can be found without a packet, and must be the one that a packet takes.
 */

/** A field of the five-tuple, the selector, the seed of a choice, or bits that are always 0. */
export type HashField = "src" | "dst" | "protocol" | "src_port" | "dst_port" | "selector" | "seed" | "zero";

/** A part of a hash's input. */
export interface HashPart {
  readonly field: HashField;
  /** Width in the input; an IPv4 address has zeros above its 32 bits. */
  readonly bits: number;
  /** The input has the XOR of all groups of `bits` bits of the 128 bits of an address, instead of its low bits. */
  readonly folded?: boolean;
}

/** A hash function as a program computes it. */
export interface HashModel {
  /** For people, for example `crc32 of the five-tuple`. Two models of one name are one function. */
  readonly name: string;
  /** Of the parts, most significant bit first, with zero bits to the end of the last byte. An unsigned number of 32 bits. */
  readonly hash: (bytes: Uint8Array, length: number) => number;
  /** Made of shifts and XORs alone: f(a ^ b) = f(a) ^ f(b) ^ f(0). */
  readonly affine: boolean;
  readonly input: readonly HashPart[];
}

/** The choice of a port. A choice with one slot needs no hash. */
export interface PortChoice {
  /** Index in {@link PathModel.hashes}. */
  readonly hash: number;
  /** Value of the part `seed`. */
  readonly seed: number;
  /** Ports by row and slot: the row by the selector, the slot is the hash modulo the slots. Without a `slice` there is one row. */
  readonly rows: readonly ArrayLike<number>[];
  /** Bits of the selector whose value modulo the rows is the row. */
  readonly slice?: { readonly low: number; readonly width: number };
  /**
   * What each port of the first row should get, by the order in which the ports first stand there; absent: as many as it has slots. A
   * group of a coprime size has other numbers of slots than it should.
   */
  readonly wanted?: ArrayLike<number>;
}

/** Values of {@link SwitchModel.next} beside the indexes of choices. */
export const UNREACHABLE = -1;
export const LOCAL = -2;

/**
 * One switch. A packet has a class: the sum of the classes of the port that it came in by and of the rack that it comes from. Class
 * and rack of the destination decide which choice is made.
 */
export interface SwitchModel {
  /** Node index. */
  readonly node: number;
  /** Number of classes; 1 where it does not matter where a packet comes from. */
  readonly classes: number;
  /** Class by number of the ingress port; absent: 0. */
  readonly portClass?: ArrayLike<number>;
  /** Class by rack of the source; absent: 0. */
  readonly sourceClass?: ArrayLike<number>;
  /**
   * By class times the number of racks plus the rack of the destination: index in {@link choices}, {@link UNREACHABLE}, or
   * {@link LOCAL} for the switch's own hosts.
   */
  readonly next: Int32Array;
  readonly choices: readonly PortChoice[];
}

export interface PathModel {
  readonly hashes: readonly HashModel[];
  /** All switches, by ascending node index. */
  readonly switches: readonly SwitchModel[];
}
