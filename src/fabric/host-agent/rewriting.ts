/** Segments that are rebuilt: with space for the echo, or as an acknowledgement alone. Both are rare. */
import {
  FLAG_ACK,
  FLAG_FIN,
  FLAG_SYN,
  Ip,
  OPTION_END,
  OPTION_NOP,
  optionLength,
  PROTOCOL_TCP,
  Tcp,
  TcpOption,
} from "../../base/packets/index.js";

const { SACK, SACK_BLOCKS_AT, SACK_BLOCK_LENGTH } = TcpOption;

/** The packet with another TCP segment in it, and new checksums. */
function withSegment(packet: Uint8Array, family: Ip.Family, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, family.length);
  const made = new Uint8Array(length);
  made.set(packet.subarray(0, family.length));
  let at = family.length;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  Ip.finish(made, 0, family, length);
  const tcp = family.length;
  Tcp.writeChecksum(made, tcp, length, Ip.pseudoSum(made, 0, family, PROTOCOL_TCP, length - tcp));
  return made;
}

/**
 * The packet with space for the echo, which replaces its last SACK block. A receiver may report fewer blocks than it has
 * (RFC 2018, section 3). Undefined where there is no SACK option to shorten.
 */
export function makeRoom(packet: Uint8Array, family: Ip.Family): Uint8Array | undefined {
  const segment = packet.subarray(family.length);
  const header = Tcp.headerLength(segment, 0);
  const options = segment.slice(Tcp.LENGTH, header);
  for (let at = 0; at < options.length && options[at] !== OPTION_END; ) {
    const length = optionLength(options, at, options.length);
    if (length === 0) return undefined;
    if (options[at] !== SACK || length < SACK_BLOCKS_AT + SACK_BLOCK_LENGTH) {
      at += length;
      continue;
    }
    // With its only block the whole option is removed, since a SACK option needs a block.
    if (length === SACK_BLOCKS_AT + SACK_BLOCK_LENGTH) options.fill(OPTION_NOP, at, at + SACK_BLOCKS_AT);
    else options[at + 1] = length - SACK_BLOCK_LENGTH;
    const start = segment.slice(0, Tcp.LENGTH);
    Tcp.lengthenHeader(start, 0, -SACK_BLOCK_LENGTH);
    const before = options.subarray(0, at + length - SACK_BLOCK_LENGTH);
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
export function pureAck(packet: Uint8Array, family: Ip.Family): Uint8Array {
  const segment = packet.subarray(family.length);
  const header = Tcp.headerLength(segment, 0);
  const flags = Tcp.flags(segment, 0);
  const length = segment.length - header + (flags & FLAG_SYN ? 1 : 0) + (flags & FLAG_FIN ? 1 : 0);
  const start = segment.slice(0, header);
  Tcp.setSequence(start, 0, Tcp.sequence(segment, 0) + length);
  Tcp.setFlags(start, 0, FLAG_ACK);
  return withSegment(packet, family, start);
}
