/**
 * Real bytes of TCP segments: Ethernet, an optional 802.1Q tag, IPv4 or IPv6, TCP, with right checksums.
 * The payload is zeros: a simulated flow moves byte counts, not contents. Each segment carries the selector
 * in its headers (where, the scheme says) and, in a TCP option for experiments (RFC 6994), the echo: the
 * selector of the last segment that came from the other end.
 */
import { addWords, finishChecksum, foldSum, toBytes } from "../../base/index.js";
import { ECHO_OPTION, type SelectorHeaders } from "../../hosts/index.js";

const ETHERTYPE_VLAN = 0x8100;
const ETHERTYPE_IPV4 = 0x0800;
const ETHERTYPE_IPV6 = 0x86dd;
const PROTOCOL_TCP = 6;
const HOP_LIMIT = 64;

const TCP_HEADER_LENGTH = 20 + ECHO_OPTION.length;

export const FLAG_PSH = 0x08;
export const FLAG_ACK = 0x10;
/** The data that an acknowledgement answers had been marked. */
export const FLAG_ECE = 0x40;

/** ECN field of the IP header (RFC 3168). */
const ECT_0 = 2;
const CE = 3;

/** How selectors are written into headers and read back. */
export interface SelectorCodec {
  headersOf(selector: number): SelectorHeaders;
  selectorOf(headers: SelectorHeaders): number;
}

/** One direction of a connection, as its packets show it. */
export interface FlowAddresses {
  ipVersion: 4 | 6;
  srcMac: bigint;
  dstMac: bigint;
  src: bigint;
  dst: bigint;
  srcPort: number;
  dstPort: number;
}

function put16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

function put32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

function get16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

function get32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** Builds the segments that one end of a connection sends. All but a few fields are the same each time. */
export class SegmentBuilder {
  readonly #codec: SelectorCodec;
  readonly #version: 4 | 6;
  readonly #ecn: number;
  /** Headers with the selector last used; rebuilt when it changes. */
  #headers: Uint8Array = new Uint8Array(0);
  #selector = -1;
  #ipAt = 0;
  #tcpAt = 0;
  /** Sums over what does not change while the selector stays. */
  #ipSum = 0;
  #tcpSum = 0;

  constructor(
    readonly addresses: FlowAddresses,
    codec: SelectorCodec,
    /** Whether its packets can be marked. */
    ecn = false,
  ) {
    this.#codec = codec;
    this.#ecn = ecn ? ECT_0 : 0;
    this.#version = addresses.ipVersion;
  }

  /** A new frame; `sequence` and `acknowledgement` are taken modulo 2^32. */
  build(
    sequence: number,
    acknowledgement: number,
    payloadLength: number,
    flags: number,
    selector: number,
    echo: number,
  ): Uint8Array {
    if (selector !== this.#selector) this.#prepare(selector);
    const ip = this.#ipAt;
    const tcp = this.#tcpAt;
    const frame = new Uint8Array(this.#headers.length + payloadLength);
    frame.set(this.#headers);
    const tcpLength = TCP_HEADER_LENGTH + payloadLength;
    if (this.#version === 4) {
      put16(frame, ip + 2, 20 + tcpLength);
      put16(frame, ip + 10, finishChecksum(this.#ipSum + 20 + tcpLength));
    } else {
      put16(frame, ip + 4, tcpLength);
    }
    put32(frame, tcp + 4, sequence);
    put32(frame, tcp + 8, acknowledgement);
    frame[tcp + 13] = flags;
    put32(frame, tcp + 24, echo);
    const changing =
      addWords(frame, tcp + 4, tcp + 14, 0) + addWords(frame, tcp + 24, tcp + 28, 0) + tcpLength;
    put16(frame, tcp + 16, finishChecksum(this.#tcpSum + changing));
    return frame;
  }

  #prepare(selector: number): void {
    const { dscp, vlan, flowLabel } = this.#codec.headersOf(selector);
    const { srcMac, dstMac, src, dst, srcPort, dstPort } = this.addresses;
    const tagLength = vlan === undefined ? 0 : 4;
    const ip = 14 + tagLength;
    const tcp = ip + (this.#version === 4 ? 20 : 40);
    const bytes = new Uint8Array(tcp + TCP_HEADER_LENGTH);
    bytes.set(toBytes(dstMac, 6), 0);
    bytes.set(toBytes(srcMac, 6), 6);
    if (vlan !== undefined) {
      put16(bytes, 12, ETHERTYPE_VLAN);
      put16(bytes, 14, vlan & 0xfff);
    }
    put16(bytes, ip - 2, this.#version === 4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6);
    let addressesAt: number;
    if (this.#version === 4) {
      bytes[ip] = 0x45;
      bytes[ip + 1] = ((dscp & 0x3f) << 2) | this.#ecn;
      // Identification 0 with "don't fragment" set: an atomic datagram (RFC 6864).
      put16(bytes, ip + 6, 0x4000);
      bytes[ip + 8] = HOP_LIMIT;
      bytes[ip + 9] = PROTOCOL_TCP;
      addressesAt = ip + 12;
      bytes.set(toBytes(src, 4), addressesAt);
      bytes.set(toBytes(dst, 4), addressesAt + 4);
      this.#ipSum = addWords(bytes, ip, tcp, 0);
    } else {
      const trafficClass = ((dscp & 0x3f) << 2) | this.#ecn;
      put32(bytes, ip, (6 << 28) | (trafficClass << 20) | (flowLabel & 0xfffff));
      bytes[ip + 6] = PROTOCOL_TCP;
      bytes[ip + 7] = HOP_LIMIT;
      addressesAt = ip + 8;
      bytes.set(toBytes(src, 16), addressesAt);
      bytes.set(toBytes(dst, 16), addressesAt + 16);
    }
    put16(bytes, tcp, srcPort);
    put16(bytes, tcp + 2, dstPort);
    bytes[tcp + 12] = (TCP_HEADER_LENGTH / 4) << 4;
    put16(bytes, tcp + 14, 0xffff);
    bytes[tcp + 20] = ECHO_OPTION.kind;
    bytes[tcp + 21] = ECHO_OPTION.length;
    put16(bytes, tcp + 22, ECHO_OPTION.experiment);
    // The data offset shares its 16-bit word with the flags: `build` adds that word, so it is left out here.
    this.#tcpSum =
      addWords(bytes, addressesAt, tcp, PROTOCOL_TCP) +
      addWords(bytes, tcp, tcp + 4, 0) +
      addWords(bytes, tcp + 14, tcp + 24, 0);
    this.#headers = bytes;
    this.#selector = selector;
    this.#ipAt = ip;
    this.#tcpAt = tcp;
  }
}

/** A segment as a host reads it; one object is reused for every frame that arrives. */
export class Segment {
  ipVersion: 4 | 6 = 4;
  /** Where the destination MAC, the source and destination address and the ports stand in the frame. */
  frame: Uint8Array = new Uint8Array(0);
  srcAt = 0;
  dstAt = 0;
  addressLength = 4;
  srcPort = 0;
  dstPort = 0;
  sequence = 0;
  acknowledgement = 0;
  flags = 0;
  payloadLength = 0;
  /** Whether the segment has our option; without it there is no echo. */
  hasEcho = false;
  echo = 0;
  /** Whether a switch has marked the packet. */
  marked = false;
  /** IPv4 time to live or IPv6 hop limit as it arrived. */
  hopLimit = 0;
  readonly headers: SelectorHeaders = { dscp: 0, vlan: undefined, flowLabel: 0 };

  /** Reads a frame; false when it is no TCP segment, or a checksum or length is wrong. */
  read(frame: Uint8Array): boolean {
    this.frame = frame;
    const headers = this.headers;
    headers.vlan = undefined;
    let ip = 14;
    let type = frame.length >= 14 ? get16(frame, 12) : 0;
    if (type === ETHERTYPE_VLAN && frame.length >= 18) {
      headers.vlan = get16(frame, 14) & 0xfff;
      type = get16(frame, 16);
      ip = 18;
    }
    let tcp: number;
    let end: number;
    if (type === ETHERTYPE_IPV4 && frame.length >= ip + 20 && frame[ip] === 0x45) {
      tcp = ip + 20;
      end = ip + get16(frame, ip + 2);
      if (frame[ip + 9] !== PROTOCOL_TCP) return false;
      if (foldSum(addWords(frame, ip, tcp, 0)) !== 0xffff) return false;
      this.ipVersion = 4;
      this.hopLimit = frame[ip + 8]!;
      this.srcAt = ip + 12;
      this.addressLength = 4;
      headers.dscp = frame[ip + 1]! >>> 2;
      this.marked = (frame[ip + 1]! & 3) === CE;
      headers.flowLabel = 0;
    } else if (type === ETHERTYPE_IPV6 && frame.length >= ip + 40 && frame[ip]! >>> 4 === 6) {
      tcp = ip + 40;
      end = tcp + get16(frame, ip + 4);
      if (frame[ip + 6] !== PROTOCOL_TCP) return false;
      this.ipVersion = 6;
      this.hopLimit = frame[ip + 7]!;
      this.srcAt = ip + 8;
      this.addressLength = 16;
      const first = get32(frame, ip);
      headers.dscp = (first >>> 22) & 0x3f;
      this.marked = ((first >>> 20) & 3) === CE;
      headers.flowLabel = first & 0xfffff;
    } else {
      return false;
    }
    this.dstAt = this.srcAt + this.addressLength;
    if (end > frame.length || end < tcp + 20) return false;
    const headerLength = (frame[tcp + 12]! >>> 4) * 4;
    if (headerLength < 20 || end < tcp + headerLength) return false;
    const sum = addWords(frame, this.srcAt, tcp, PROTOCOL_TCP + end - tcp);
    if (foldSum(addWords(frame, tcp, end, sum)) !== 0xffff) return false;
    this.srcPort = get16(frame, tcp);
    this.dstPort = get16(frame, tcp + 2);
    this.sequence = get32(frame, tcp + 4);
    this.acknowledgement = get32(frame, tcp + 8);
    this.flags = frame[tcp + 13]!;
    this.payloadLength = end - tcp - headerLength;
    const option = findEcho(frame, tcp + 20, tcp + headerLength);
    this.hasEcho = option >= 0;
    this.echo = this.hasEcho ? get32(frame, option + 4) : 0;
    return true;
  }
}

/** Where our option begins among well-formed options (RFC 9293, section 3.1); -1 where it is not. */
function findEcho(frame: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && frame[at] !== 0) {
    const length = frame[at] === 1 ? 1 : at + 1 < end ? frame[at + 1]! : 0;
    if (length < 1 || (length < 2 && frame[at] !== 1) || at + length > end) return -1;
    const { kind, experiment } = ECHO_OPTION;
    if (frame[at] === kind && length === ECHO_OPTION.length && get16(frame, at + 2) === experiment) return at;
    at += length;
  }
  return -1;
}
