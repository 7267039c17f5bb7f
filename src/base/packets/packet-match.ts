/**
 * Which frames a fault affects: by five-tuple, address prefix and frame size. Fields are read as the parser of the
 * generated programs reads them, so that a fault affects the same frames in the simulator and in a fault table:
 * at most one 802.1Q tag; ports only of TCP and UDP packets that are not fragments, after an IPv4 header without options.
 */

import { toBytes } from "../index.js";
import * as Ethernet from "./ethernet.js";
import * as Ip from "./ip.js";
import { PROTOCOL_TCP, PROTOCOL_UDP } from "./numbers.js";
import * as Tcp from "./tcp.js";
import * as Udp from "./udp.js";

/** Addresses with the same first `length` bits. IPv4 has 32 bits, IPv6 128. */
export interface AddressPrefix {
  readonly ipVersion: 4 | 6;
  readonly address: bigint;
  readonly length: number;
}

/** A frame matches when it has all given properties; an empty match is for every frame. */
export interface PacketMatch {
  readonly src?: AddressPrefix;
  readonly dst?: AddressPrefix;
  /** IPv4 protocol or IPv6 next header. */
  readonly protocol?: number;
  readonly srcPort?: number;
  readonly dstPort?: number;
  /** Bytes of the frame from the Ethernet header to the last byte of the payload, both bounds included. */
  readonly minBytes?: number;
  readonly maxBytes?: number;
}

/** Positions of the fields of a frame; 0: the frame does not have them. One object is reused for all frames. */
export class FrameFields {
  ipVersion: 0 | 4 | 6 = 0;
  ipAt = 0;
  protocol = 0;
  srcAt = 0;
  portsAt = 0;

  read(frame: Uint8Array): void {
    this.ipVersion = 0;
    this.portsAt = 0;
    this.protocol = 0;
    const at = Ethernet.payloadAt(frame);
    if (at === 0) return;
    const family = Ip.familyOfType(Ethernet.payloadType(frame, at));
    if (family === undefined || frame.length < at + family.length) return;
    this.ipVersion = family.version;
    this.ipAt = at;
    this.protocol = Ip.protocol(frame, at, family);
    this.srcAt = at + family.keyAt;
    const end = at + family.length;
    if (
      Ip.headerLength(frame, at, family) === family.length &&
      !Ip.isFragment(frame, at, family) &&
      (this.protocol === PROTOCOL_TCP || this.protocol === PROTOCOL_UDP) &&
      frame.length >= end + Ip.PORTS_LENGTH
    )
      this.portsAt = end;
  }
}

const FIELDS = new FrameFields();

/** Bytes after the header of TCP or UDP; 0 for all other frames. */
export function payloadBytes(frame: Uint8Array): number {
  FIELDS.read(frame);
  const { ipVersion, ipAt, protocol, portsAt } = FIELDS;
  if (portsAt === 0) return 0;
  const header = protocol === PROTOCOL_UDP ? Udp.LENGTH : Tcp.headerLength(frame, portsAt);
  return Math.max(0, Ip.endOf(frame, ipAt, ipVersion === 4 ? Ip.IPV4 : Ip.IPV6) - portsAt - header);
}

/** A prefix as bytes to compare. */
interface PrefixBytes {
  readonly ipVersion: 4 | 6;
  readonly bytes: Uint8Array;
  readonly length: number;
}

function prefixBytes({ ipVersion, address, length }: AddressPrefix): PrefixBytes {
  const { addressLength } = ipVersion === 4 ? Ip.IPV4 : Ip.IPV6;
  return { ipVersion, bytes: toBytes(address, addressLength), length };
}

function hasPrefix(frame: Uint8Array, at: number, { bytes, length }: PrefixBytes): boolean {
  const whole = length >> 3;
  for (let i = 0; i < whole; i++) if (frame[at + i] !== bytes[i]) return false;
  const rest = length & 7;
  return rest === 0 || (frame[at + whole]! ^ bytes[whole]!) >> (8 - rest) === 0;
}

/** A {@link PacketMatch} that is applied to many frames, without allocation. */
export class PacketFilter {
  readonly #match: PacketMatch;
  readonly #src: PrefixBytes | undefined;
  readonly #dst: PrefixBytes | undefined;
  readonly #readsHeaders: boolean;
  readonly #fields = new FrameFields();

  constructor(match: PacketMatch) {
    this.#match = match;
    this.#src = match.src && prefixBytes(match.src);
    this.#dst = match.dst && prefixBytes(match.dst);
    const { src, dst, protocol, srcPort, dstPort } = match;
    this.#readsHeaders = [src, dst, protocol, srcPort, dstPort].some((field) => field !== undefined);
  }

  matches(frame: Uint8Array): boolean {
    const { minBytes, maxBytes, protocol, srcPort, dstPort } = this.#match;
    if (minBytes !== undefined && frame.length < minBytes) return false;
    if (maxBytes !== undefined && frame.length > maxBytes) return false;
    if (!this.#readsHeaders) return true;
    const fields = this.#fields;
    fields.read(frame);
    const { ipVersion, srcAt, portsAt } = fields;
    if (ipVersion === 0) return false;
    const src = this.#src;
    if (src !== undefined && (src.ipVersion !== ipVersion || !hasPrefix(frame, srcAt, src))) return false;
    const dst = this.#dst;
    const dstAt = srcAt + (ipVersion === 4 ? Ip.IPV4 : Ip.IPV6).addressLength;
    if (dst !== undefined && (dst.ipVersion !== ipVersion || !hasPrefix(frame, dstAt, dst))) return false;
    if (protocol !== undefined && fields.protocol !== protocol) return false;
    if (srcPort === undefined && dstPort === undefined) return true;
    if (portsAt === 0) return false;
    // The ports of UDP stand where those of TCP do.
    if (srcPort !== undefined && Tcp.srcPort(frame, portsAt) !== srcPort) return false;
    return dstPort === undefined || Tcp.dstPort(frame, portsAt) === dstPort;
  }
}
