/** A packet as bits: what a deparser put in front, then bytes of the packet that came in. */
import type { Term, Terms } from "../solver/index.js";

/** The variable of a byte of the packet that came in, and of its length in bytes. */
export function byteName(index: number): string {
  return `packet[${index}]`;
}
export const LENGTH = "packet.length";
export const LENGTH_BITS = 16;

export class Packet {
  constructor(
    readonly terms: Terms,
    /** Whole bytes. */
    readonly front: Term,
    /** First byte of the packet that came in that follows `front`. */
    readonly rest: number,
  ) {}

  static arriving(terms: Terms): Packet {
    return new Packet(terms, terms.constant(0n, 0), 0);
  }

  /** Bits from a place on; those behind the end are bytes that the packet does not have, so the caller checks its length first. */
  bits(from: number, width: number): Term {
    const { terms, front } = this;
    const inFront = Math.max(0, Math.min(width, front.width - from));
    const head = terms.slice(front, Math.max(0, front.width - from - inFront), inFront);
    const left = width - inFront;
    if (left === 0) return inFront === 0 ? terms.constant(0n, 0) : head;
    const start = 8 * this.rest + from + inFront - front.width;
    const [first, end] = [start >> 3, (start + left + 7) >> 3];
    const bytes = Array.from({ length: end - first }, (_, i) => terms.variable(byteName(first + i), 8));
    const tail = terms.slice(terms.concat(...bytes), 8 * end - start - left, left);
    return inFront === 0 ? tail : terms.concat(head, tail);
  }

  /** Bytes of the packet that came in up to a place of this packet, given in bytes; less than 0 inside `front`. */
  arrivedBytes(place: number): number {
    return this.rest + place - (this.front.width >> 3);
  }

  /** Its length in bytes, as 32 bits. */
  get length(): Term {
    const { terms } = this;
    const arrived = terms.extend(terms.variable(LENGTH, LENGTH_BITS), 32);
    return terms.add(arrived, terms.constant((this.front.width >> 3) - this.rest, 32));
  }
}
