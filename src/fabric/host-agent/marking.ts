/**
 * Marks segments between the kernel and the wire, as `src/base/packets/segment.ts` does in the simulator.
 *
 * On the wire a segment carries its selector in the headers (see {@link Mark}) and the echo as its first TCP option. The
 * kernel sees neither. In both directions a segment is changed in place: the headers move by the eight
 * bytes of the option, and the payload stays. Checksums are updated incrementally (RFC 1624), so a damaged
 * segment stays damaged.
 */
import {
  ECHO_OPTION,
  type Family,
  FLAG_ECE,
  get16,
  get32,
  IPV4,
  put16,
  put32,
} from "../../base/packets/index.js";

/** Bytes of the option, and its first words. */
export const ECHO_LENGTH = ECHO_OPTION.length;
const KIND_AND_LENGTH = (ECHO_OPTION.kind << 8) | ECHO_OPTION.length;
/** Length of the option in units of the data offset, shifted to the position of the data offset in its word. */
const OFFSET_STEP = (ECHO_LENGTH / 4) << 12;
/** What the option adds to the checksum of a segment, without the echo: in the pseudo header, the data offset, and the option. */
const ECHO_SUM = ECHO_LENGTH + OFFSET_STEP + KIND_AND_LENGTH + ECHO_OPTION.experiment;
const TCP_LENGTH = 20;
/** Data offset, in words, from which the option does not fit. */
const NO_ROOM = 14;

/** The header fields that carry a selector: the frame's Ethernet header and fields of IP. */
export interface Mark {
  /** Number of the NIC that it leaves by. */
  readonly nic: number;
  readonly ethernet: Uint8Array;
  /** DSCP in the upper six bits; the lower two are added to the packet's own ECN field. */
  readonly trafficClass: number;
  /** 0 in IPv4. */
  readonly flowLabel: number;
  /** TTL or hop limit; undefined: the packet's own. */
  readonly ttl?: number | undefined;
}

/** Updates a checksum field by the sum of added words. */
function correct(bytes: Uint8Array, at: number, added: number): void {
  let sum = (~get16(bytes, at) & 0xffff) + added;
  sum = (sum & 0xffff) + (sum >>> 16);
  put16(bytes, at, ~((sum & 0xffff) + (sum >>> 16)));
}

/** The addend that removes `words` from a sum. */
function without(words: number): number {
  words = (words & 0xffff) + (words >>> 16);
  return 0xffff - ((words & 0xffff) + (words >>> 16));
}

function echoSum(echo: number): number {
  return ECHO_SUM + (echo >>> 16) + (echo & 0xffff);
}

/** Sets or clears the FLAG_ECE flag of the segment whose TCP header stands at `tcp`. */
export function writeEce(bytes: Uint8Array, tcp: number, isSet: boolean): void {
  const flags = bytes[tcp + 13]!;
  if (((flags & FLAG_ECE) !== 0) === isSet) return;
  bytes[tcp + 13] = flags ^ FLAG_ECE;
  correct(bytes, tcp + 16, isSet ? FLAG_ECE : without(FLAG_ECE));
}

/** Whether the segment whose TCP header stands at `tcp` has room for the option. */
export function hasRoom(bytes: Uint8Array, tcp: number): boolean {
  return bytes[tcp + 12]! >>> 4 < NO_ROOM;
}

/** Inserts the option into a segment that has room, with eight free bytes before it; returns its new start. */
export function addEcho(bytes: Uint8Array, ip: number, family: Family, echo: number): number {
  const start = ip - ECHO_LENGTH;
  const tcp = start + family.length;
  bytes.copyWithin(start, ip, ip + family.length + TCP_LENGTH);
  put16(bytes, tcp + TCP_LENGTH, KIND_AND_LENGTH);
  put16(bytes, tcp + TCP_LENGTH + 2, ECHO_OPTION.experiment);
  put32(bytes, tcp + TCP_LENGTH + 4, echo);
  lengthen(bytes, start, family, ECHO_LENGTH);
  bytes[tcp + 12]! += OFFSET_STEP >> 8;
  correct(bytes, tcp + 16, echoSum(echo));
  return start;
}

/** Whether the segment that ends at `end` carries an echo. */
export function hasEcho(bytes: Uint8Array, tcp: number, end: number): boolean {
  return (
    end >= tcp + TCP_LENGTH + ECHO_LENGTH &&
    get16(bytes, tcp + TCP_LENGTH) === KIND_AND_LENGTH &&
    get16(bytes, tcp + TCP_LENGTH + 2) === ECHO_OPTION.experiment &&
    bytes[tcp + 12]! >>> 4 >= 5 + ECHO_LENGTH / 4
  );
}

export function echoOf(bytes: Uint8Array, tcp: number): number {
  return get32(bytes, tcp + TCP_LENGTH + 4);
}

/** Removes the option from a segment that carries it; returns its new start. */
export function removeEcho(bytes: Uint8Array, ip: number, family: Family): number {
  const tcp = ip + family.length;
  correct(bytes, tcp + 16, without(echoSum(echoOf(bytes, tcp))));
  bytes[tcp + 12]! -= OFFSET_STEP >> 8;
  lengthen(bytes, ip, family, -ECHO_LENGTH);
  bytes.copyWithin(ip + ECHO_LENGTH, ip, tcp + TCP_LENGTH);
  return ip + ECHO_LENGTH;
}

/** Changes the length of a packet in its IP header. */
function lengthen(bytes: Uint8Array, ip: number, family: Family, by: number): void {
  const at = family === IPV4 ? ip + 2 : ip + 4;
  put16(bytes, at, get16(bytes, at) + by);
  if (family === IPV4) correct(bytes, ip + 10, by > 0 ? by : without(-by));
}

function writeTtl(bytes: Uint8Array, ip: number, family: Family, ttl: number): void {
  if (family !== IPV4) {
    bytes[ip + 7] = ttl;
    return;
  }
  const old = bytes[ip + 8]!;
  bytes[ip + 8] = ttl;
  if (ttl !== old) correct(bytes, ip + 10, 0xffff - (old << 8) + (ttl << 8));
}

/** Writes a mark into a packet with space before it; returns the start of the frame. The mark may replace another one. */
export function writeMark(bytes: Uint8Array, ip: number, family: Family, mark: Mark): number {
  const { trafficClass, flowLabel, ethernet, ttl } = mark;
  if (ttl !== undefined) writeTtl(bytes, ip, family, ttl);
  if (family === IPV4) {
    const old = bytes[ip + 1]!;
    const marked = trafficClass | (old & 3);
    if (marked !== old) {
      bytes[ip + 1] = marked;
      correct(bytes, ip + 10, 0xffff - old + marked);
    }
  } else {
    bytes[ip] = 0x60 | (trafficClass >>> 4);
    bytes[ip + 1] = ((trafficClass & 15) << 4) | (bytes[ip + 1]! & 0x30) | (flowLabel >>> 16);
    put16(bytes, ip + 2, flowLabel);
  }
  const start = ip - ethernet.length;
  bytes.set(ethernet, start);
  return start;
}
