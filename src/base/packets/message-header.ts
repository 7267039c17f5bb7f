/**
 * The header of the simulator's message transport: the first bytes of the payload of a UDP datagram. It has what RoCE's and Ultra
 * Ethernet's headers have for the same purposes: packet sequence numbers, cumulative and selective acknowledgements, negative
 * acknowledgements, and the notification packets of DCQCN.
 */

import { get32, put32 } from "./words.js";

export const MESSAGE_HEADER_LENGTH = 24;
/** Packets that the bitmap of an acknowledgement describes. */
export const BITMAP_PACKETS = 64;

/** A NACK asks for all packets from `cumulative` on; a CNP reports congestion to the sender of the data. */
const MESSAGE_KINDS = ["data", "ack", "nack", "cnp"] as const;
type MessageKind = (typeof MESSAGE_KINDS)[number];

const MARKED = 1;
const LAST = 2;
const ATTEMPT_AT = 2;
const HOP_LIMIT_AT = 3;
const SEQUENCE_AT = 4;
const CUMULATIVE_AT = 8;
const ECHO_AT = 12;
const BITMAP_AT = 16;

/** Numbers of packets are taken modulo 2^32. */
export class MessageHeader {
  kind: MessageKind = "data";
  /** Of an acknowledgement: the packet that it answers had arrived marked (CE). */
  marked = false;
  /** Of data: the packet is the last one of its message. */
  last = false;
  /** How often the packet had been sent before, modulo 256; an acknowledgement repeats that of the packet that it answers. */
  attempt = 0;
  /** Of an acknowledgement: hop limit with which the packet that it answers had arrived. */
  hopLimit = 0;
  /** Of data: its number. Of the others: the number of the packet that they answer. */
  sequence = 0;
  /** Of acknowledgements: all packets below this one have arrived. */
  cumulative = 0;
  /** Of an acknowledgement: selector of the packet that it answers. Of data: selector of the last packet from the other end. */
  echo = 0;
  /** Of an acknowledgement: bit i is packet {@link bitmapBase} + i; the first word has the first 32. */
  readonly bitmap = new Uint32Array(BITMAP_PACKETS / 32);

  write(bytes: Uint8Array): void {
    bytes[0] = MESSAGE_KINDS.indexOf(this.kind) + 1;
    bytes[1] = (this.marked ? MARKED : 0) | (this.last ? LAST : 0);
    bytes[ATTEMPT_AT] = this.attempt & 0xff;
    bytes[HOP_LIMIT_AT] = this.hopLimit;
    put32(bytes, SEQUENCE_AT, this.sequence);
    put32(bytes, CUMULATIVE_AT, this.cumulative);
    put32(bytes, ECHO_AT, this.echo);
    this.bitmap.forEach((word, i) => {
      put32(bytes, BITMAP_AT + 4 * i, word);
    });
  }

  /** False where the bytes are too few, or of no kind: then nothing was read. */
  read(bytes: Uint8Array, at: number, end: number): boolean {
    const kind = MESSAGE_KINDS[(bytes[at] ?? 0) - 1];
    if (end < at + MESSAGE_HEADER_LENGTH || kind === undefined) return false;
    this.kind = kind;
    this.marked = (bytes[at + 1]! & MARKED) !== 0;
    this.last = (bytes[at + 1]! & LAST) !== 0;
    this.attempt = bytes[at + ATTEMPT_AT]!;
    this.hopLimit = bytes[at + HOP_LIMIT_AT]!;
    this.sequence = get32(bytes, at + SEQUENCE_AT);
    this.cumulative = get32(bytes, at + CUMULATIVE_AT);
    this.echo = get32(bytes, at + ECHO_AT);
    for (let i = 0; i < this.bitmap.length; i++) this.bitmap[i] = get32(bytes, at + BITMAP_AT + 4 * i);
    return true;
  }
}

/**
 * The first packet of the bitmap of an acknowledgement: the first missing one, or a later one where the packet that it answers would
 * otherwise be beyond the end of the bitmap.
 */
export function bitmapBase(cumulative: number, sequence: number): number {
  return Math.max(cumulative, sequence - BITMAP_PACKETS + 1);
}
