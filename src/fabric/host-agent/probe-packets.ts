/** The bytes of probes: IP, UDP, then {@link ProbeHeader}, and in a probe the selectors of its replies. */
import { toHex } from "../../base/index.js";
import { addWords, get32, Ip, isWhole, PROTOCOL_UDP, put32, Udp } from "../../base/packets/index.js";
import { flowOf } from "./addresses.js";

const HOP_LIMIT = 64;
const MAGIC = new TextEncoder().encode("p4loomPr");
const MAGIC_TEXT = toHex(MAGIC);
/** Magic, kind, number of reply selectors, two free bytes, request, number, selector, nanoseconds in 64 bits. */
const HEADER_LENGTH = 32;
const KIND_AT = 8;
const COUNT_AT = 9;
const REQUEST_AT = 12;
const INDEX_AT = 16;
const LEFT_ON_AT = 20;
const LEFT_AT_AT = 24;
const SELECTOR_LENGTH = 4;
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
  const family = Ip.familyOf(key);
  const { src, dst, srcPort, dstPort } = flowOf(key, PROTOCOL_UDP);
  const udp = family.length;
  const at = udp + Udp.LENGTH;
  const packet = new Uint8Array(at + HEADER_LENGTH + SELECTOR_LENGTH * probe.replies.length);
  Ip.emit(packet, 0, family, {
    dscp: 0,
    ecn: 0,
    flowLabel: 0,
    hopLimit: HOP_LIMIT,
    protocol: PROTOCOL_UDP,
    source: src,
    destination: dst,
    payloadLength: packet.length - udp,
  });
  Udp.emit(packet, udp, { srcPort, dstPort, payloadLength: packet.length - at });
  packet.set(MAGIC, at);
  packet[at + KIND_AT] = probe.isReply ? REPLY : 0;
  packet[at + COUNT_AT] = probe.replies.length;
  put32(packet, at + REQUEST_AT, probe.request);
  put32(packet, at + INDEX_AT, probe.index);
  put32(packet, at + LEFT_ON_AT, probe.leftOn);
  put32(packet, at + LEFT_AT_AT, Math.floor(probe.leftAt / 2 ** 32));
  put32(packet, at + LEFT_AT_AT + 4, probe.leftAt % 2 ** 32);
  probe.replies.forEach((selector, i) => {
    put32(packet, at + HEADER_LENGTH + SELECTOR_LENGTH * i, selector);
  });
  Udp.writeChecksum(packet, udp, packet.length, pseudoSum(packet, family));
  return packet;
}

/** Reads a probe from an IP packet with a UDP datagram; undefined when it is none, or damaged. */
export function readProbe(packet: Uint8Array, family: Ip.Family): ProbeHeader | undefined {
  const udp = family.length;
  const at = udp + Udp.LENGTH;
  if (packet.length < at + HEADER_LENGTH || toHex(packet.subarray(at, at + MAGIC.length)) !== MAGIC_TEXT)
    return undefined;
  if (!isWhole(addWords(packet, udp, packet.length, pseudoSum(packet, family)))) return undefined;
  const count = packet[at + COUNT_AT]!;
  const end = at + HEADER_LENGTH + SELECTOR_LENGTH * count;
  if (packet.length < end || Udp.length(packet, udp) < end - udp) return undefined;
  return {
    isReply: packet[at + KIND_AT] === REPLY,
    request: get32(packet, at + REQUEST_AT),
    index: get32(packet, at + INDEX_AT),
    leftOn: get32(packet, at + LEFT_ON_AT),
    leftAt: get32(packet, at + LEFT_AT_AT) * 2 ** 32 + get32(packet, at + LEFT_AT_AT + 4),
    replies: Array.from({ length: count }, (_, i) => get32(packet, at + HEADER_LENGTH + SELECTOR_LENGTH * i)),
  };
}

function pseudoSum(packet: Uint8Array, family: Ip.Family): number {
  return Ip.pseudoSum(packet, 0, family, PROTOCOL_UDP, packet.length - family.length);
}
