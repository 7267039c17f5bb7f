/** Frames as a host reads them: Ethernet, an optional 802.1Q tag, IPv4 or IPv6, then TCP or UDP, checksums verified. */
import { addWords, foldSum } from "./checksum.js";
import { ECHO_OPTION } from "./echo-option.js";
import { CE, ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_VLAN, PROTOCOL_TCP, PROTOCOL_UDP } from "./numbers.js";
import { FIELD_BITS, type SelectorHeaders } from "./selector-field.js";
import { get16, get32 } from "./words.js";

/** Kinds of TCP options (RFC 9293, 7323, 2018, 8684). */
export const OPTION_MSS = 2;
export const OPTION_WINDOW_SCALE = 3;
export const OPTION_SACK_PERMITTED = 4;
export const OPTION_SACK = 5;

/** Options for experiments (RFC 6994) of subflows: the position of data in the stream of all subflows, and the connection that a SYN joins. */
export const MAPPING_OPTION = { kind: 253, length: 8, experiment: 0x5035 } as const;
export const JOIN_OPTION = { kind: 253, length: 10, experiment: 0x5036 } as const;

/** Bits of the echo's field that the selector takes, the maximum of all header fields; the lane is above them. */
export const ECHO_BITS = Math.max(...Object.values(FIELD_BITS));
const ECHO_MASK = 2 ** ECHO_BITS - 1;

/** RFC 7323, section 2.3: larger shifts count as this one. */
export const MOST_WINDOW_SCALE = 14;

/** Maximum number of SACK blocks in a header. */
const MOST_SACK_BLOCKS = 4;

/** A TCP segment or a UDP datagram as a host reads it; one object is reused for every frame that arrives. */
export class Segment {
  ipVersion: 4 | 6 = 4;
  /** 6 TCP, 17 UDP. */
  protocol = PROTOCOL_TCP;
  /** Position of the source and destination address and the payload in the frame. */
  frame: Uint8Array = new Uint8Array(0);
  srcAt = 0;
  dstAt = 0;
  addressLength = 4;
  payloadAt = 0;
  srcPort = 0;
  dstPort = 0;
  /** For a datagram these, the flags and the options have no meaning. */
  sequence = 0;
  acknowledgement = 0;
  flags = 0;
  /** As on the wire, not scaled. */
  window = 0;
  payloadLength = 0;
  /** Whether the segment has our option; without it there is no echo. */
  hasEcho = false;
  echo = 0;
  /** Which of several subflows with one five-tuple; 0 without them. It stands in the high bits of the echo. */
  lane = 0;
  /** 0 where the option is absent. */
  mss = 0;
  /** -1 where the option is absent. */
  windowScale = -1;
  sackPermitted = false;
  /** SACK blocks in the order of the option: first and following sequence number of each. */
  sackCount = 0;
  readonly sackStarts = new Float64Array(MOST_SACK_BLOCKS);
  readonly sackEnds = new Float64Array(MOST_SACK_BLOCKS);
  /** Low 32 bits of the position of the payload in the stream of all subflows; -1 where the option is absent. */
  mapping = -1;
  /** Of a SYN of a subflow: token of its connection, -1 where the option is absent; its number, and how many there are. */
  token = -1;
  subflow = 0;
  subflows = 1;
  /** Whether a switch has marked the packet. */
  marked = false;
  /** IPv4 time to live or IPv6 hop limit as it arrived. */
  hopLimit = 0;
  readonly headers: SelectorHeaders = { dscp: 0, vlan: undefined, flowLabel: 0 };

  /** Reads a frame; false when it is neither TCP nor UDP, or a checksum or length is wrong. */
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
    let transport: number;
    let end: number;
    if (type === ETHERTYPE_IPV4 && frame.length >= ip + 20 && frame[ip] === 0x45) {
      transport = ip + 20;
      end = ip + get16(frame, ip + 2);
      if (foldSum(addWords(frame, ip, transport, 0)) !== 0xffff) return false;
      this.ipVersion = 4;
      this.protocol = frame[ip + 9]!;
      this.hopLimit = frame[ip + 8]!;
      headers.ttl = this.hopLimit;
      this.srcAt = ip + 12;
      this.addressLength = 4;
      headers.dscp = frame[ip + 1]! >>> 2;
      this.marked = (frame[ip + 1]! & 3) === CE;
      headers.flowLabel = 0;
    } else if (type === ETHERTYPE_IPV6 && frame.length >= ip + 40 && frame[ip]! >>> 4 === 6) {
      transport = ip + 40;
      end = transport + get16(frame, ip + 4);
      this.ipVersion = 6;
      this.protocol = frame[ip + 6]!;
      this.hopLimit = frame[ip + 7]!;
      headers.ttl = this.hopLimit;
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
    if (end > frame.length) return false;
    if (this.protocol === PROTOCOL_TCP) return this.#readTcp(transport, end);
    return this.protocol === PROTOCOL_UDP && this.#readUdp(transport, end);
  }

  #readTcp(tcp: number, end: number): boolean {
    const { frame } = this;
    if (end < tcp + 20) return false;
    const headerLength = (frame[tcp + 12]! >>> 4) * 4;
    if (headerLength < 20 || end < tcp + headerLength) return false;
    if (!this.#sumIsRight(tcp, end)) return false;
    this.srcPort = get16(frame, tcp);
    this.dstPort = get16(frame, tcp + 2);
    this.sequence = get32(frame, tcp + 4);
    this.acknowledgement = get32(frame, tcp + 8);
    this.flags = frame[tcp + 13]!;
    this.window = get16(frame, tcp + 14);
    this.payloadAt = tcp + headerLength;
    this.payloadLength = end - this.payloadAt;
    this.#readOptions(tcp + 20, tcp + headerLength);
    return true;
  }

  #readUdp(udp: number, end: number): boolean {
    const { frame } = this;
    if (end < udp + 8 || get16(frame, udp + 4) !== end - udp) return false;
    // RFC 768: an IPv4 datagram may come without a checksum.
    if (!(this.ipVersion === 4 && get16(frame, udp + 6) === 0) && !this.#sumIsRight(udp, end)) return false;
    this.srcPort = get16(frame, udp);
    this.dstPort = get16(frame, udp + 2);
    this.payloadAt = udp + 8;
    this.payloadLength = end - this.payloadAt;
    this.hasEcho = false;
    return true;
  }

  #sumIsRight(transport: number, end: number): boolean {
    const sum = addWords(this.frame, this.srcAt, transport, this.protocol + end - transport);
    return foldSum(addWords(this.frame, transport, end, sum)) === 0xffff;
  }

  /** Reads options up to the first malformed one (RFC 9293, section 3.1). Unknown ones are skipped. */
  #readOptions(from: number, end: number): void {
    const { frame } = this;
    this.hasEcho = false;
    this.echo = 0;
    this.lane = 0;
    this.mss = 0;
    this.windowScale = -1;
    this.sackPermitted = false;
    this.sackCount = 0;
    this.mapping = -1;
    this.token = -1;
    let at = from;
    while (at < end && frame[at] !== 0) {
      const kind = frame[at]!;
      if (kind === 1) {
        at++;
        continue;
      }
      const length = at + 1 < end ? frame[at + 1]! : 0;
      if (length < 2 || at + length > end) return;
      if (kind === ECHO_OPTION.kind) {
        if (length >= 8) this.#readExperiment(at, length);
      } else if (kind === OPTION_SACK) this.#readSack(at, length);
      else if (kind === OPTION_MSS && length === 4) this.mss = get16(frame, at + 2);
      else if (kind === OPTION_WINDOW_SCALE && length === 3)
        this.windowScale = Math.min(frame[at + 2]!, MOST_WINDOW_SCALE);
      else if (kind === OPTION_SACK_PERMITTED && length === 2) this.sackPermitted = true;
      at += length;
    }
  }

  /** RFC 6994: options that share a kind have an identifier each. */
  #readExperiment(at: number, length: number): void {
    const { frame } = this;
    const experiment = get16(frame, at + 2);
    const value = get32(frame, at + 4);
    if (experiment === ECHO_OPTION.experiment && length === ECHO_OPTION.length && !this.hasEcho) {
      this.hasEcho = true;
      this.echo = value & ECHO_MASK;
      this.lane = value >>> ECHO_BITS;
    } else if (experiment === MAPPING_OPTION.experiment && length === MAPPING_OPTION.length)
      this.mapping = value;
    else if (experiment === JOIN_OPTION.experiment && length === JOIN_OPTION.length) {
      this.token = value;
      this.subflow = frame[at + 8]!;
      this.subflows = frame[at + 9]!;
    }
  }

  #readSack(at: number, length: number): void {
    for (let block = at + 2; block + 8 <= at + length; block += 8) {
      this.sackStarts[this.sackCount] = get32(this.frame, block);
      this.sackEnds[this.sackCount++] = get32(this.frame, block + 4);
    }
  }
}
