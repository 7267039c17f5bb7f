/** Describes a frame in a few words, by its well-known headers. */
import { fromBytes } from "../../../base/index.js";
import {
  ETHERTYPE_ARP,
  ETHERTYPE_IPV4,
  FLAG_ACK,
  FLAG_FIN,
  FLAG_RST,
  FLAG_SYN,
  get16,
  get32,
  ipv4Text,
  ipv6Text,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
  readArp,
  readIcmp,
  Segment,
} from "../../../base/packets/index.js";
import type { PacketView } from "../protocol.js";

export interface FrameDescription {
  readonly protocol: PacketView["protocol"];
  readonly label: string;
  /** The same for both directions of a TCP connection, a UDP flow or a ping; absent for second frames. */
  readonly flowKey?: string;
}

const SEGMENT = new Segment();
const FLAGS: readonly [number, string][] = [
  [FLAG_SYN, "SYN"],
  [FLAG_ACK, "ACK"],
  [FLAG_FIN, "FIN"],
  [FLAG_RST, "RST"],
];
const ICMP_NAMES: Readonly<Record<number, string>> = {
  0: "ICMP echo reply",
  3: "ICMP unreachable",
  8: "ICMP echo request",
  11: "ICMP time exceeded",
};

/** Key of a flow between two endpoints, each an address and a port (or the identifier of a ping). */
export function flowKeyOf(protocol: string, first: string, second: string): string {
  return `${protocol} ${[first, second].sort().join(" ")}`;
}

export function describeFrame(frame: Uint8Array): FrameDescription {
  const type = frame.length < 14 ? -1 : get16(frame, 12);
  const arp = type === ETHERTYPE_ARP ? readArp(frame) : undefined;
  if (arp !== undefined) {
    const [sender, target] = [ipv4Text(arp.sender), ipv4Text(arp.target)];
    const label =
      arp.operation === 1 ? `ARP who has ${target}? ${sender} asks` : `ARP ${sender} answers ${target}`;
    return { protocol: "arp", label };
  }
  const icmp = type === ETHERTYPE_IPV4 ? readIcmp(frame) : undefined;
  if (icmp !== undefined) {
    const [source, destination] = [ipv4Text(icmp.source), ipv4Text(icmp.destination)];
    const isEcho = icmp.type === 0 || icmp.type === 8;
    const number = isEcho ? ` ${icmp.sequence}` : "";
    const name = ICMP_NAMES[icmp.type] ?? `ICMP type ${icmp.type}`;
    const label = `${name}${number} ${source} → ${destination}`;
    if (!isEcho) return { protocol: "icmp", label };
    return { protocol: "icmp", label, flowKey: flowKeyOf(`icmp ${icmp.identifier}`, source, destination) };
  }
  if (SEGMENT.read(frame)) return describeSegment(SEGMENT);
  if (type < 0) return { protocol: "other", label: `${frame.length} bytes` };
  if (type === ETHERTYPE_IPV4 && frame.length >= 34) {
    const word = (at: number): number => new DataView(frame.buffer, frame.byteOffset + at).getUint32(0);
    const protocol =
      frame[23] === PROTOCOL_TCP ? "TCP" : frame[23] === PROTOCOL_UDP ? "UDP" : `IPv4 protocol ${frame[23]}`;
    return { protocol: "other", label: `${protocol} ${ipv4Text(word(26))} → ${ipv4Text(word(30))}` };
  }
  return { protocol: "other", label: `type 0x${type.toString(16).padStart(4, "0")}, ${frame.length} bytes` };
}

function describeSegment(segment: Segment): FrameDescription {
  const { protocol, frame, srcAt, dstAt, srcPort, dstPort, payloadLength, flags, ipVersion } = segment;
  const address = (at: number): string => addressText(frame, at, ipVersion);
  const [source, destination] = [`${address(srcAt)}:${srcPort}`, `${address(dstAt)}:${dstPort}`];
  const way = `${source} → ${destination}`;
  const size = payloadLength === 0 ? "" : `, ${payloadLength} bytes`;
  if (protocol === PROTOCOL_UDP)
    return { protocol: "udp", label: `UDP ${way}${size}`, flowKey: flowKeyOf("udp", source, destination) };
  const names = FLAGS.flatMap(([bit, name]) => ((flags & bit) === 0 ? [] : [name])).join(" ");
  return {
    protocol: "tcp",
    label: `TCP ${names} ${way}${size}`,
    flowKey: flowKeyOf("tcp", source, destination),
  };
}

function addressText(frame: Uint8Array, at: number, ipVersion: 4 | 6): string {
  if (ipVersion === 4) return ipv4Text(get32(frame, at));
  return `[${ipv6Text(fromBytes(frame.subarray(at, at + 16)))}]`;
}
