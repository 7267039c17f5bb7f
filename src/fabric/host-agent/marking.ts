/**
 * Marks segments between the kernel and the wire, as `src/base/packets/segment.ts` does in the simulator.
 *
 * On the wire a segment carries its selector in the headers (see {@link Mark}) and the echo as its first TCP option. The
 * kernel sees neither. In both directions a segment is changed in place: the headers move by the eight
 * bytes of the option, and the payload stays. Checksums are updated incrementally (RFC 1624), so a damaged
 * segment stays damaged.
 */
import { FLAG_ECE, Ip, Ipv4, Ipv6, Tcp, TcpOption, without } from "../../base/packets/index.js";

const { ECHO } = TcpOption;
/** Bytes of the option. */
export const ECHO_LENGTH = ECHO.length;
/** What the option adds to the sum of a segment, without the echo: in the pseudo header, the data offset, and the option. */
const ECHO_SUM = ECHO_LENGTH + Tcp.lengthSum(ECHO_LENGTH) + TcpOption.firstWord(ECHO) + ECHO.experiment;
/** Bytes of the longest header in which the option fits. */
const ROOMY_LENGTH = Tcp.MOST_LENGTH - ECHO_LENGTH;

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

function echoSum(echo: number): number {
  return ECHO_SUM + (echo >>> 16) + (echo & 0xffff);
}

/** Sets or clears the FLAG_ECE flag of the segment whose TCP header stands at `tcp`. */
export function writeEce(bytes: Uint8Array, tcp: number, isSet: boolean): void {
  const flags = Tcp.flags(bytes, tcp);
  if (((flags & FLAG_ECE) !== 0) !== isSet) Tcp.updateFlags(bytes, tcp, flags ^ FLAG_ECE);
}

/** Whether the segment whose TCP header stands at `tcp` has room for the option. */
export function hasRoom(bytes: Uint8Array, tcp: number): boolean {
  return Tcp.headerLength(bytes, tcp) <= ROOMY_LENGTH;
}

/** Inserts the option into a segment that has room, with eight free bytes before it; returns its new start. */
export function addEcho(bytes: Uint8Array, ip: number, family: Ip.Family, echo: number): number {
  const start = ip - ECHO_LENGTH;
  const tcp = start + family.length;
  bytes.copyWithin(start, ip, ip + family.length + Tcp.LENGTH);
  TcpOption.putExperiment(bytes, tcp + Tcp.LENGTH, ECHO, echo);
  Ip.updateLength(bytes, start, family, ECHO_LENGTH);
  Tcp.lengthenHeader(bytes, tcp, ECHO_LENGTH);
  Tcp.updateChecksum(bytes, tcp, echoSum(echo));
  return start;
}

/** Whether the segment that ends at `end` carries an echo. */
export function hasEcho(bytes: Uint8Array, tcp: number, end: number): boolean {
  const option = tcp + Tcp.LENGTH;
  return (
    end >= option + ECHO_LENGTH &&
    TcpOption.isExperiment(bytes, option, ECHO) &&
    Tcp.headerLength(bytes, tcp) >= Tcp.LENGTH + ECHO_LENGTH
  );
}

export function echoOf(bytes: Uint8Array, tcp: number): number {
  return TcpOption.experimentValue(bytes, tcp + Tcp.LENGTH);
}

/** Removes the option from a segment that carries it; returns its new start. */
export function removeEcho(bytes: Uint8Array, ip: number, family: Ip.Family): number {
  const tcp = ip + family.length;
  Tcp.updateChecksum(bytes, tcp, without(echoSum(echoOf(bytes, tcp))));
  Tcp.lengthenHeader(bytes, tcp, -ECHO_LENGTH);
  Ip.updateLength(bytes, ip, family, -ECHO_LENGTH);
  bytes.copyWithin(ip + ECHO_LENGTH, ip, tcp + Tcp.LENGTH);
  return ip + ECHO_LENGTH;
}

/** Writes a mark into a packet with space before it; returns the start of the frame. The mark may replace another one. */
export function writeMark(bytes: Uint8Array, ip: number, family: Ip.Family, mark: Mark): number {
  const { trafficClass, flowLabel, ethernet, ttl } = mark;
  if (ttl !== undefined) Ip.updateHopLimit(bytes, ip, family, ttl);
  const marked = trafficClass | (Ip.trafficClass(bytes, ip, family) & 3);
  if (family === Ip.IPV4) Ipv4.updateTrafficClass(bytes, ip, marked);
  else Ipv6.setFirstWord(bytes, ip, marked, flowLabel);
  const start = ip - ethernet.length;
  bytes.set(ethernet, start);
  return start;
}
