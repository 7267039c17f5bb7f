/**
 * Real bytes of TCP segments, with right checksums. The payload is zeros: a simulated flow moves byte counts, not contents.
 * Each segment carries the selector in its headers (the scheme chooses the field) and, in a TCP option for experiments
 * (RFC 6994), the echo: the selector of the last segment received from the other end. It is the first option.
 */
import { addWords, finishChecksum } from "./checksum.js";
import { takeFrame } from "./frame-pool.js";
import * as Ip from "./ip.js";
import {
  type FlowAddresses,
  finishIp,
  type PreparedHeaders,
  prepareHeaders,
  type SelectorCodec,
} from "./network-headers.js";
import { PROTOCOL_TCP } from "./numbers.js";
import { ECHO_BITS } from "./segment.js";
import * as Tcp from "./tcp.js";
import * as TcpOption from "./tcp-option.js";

/** Of a segment whose only option is the echo. */
const HEADER_LENGTH = Tcp.LENGTH + TcpOption.ECHO.length;

/** Maximum number of bytes of options other than the echo. */
export const OPTION_ROOM = Tcp.MOST_LENGTH - HEADER_LENGTH;

/** Builds the segments that one end of a connection sends. All but a few fields are the same each time. */
export class SegmentBuilder {
  readonly #codec: SelectorCodec;
  /** Of the selector last used. */
  #prepared: PreparedHeaders | undefined;
  #selector = -1;
  /** Checksum part that does not change while the selector stays the same. */
  #tcpSum = 0;

  /** The window field of later segments, as on the wire. */
  window = 0xffff;
  /** Options other than the echo: the first {@link optionsLength} bytes, a multiple of 4. */
  readonly options = new Uint8Array(OPTION_ROOM);
  optionsLength = 0;

  constructor(
    readonly addresses: FlowAddresses,
    codec: SelectorCodec,
    /** Whether packets carry ECT(0), so that switches may mark them. */
    public ecn = false,
    /** See {@link Segment.lane}; from 0 to 63. */
    readonly lane = 0,
  ) {
    this.#codec = codec;
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
    const { bytes, transportAt } = this.#prepared!;
    const { optionsLength } = this;
    const frame = takeFrame(bytes.length + optionsLength + payloadLength);
    frame.set(bytes);
    const tcpLength = HEADER_LENGTH + optionsLength + payloadLength;
    finishIp(frame, this.#prepared!, this.addresses.ipVersion, this.ecn, tcpLength);
    Tcp.setSequence(frame, transportAt, sequence);
    Tcp.setAcknowledgement(frame, transportAt, acknowledgement);
    Tcp.setHeaderLength(frame, transportAt, HEADER_LENGTH + optionsLength);
    Tcp.setFlags(frame, transportAt, flags);
    Tcp.setWindow(frame, transportAt, this.window);
    const echoAt = transportAt + Tcp.LENGTH;
    TcpOption.setExperimentValue(frame, echoAt, this.lane * 2 ** ECHO_BITS + echo);
    const optionsAt = transportAt + HEADER_LENGTH;
    for (let i = 0; i < optionsLength; i++) frame[optionsAt + i] = this.options[i]!;
    const changing =
      addWords(frame, transportAt + Ip.PORTS_LENGTH, transportAt + Tcp.CHECKSUM_AT, 0) +
      addWords(frame, echoAt + TcpOption.EXPERIMENT_VALUE_AT, optionsAt + optionsLength, 0);
    Tcp.setChecksum(frame, transportAt, finishChecksum(this.#tcpSum + changing + tcpLength));
    return frame;
  }

  #prepare(selector: number): void {
    const prepared = prepareHeaders(
      this.addresses,
      this.#codec.headersOf(selector),
      PROTOCOL_TCP,
      HEADER_LENGTH,
    );
    const { bytes, transportAt } = prepared;
    const echoAt = transportAt + Tcp.LENGTH;
    TcpOption.putExperiment(bytes, echoAt, TcpOption.ECHO, 0);
    this.#tcpSum = prepared.pseudoSum + addWords(bytes, echoAt, echoAt + TcpOption.EXPERIMENT_VALUE_AT, 0);
    this.#prepared = prepared;
    this.#selector = selector;
  }
}
