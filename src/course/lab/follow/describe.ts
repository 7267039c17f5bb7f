/** Describes a frame in a few words, by its well-known headers. */
import {
  Arp,
  type Dissection,
  dissect,
  ETHERTYPE_IPV4,
  Ethernet,
  FLAG_ACK,
  FLAG_FIN,
  FLAG_RST,
  FLAG_SYN,
  Icmp,
  Ipv4,
  ipv4Text,
  ipv6Text,
  type Network,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
  type Transport,
} from "../../../base/packets/index.js";
import type { PacketView } from "../protocol.js";

export interface FrameDescription {
  readonly protocol: PacketView["protocol"];
  readonly label: string;
  /** The same for both directions of a TCP connection, a UDP flow or a ping; absent for second frames. */
  readonly flowKey?: string;
}

const FLAGS: readonly [number, string][] = [
  [FLAG_SYN, "SYN"],
  [FLAG_ACK, "ACK"],
  [FLAG_FIN, "FIN"],
  [FLAG_RST, "RST"],
];
const ICMP_NAMES: Readonly<Record<number, string>> = {
  [Icmp.ECHO_REPLY]: "ICMP echo reply",
  [Icmp.UNREACHABLE]: "ICMP unreachable",
  [Icmp.ECHO_REQUEST]: "ICMP echo request",
  [Icmp.TIME_EXCEEDED]: "ICMP time exceeded",
};

/** Key of a flow between two endpoints, each an address and a port (or the identifier of a ping). */
export function flowKeyOf(protocol: string, first: string, second: string): string {
  return `${protocol} ${[first, second].sort().join(" ")}`;
}

export function describeFrame(frame: Uint8Array): FrameDescription {
  const layers = dissect(frame);
  if (layers === undefined) return { protocol: "other", label: `${frame.length} bytes` };
  const { network, transport } = layers;
  if (network?.kind === "arp") return describeArp(network.message);
  if (network !== undefined && transport !== undefined) {
    const described = describeTransport(network, transport, layers);
    if (described !== undefined) return described;
  }
  const at = Ethernet.LENGTH;
  if (layers.ethernet.type === ETHERTYPE_IPV4 && frame.length >= at + Ipv4.LENGTH) {
    // Programs of students send headers with wrong checksums, too.
    const protocol = Ipv4.protocol(frame, at);
    const [source, destination] = [Ipv4.source(frame, at), Ipv4.destination(frame, at)];
    const name =
      protocol === PROTOCOL_TCP ? "TCP" : protocol === PROTOCOL_UDP ? "UDP" : `IPv4 protocol ${protocol}`;
    return { protocol: "other", label: `${name} ${ipv4Text(source)} → ${ipv4Text(destination)}` };
  }
  const type = layers.ethernet.type.toString(16).padStart(4, "0");
  return { protocol: "other", label: `type 0x${type}, ${frame.length} bytes` };
}

function describeArp({ operation, sender, target }: Arp.Message): FrameDescription {
  const [from, about] = [ipv4Text(sender), ipv4Text(target)];
  const label =
    operation === Arp.REQUEST ? `ARP who has ${about}? ${from} asks` : `ARP ${from} answers ${about}`;
  return { protocol: "arp", label };
}

function describeTransport(
  network: Exclude<Network, { kind: "arp" }>,
  transport: Transport,
  { payload }: Dissection,
): FrameDescription | undefined {
  const address = (value: bigint): string =>
    network.kind === "ipv4" ? ipv4Text(value) : `[${ipv6Text(value)}]`;
  const ends = [address(network.header.source), address(network.header.destination)] as const;
  if (transport.kind === "icmp") return describeIcmp(transport.header, ends);
  if (transport.kind === "icmpv6") return undefined;
  const { srcPort, dstPort } = transport.header;
  const [source, destination] = [`${ends[0]}:${srcPort}`, `${ends[1]}:${dstPort}`];
  const way = `${source} → ${destination}`;
  const size = payload.length === 0 ? "" : `, ${payload.length} bytes`;
  const flowKey = flowKeyOf(transport.kind, source, destination);
  if (transport.kind === "udp") return { protocol: "udp", label: `UDP ${way}${size}`, flowKey };
  const { flags } = transport.header;
  const names = FLAGS.flatMap(([bit, name]) => ((flags & bit) === 0 ? [] : [name])).join(" ");
  return { protocol: "tcp", label: `TCP ${names} ${way}${size}`, flowKey };
}

function describeIcmp(
  { type, identifier, sequence }: Icmp.Header,
  [source, destination]: readonly [string, string],
): FrameDescription {
  const isEcho = type === Icmp.ECHO_REPLY || type === Icmp.ECHO_REQUEST;
  const number = isEcho ? ` ${sequence}` : "";
  const label = `${ICMP_NAMES[type] ?? `ICMP type ${type}`}${number} ${source} → ${destination}`;
  if (!isEcho) return { protocol: "icmp", label };
  return { protocol: "icmp", label, flowKey: flowKeyOf(`icmp ${identifier}`, source, destination) };
}
