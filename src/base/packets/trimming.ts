/**
 * Packet trimming as the header of a packet tells of it: code points of the Differentiated Services field, and a cut frame. Ultra Ethernet has three code
 * points for the same purposes, whose values an operator sets; these are of the pool for local use (RFC 2474, section 6).
 */
import * as Ethernet from "./ethernet.js";
import * as Ip from "./ip.js";
import * as Ipv4 from "./ipv4.js";
import * as Ipv6 from "./ipv6.js";
import { PROTOCOL_UDP } from "./numbers.js";
import * as Udp from "./udp.js";

export const DSCP = {
  /** Data that a switch may cut. */
  trimmable: 0b000011,
  /** Data that a switch has cut. */
  trimmed: 0b000111,
  /** Answers, which wait with the headers. */
  control: 0b001011,
} as const;

/** The code point of a frame; undefined for anything but IP. */
export function dscpOf(frame: Uint8Array): number | undefined {
  const ip = Ethernet.payloadAt(frame);
  const family = ip === 0 ? undefined : Ip.familyOfType(Ethernet.payloadType(frame, ip));
  if (family === undefined || frame.length < ip + family.length) return undefined;
  return Ip.dscp(frame, ip, family);
}

/**
 * Makes a frame that was cut to its present length a whole packet that says so: the code point, the lengths of IP and UDP, and checksums.
 * A real switch leaves lengths and checksums, and the receiver's NIC does not look at those of a trimmed packet.
 */
export function markTrimmed(frame: Uint8Array): void {
  const ip = Ethernet.payloadAt(frame);
  const family = Ip.familyOfType(Ethernet.payloadType(frame, ip));
  if (family === undefined) return;
  const ecn = Ip.trafficClass(frame, ip, family) & 3;
  const transport = ip + Ip.headerLength(frame, ip, family);
  const trafficClass = (DSCP.trimmed << 2) | ecn;
  if (family === Ip.IPV4) Ipv4.updateTrafficClass(frame, ip, trafficClass);
  else Ipv6.setFirstWord(frame, ip, trafficClass, Ipv6.flowLabel(frame, ip));
  Ip.finish(frame, ip, family, frame.length - ip);
  if (Ip.protocol(frame, ip, family) !== PROTOCOL_UDP) return;
  const length = frame.length - transport;
  Udp.setLength(frame, transport, length);
  Udp.writeChecksum(frame, transport, frame.length, Ip.pseudoSum(frame, ip, family, PROTOCOL_UDP, length));
}
