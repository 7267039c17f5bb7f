/** The bytes of probes: IP, UDP, then {@link ProbeHeader}, and in a probe the selectors of its replies. */
import { toHex } from "../../base/index.js";
import {
  type Family,
  familyOf,
  get16,
  get32,
  IPV4,
  PROTOCOL_UDP,
  put16,
  put32,
} from "../../base/packets/index.js";
import { finishHeader, transportChecksum } from "./rewriting.js";

const HOP_LIMIT = 64;
const UDP_LENGTH = 8;
const MAGIC = new TextEncoder().encode("p4loomPr");
const MAGIC_TEXT = toHex(MAGIC);
/** Magic, kind, number of reply selectors, two free bytes, request, number, selector, nanoseconds in 64 bits. */
const HEADER_LENGTH = 32;
const REPLY = 1;

export interface ProbeHeader {
  readonly isReply: boolean;
  /** Id of the request that it belongs to. */
  readonly request: number;
  /** Number of the probe in its request. */
  readonly index: number;
  /** Selector that the probe left on. */
  readonly leftOn: number;
  /** When the probe left: nanoseconds on the clock of its host. */
  readonly leftAt: number;
  /** Selectors that the other end is to reply on; none in a reply. */
  readonly replies: readonly number[];
}

/** An IP packet with a UDP datagram, checksums computed. `key`: addresses and ports. */
export function probePacket(key: Uint8Array, probe: ProbeHeader): Uint8Array {
  const family = familyOf(key);
  const at = family.length + UDP_LENGTH;
  const packet = new Uint8Array(at + HEADER_LENGTH + 4 * probe.replies.length);
  packet[0] = family === IPV4 ? 0x45 : 0x60;
  if (family === IPV4) packet[6] = 0x40;
  packet[family === IPV4 ? 8 : 7] = HOP_LIMIT;
  packet[family === IPV4 ? 9 : 6] = PROTOCOL_UDP;
  packet.set(key, family.keyAt);
  put16(packet, family.length + 4, packet.length - family.length);
  packet.set(MAGIC, at);
  packet[at + 8] = probe.isReply ? REPLY : 0;
  packet[at + 9] = probe.replies.length;
  put32(packet, at + 12, probe.request);
  put32(packet, at + 16, probe.index);
  put32(packet, at + 20, probe.leftOn);
  put32(packet, at + 24, Math.floor(probe.leftAt / 2 ** 32));
  put32(packet, at + 28, probe.leftAt % 2 ** 32);
  probe.replies.forEach((selector, i) => {
    put32(packet, at + HEADER_LENGTH + 4 * i, selector);
  });
  finishHeader(packet, family);
  // 0 would mean that there is no checksum (RFC 768).
  put16(packet, family.length + 6, transportChecksum(packet, family, PROTOCOL_UDP) || 0xffff);
  return packet;
}

/** Reads a probe from an IP packet with a UDP datagram; undefined when it is none, or damaged. */
export function readProbe(packet: Uint8Array, family: Family): ProbeHeader | undefined {
  const at = family.length + UDP_LENGTH;
  if (packet.length < at + HEADER_LENGTH || toHex(packet.subarray(at, at + 8)) !== MAGIC_TEXT)
    return undefined;
  // The sum with the right checksum in its field is 0.
  if (transportChecksum(packet, family, PROTOCOL_UDP) !== 0) return undefined;
  const count = packet[at + 9]!;
  const end = at + HEADER_LENGTH + 4 * count;
  if (packet.length < end || get16(packet, family.length + 4) < end - family.length) return undefined;
  return {
    isReply: packet[at + 8] === REPLY,
    request: get32(packet, at + 12),
    index: get32(packet, at + 16),
    leftOn: get32(packet, at + 20),
    leftAt: get32(packet, at + 24) * 2 ** 32 + get32(packet, at + 28),
    replies: Array.from({ length: count }, (_, i) => get32(packet, at + HEADER_LENGTH + 4 * i)),
  };
}
