/**
 * The forwarding of the switches of a fabric in typed form: the table contents of a scheme's plan, and the hash functions of
 * its programs. It gives paths without packets, and must give the path that a packet takes.
 */

/** A field of the five-tuple, the selector, the seed of a choice, or bits that are always 0. */
type HashField = "src" | "dst" | "protocol" | "src_port" | "dst_port" | "selector" | "seed" | "zero";

/** A part of a hash's input. */
export interface HashPart {
  readonly field: HashField;
  /** Width in the input; an IPv4 address has zeros above its 32 bits. */
  readonly bits: number;
  /** The input contains the XOR of all groups of `bits` bits of the 128 bits of an address, in place of its low bits. */
  readonly folded?: boolean;
}

/** A hash function as a program computes it. */
export interface HashModel {
  /** Name for people, for example `crc32 of the five-tuple`. Two models with the same name are the same function. */
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
   * Intended load of each port of the first row, in the order in which the ports first occur there; absent: in proportion to its slots. In
   * a group of a coprime size the numbers of slots differ from the intended loads.
   */
  readonly wanted?: ArrayLike<number>;
}

/** Special values of {@link SwitchModel.next}, which otherwise has indexes of choices. */
export const UNREACHABLE = -1;
export const LOCAL = -2;

/**
 * One switch. A packet has a class: the sum of the classes of its ingress port and of the rack of its source. Class
 * and rack of the destination determine the choice.
 */
export interface SwitchModel {
  /** Node index. */
  readonly node: number;
  /** Number of classes; 1 where the origin of a packet does not matter. */
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
