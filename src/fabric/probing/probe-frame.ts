/** The packet of a probe: Ethernet, perhaps a VLAN tag, IPv4 or IPv6, and a header of 20 bytes that begins with the two ports. */
import {
  FLAG_ACK,
  finishIp,
  PROTOCOL_TCP,
  prepareHeaders,
  type SelectorField,
  selectorHeaders,
  Tcp,
} from "../../base/packets/index.js";

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
  return { version: 4, src: 0x0a000001n, dst, protocol: PROTOCOL_TCP, srcPort: 0, dstPort: 0, selector: 0 };
}

/** The packet of a probe; its checksum in the transport header is 0. */
export function probeFrame(header: ProbeHeader, field: SelectorField): Uint8Array {
  const { version, src, dst, protocol, srcPort, dstPort, selector } = header;
  const ends = { ipVersion: version, srcMac: 0n, dstMac: 0n, src, dst, srcPort, dstPort };
  const prepared = prepareHeaders(ends, selectorHeaders(field, selector), protocol, Tcp.LENGTH, false);
  const { bytes, transportAt } = prepared;
  finishIp(bytes, prepared, version, false, Tcp.LENGTH);
  // Offset and flags of a TCP segment without payload; other protocols have zeros there.
  if (protocol === PROTOCOL_TCP) {
    Tcp.setHeaderLength(bytes, transportAt, Tcp.LENGTH);
    Tcp.setFlags(bytes, transportAt, FLAG_ACK);
  }
  return bytes;
}
