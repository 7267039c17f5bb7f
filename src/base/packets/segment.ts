/** Frames as a host reads them, and as they cross a network: Ethernet, an optional overlay header and 802.1Q tag, IPv4 or IPv6, then TCP or UDP, checksums verified. */

import { addWords, foldSum } from "./checksum.js";
import * as Ethernet from "./ethernet.js";
import * as Ipv4 from "./ipv4.js";
import * as Ipv6 from "./ipv6.js";
import { CE, ETHERTYPE_IPV4, ETHERTYPE_IPV6, PROTOCOL_TCP, PROTOCOL_UDP } from "./numbers.js";
import { OPTION_END, optionLength } from "./options.js";
import { FIELD_BITS, type SelectorHeaders } from "./selector-field.js";
import * as Tcp from "./tcp.js";
import * as TcpOption from "./tcp-option.js";
import * as Udp from "./udp.js";
import * as Vlan from "./vlan.js";
import { get16, get32 } from "./words.js";

/** Bits of the echo's field that the selector takes, the maximum of all header fields; the lane is above them. */
export const ECHO_BITS = Math.max(...Object.values(FIELD_BITS));
const ECHO_MASK = 2 ** ECHO_BITS - 1;

const NO_FRAME = new Uint8Array(0);

/** A TCP segment or a UDP datagram as a host reads it; one object is reused for every frame that arrives. */
export class Segment {
  ipVersion: 4 | 6 = 4;
  /** 6 TCP, 17 UDP. */
  protocol = PROTOCOL_TCP;
  /** Position of the source and destination address and the payload in the frame. */
  frame: Uint8Array = NO_FRAME;
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
  readonly sackStarts = new Float64Array(TcpOption.MOST_SACK_BLOCKS);
  readonly sackEnds = new Float64Array(TcpOption.MOST_SACK_BLOCKS);
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

  /** A copy without the frame, which stays as it is when this one reads the next frame. */
  copied(): Segment {
    const { sackStarts, sackEnds, headers } = this;
    return Object.assign(new Segment(), this, {
      frame: NO_FRAME,
      sackStarts: sackStarts.slice(),
      sackEnds: sackEnds.slice(),
      headers: { ...headers },
    });
  }

  /** Reads a frame; false when it is neither TCP nor UDP, or a checksum or length is wrong. */
  read(frame: Uint8Array): boolean {
    // By positions: with a call for each field V8 does not inline the checksums, and reading takes up to twice as long.
    this.frame = frame;
    const ip = Ethernet.payloadAt(frame);
    if (ip === 0) return false;
    const headers = this.headers;
    const inner = Ethernet.innerAt(frame);
    headers.vlan = ip === inner ? undefined : Vlan.id(frame, inner);
    const type = get16(frame, ip - 2);
    let transport: number;
    let end: number;
    if (type === ETHERTYPE_IPV4 && frame.length >= ip + Ipv4.LENGTH && frame[ip] === Ipv4.PLAIN) {
      transport = ip + Ipv4.LENGTH;
      end = ip + get16(frame, ip + Ipv4.TOTAL_LENGTH_AT);
      if (foldSum(addWords(frame, ip, transport, 0)) !== 0xffff) return false;
      const trafficClass = frame[ip + Ipv4.TRAFFIC_CLASS_AT]!;
      this.ipVersion = 4;
      this.protocol = frame[ip + Ipv4.PROTOCOL_AT]!;
      this.hopLimit = frame[ip + Ipv4.TTL_AT]!;
      this.srcAt = ip + Ipv4.SOURCE_AT;
      this.addressLength = Ipv4.ADDRESS_LENGTH;
      headers.dscp = trafficClass >>> 2;
      this.marked = (trafficClass & 3) === CE;
      headers.flowLabel = 0;
    } else if (type === ETHERTYPE_IPV6 && frame.length >= ip + Ipv6.LENGTH && frame[ip]! >>> 4 === 6) {
      transport = ip + Ipv6.LENGTH;
      end = transport + get16(frame, ip + Ipv6.PAYLOAD_LENGTH_AT);
      const first = get32(frame, ip);
      this.ipVersion = 6;
      this.protocol = frame[ip + Ipv6.NEXT_HEADER_AT]!;
      this.hopLimit = frame[ip + Ipv6.HOP_LIMIT_AT]!;
      this.srcAt = ip + Ipv6.SOURCE_AT;
      this.addressLength = Ipv6.ADDRESS_LENGTH;
      headers.dscp = (first >>> 22) & 0x3f;
      this.marked = ((first >>> 20) & 3) === CE;
      headers.flowLabel = first & 0xfffff;
    } else {
      return false;
    }
    headers.ttl = this.hopLimit;
    this.dstAt = this.srcAt + this.addressLength;
    if (end > frame.length) return false;
    if (this.protocol === PROTOCOL_TCP) return this.#readTcp(transport, end);
    return this.protocol === PROTOCOL_UDP && this.#readUdp(transport, end);
  }

  #readTcp(tcp: number, end: number): boolean {
    const { frame } = this;
    if (end < tcp + Tcp.LENGTH) return false;
    const headerLength = (frame[tcp + Tcp.LENGTH_AT]! >>> 4) * 4;
    if (headerLength < Tcp.LENGTH || end < tcp + headerLength) return false;
    if (foldSum(addWords(frame, tcp, end, this.#pseudoSum(tcp, end))) !== 0xffff) return false;
    this.srcPort = get16(frame, tcp + Tcp.SRC_PORT_AT);
    this.dstPort = get16(frame, tcp + Tcp.DST_PORT_AT);
    this.sequence = get32(frame, tcp + Tcp.SEQUENCE_AT);
    this.acknowledgement = get32(frame, tcp + Tcp.ACKNOWLEDGEMENT_AT);
    this.flags = frame[tcp + Tcp.FLAGS_AT]!;
    this.window = get16(frame, tcp + Tcp.WINDOW_AT);
    this.payloadAt = tcp + headerLength;
    this.payloadLength = end - this.payloadAt;
    this.#readOptions(tcp + Tcp.LENGTH, this.payloadAt);
    return true;
  }

  #readUdp(udp: number, end: number): boolean {
    const { frame } = this;
    if (!Udp.check(frame, udp, end, this.#pseudoSum(udp, end), this.ipVersion)) return false;
    this.srcPort = Udp.srcPort(frame, udp);
    this.dstPort = Udp.dstPort(frame, udp);
    this.payloadAt = udp + Udp.LENGTH;
    this.payloadLength = end - this.payloadAt;
    this.hasEcho = false;
    this.lane = 0;
    return true;
  }

  #pseudoSum(transport: number, end: number): number {
    return addWords(this.frame, this.srcAt, transport, this.protocol + end - transport);
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
    while (at < end && frame[at] !== OPTION_END) {
      const kind = frame[at]!;
      const length = optionLength(frame, at, end);
      if (length === 0) return;
      if (kind === TcpOption.EXPERIMENT) {
        if (length >= TcpOption.EXPERIMENT_LENGTH) this.#readExperiment(at, length);
      } else if (kind === TcpOption.SACK) this.#readSack(at, length);
      else if (kind === TcpOption.MSS && length === TcpOption.MSS_LENGTH) this.mss = TcpOption.mss(frame, at);
      else if (kind === TcpOption.WINDOW_SCALE && length === TcpOption.WINDOW_SCALE_LENGTH)
        this.windowScale = Math.min(TcpOption.windowScale(frame, at), TcpOption.MOST_WINDOW_SCALE);
      else if (kind === TcpOption.SACK_PERMITTED && length === TcpOption.SACK_PERMITTED_LENGTH)
        this.sackPermitted = true;
      at += length;
    }
  }

  #readExperiment(at: number, length: number): void {
    const { frame } = this;
    const { ECHO, MAPPING, JOIN } = TcpOption;
    const experiment = TcpOption.experimentOf(frame, at);
    const value = TcpOption.experimentValue(frame, at);
    if (experiment === ECHO.experiment && length === ECHO.length && !this.hasEcho) {
      this.hasEcho = true;
      this.echo = value & ECHO_MASK;
      this.lane = value >>> ECHO_BITS;
    } else if (experiment === MAPPING.experiment && length === MAPPING.length) this.mapping = value;
    else if (experiment === JOIN.experiment && length === JOIN.length) {
      this.token = value;
      this.subflow = TcpOption.joinSubflow(frame, at);
      this.subflows = TcpOption.joinSubflows(frame, at);
    }
  }

  #readSack(at: number, length: number): void {
    const { frame } = this;
    let blockAt = TcpOption.sackBlockAt(at, 0);
    for (; blockAt + TcpOption.SACK_BLOCK_LENGTH <= at + length; blockAt += TcpOption.SACK_BLOCK_LENGTH) {
      this.sackStarts[this.sackCount] = TcpOption.sackStart(frame, blockAt);
      this.sackEnds[this.sackCount++] = TcpOption.sackEnd(frame, blockAt);
    }
  }
}
