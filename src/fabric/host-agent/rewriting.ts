/** Segments that are rebuilt: with space for the echo, or as an acknowledgement alone. Both are rare. */
import {
  addWords,
  type Family,
  FLAG_ACK,
  FLAG_FIN,
  FLAG_SYN,
  finishChecksum,
  get32,
  IPV4,
  PROTOCOL_TCP,
  put16,
  put32,
} from "../../base/packets/index.js";

const OPTION_END = 0;
const OPTION_NOP = 1;
const OPTION_SACK = 5;
const BLOCK_LENGTH = 8;

/** Checksum of a TCP or UDP segment at the end of a packet, whose own checksum field holds 0. */
export function transportChecksum(packet: Uint8Array, family: Family, protocol: number): number {
  const at = family.length;
  const pseudo = addWords(packet, family.keyAt, at, protocol + packet.length - at);
  return finishChecksum(addWords(packet, at, packet.length, pseudo));
}

/** Writes the length and the checksum of the IP header. */
export function finishHeader(packet: Uint8Array, family: Family): void {
  if (family !== IPV4) {
    put16(packet, 4, packet.length - family.length);
    return;
  }
  put16(packet, 2, packet.length);
  put16(packet, 10, 0);
  put16(packet, 10, finishChecksum(addWords(packet, 0, family.length, 0)));
}

/** The packet with another TCP segment in it, and new checksums. */
function withSegment(packet: Uint8Array, family: Family, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, family.length);
  const made = new Uint8Array(length);
  made.set(packet.subarray(0, family.length));
  let at = family.length;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  finishHeader(made, family);
  put16(made, family.length + 16, 0);
  put16(made, family.length + 16, transportChecksum(made, family, PROTOCOL_TCP));
  return made;
}

/**
 * The packet with space for the echo, which replaces its last SACK block. A receiver may report fewer blocks than it has
 * (RFC 2018, section 3). Undefined where there is no SACK option to shorten.
 */
export function makeRoom(packet: Uint8Array, family: Family): Uint8Array | undefined {
  const segment = packet.subarray(family.length);
  const header = (segment[12]! >>> 4) * 4;
  const options = segment.slice(20, header);
  for (let at = 0; at < options.length && options[at] !== OPTION_END; ) {
    if (options[at] === OPTION_NOP) {
      at++;
      continue;
    }
    const length = options[at + 1] ?? 0;
    if (length < 2 || at + length > options.length) return undefined;
    if (options[at] !== OPTION_SACK || length < 2 + BLOCK_LENGTH) {
      at += length;
      continue;
    }
    // With its only block the whole option is removed, since a SACK option needs a block.
    if (length === 2 + BLOCK_LENGTH) options.fill(OPTION_NOP, at, at + 2);
    else options[at + 1] = length - BLOCK_LENGTH;
    const start = segment.slice(0, 20);
    start[12] = (((header - BLOCK_LENGTH) / 4) << 4) | (start[12]! & 15);
    const before = options.subarray(0, at + length - BLOCK_LENGTH);
    return withSegment(
      packet,
      family,
      start,
      before,
      options.subarray(at + length),
      segment.subarray(header),
    );
  }
  return undefined;
}

/** The acknowledgement of a segment with data as a packet of its own, without FLAG_SYN and FLAG_FIN. */
export function pureAck(packet: Uint8Array, family: Family): Uint8Array {
  const segment = packet.subarray(family.length);
  const header = (segment[12]! >>> 4) * 4;
  const flags = segment[13]!;
  const length = segment.length - header + (flags & FLAG_SYN ? 1 : 0) + (flags & FLAG_FIN ? 1 : 0);
  const start = segment.slice(0, header);
  put32(start, 4, get32(segment, 4) + length);
  start[13] = FLAG_ACK;
  return withSegment(packet, family, start);
}
