/** The packet of a probe: Ethernet, perhaps a VLAN tag, IPv4 or IPv6, and a header of 20 bytes that begins with the two ports. */
import { addWords, finishChecksum, toBytes } from "../../base/index.js";
import { type SelectorField, selectorHeaders } from "../../base/packets/index.js";

/** Header fields that a switch may hash. */
export interface ProbeHeader {
  readonly version: 4 | 6;
  readonly src: bigint;
  readonly dst: bigint;
  readonly protocol: number;
  readonly srcPort: number;
  readonly dstPort: number;
  /** Value of the field that the prober writes. */
  readonly selector: number;
}

/** Low bits of the source of {@link referenceProbe} that probes may change: those of 10.0.0.0/8. */
export const REFERENCE_SOURCE_BITS = 24;

/** The packet from 10.0.0.1 with which other probes are compared. */
export function referenceProbe(dst: bigint): ProbeHeader {
  return { version: 4, src: 0x0a000001n, dst, protocol: 6, srcPort: 0, dstPort: 0, selector: 0 };
}

const TYPE_VLAN = 0x8100;
const TYPE_IPV4 = 0x0800;
const TYPE_IPV6 = 0x86dd;
/** TTL of probes whose selector field is not the TTL. */
const TTL = 64;
const TRANSPORT_BYTES = 20;

export function probeFrame(header: ProbeHeader, field: SelectorField): Uint8Array {
  const { dscp, vlan, flowLabel, ttl = TTL } = selectorHeaders(field, header.selector);
  const type = header.version === 4 ? TYPE_IPV4 : TYPE_IPV6;
  const ethernet = [
    ...new Uint8Array(12),
    ...(vlan === undefined ? [] : [...word(TYPE_VLAN), ...word(vlan)]),
    ...word(type),
  ];
  const ip = header.version === 4 ? ipv4(header, dscp, ttl) : ipv6(header, dscp, flowLabel, ttl);
  const transport = new Uint8Array(TRANSPORT_BYTES);
  transport.set([...word(header.srcPort), ...word(header.dstPort)]);
  // Offset and flags of a TCP segment without payload; other protocols have zeros there.
  if (header.protocol === 6) transport.set([0x50, 0x10], 12);
  return Uint8Array.from([...ethernet, ...ip, ...transport]);
}

function word(value: number): [number, number] {
  return [(value >>> 8) & 0xff, value & 0xff];
}

function ipv4({ src, dst, protocol }: ProbeHeader, dscp: number, ttl: number): Uint8Array {
  const bytes = new Uint8Array(20);
  bytes.set([0x45, dscp << 2, ...word(20 + TRANSPORT_BYTES), 0, 0, 0, 0, ttl, protocol]);
  bytes.set(toBytes(src, 4), 12);
  bytes.set(toBytes(dst, 4), 16);
  bytes.set(word(finishChecksum(addWords(bytes, 0, 20, 0))), 10);
  return bytes;
}

function ipv6({ src, dst, protocol }: ProbeHeader, dscp: number, label: number, hops: number): Uint8Array {
  const bytes = new Uint8Array(40);
  const first = ((6 << 28) | (dscp << 22) | label) >>> 0;
  bytes.set([first >>> 24, first >>> 16, first >>> 8, first, ...word(TRANSPORT_BYTES), protocol, hops]);
  bytes.set(toBytes(src, 16), 8);
  bytes.set(toBytes(dst, 16), 24);
  return bytes;
}
