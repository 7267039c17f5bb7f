/**
 * Real bytes of TCP segments, with right checksums. The payload is zeros: a simulated flow moves byte counts, not contents.
 * Each segment carries the selector in its headers (the scheme chooses the field) and, in a TCP option for experiments
 * (RFC 6994), the echo: the selector of the last segment received from the other end. It is the first option.
 */
import { addWords, finishChecksum } from "./checksum.js";
import { ECHO_OPTION } from "./echo-option.js";
import { takeFrame } from "./frame-pool.js";
import {
  type FlowAddresses,
  finishIp,
  type PreparedHeaders,
  prepareHeaders,
  type SelectorCodec,
} from "./network-headers.js";
import { PROTOCOL_TCP } from "./numbers.js";
import { ECHO_BITS } from "./segment.js";
import { put16, put32 } from "./words.js";

/** Of a segment whose only option is the echo. */
const TCP_HEADER_LENGTH = 20 + ECHO_OPTION.length;

/** Maximum number of bytes of options other than the echo: a TCP header has at most 60. */
export const OPTION_ROOM = 60 - TCP_HEADER_LENGTH;

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
    const tcpLength = TCP_HEADER_LENGTH + optionsLength + payloadLength;
    finishIp(frame, this.#prepared!, this.addresses.ipVersion, this.ecn, tcpLength);
    put32(frame, transportAt + 4, sequence);
    put32(frame, transportAt + 8, acknowledgement);
    frame[transportAt + 12] = ((TCP_HEADER_LENGTH + optionsLength) / 4) << 4;
    frame[transportAt + 13] = flags;
    put16(frame, transportAt + 14, this.window);
    put32(frame, transportAt + 24, this.lane * 2 ** ECHO_BITS + echo);
    for (let i = 0; i < optionsLength; i++) frame[transportAt + TCP_HEADER_LENGTH + i] = this.options[i]!;
    const changing =
      addWords(frame, transportAt + 4, transportAt + 16, 0) +
      addWords(frame, transportAt + 24, transportAt + TCP_HEADER_LENGTH + optionsLength, 0);
    put16(frame, transportAt + 16, finishChecksum(this.#tcpSum + changing + tcpLength));
    return frame;
  }

  #prepare(selector: number): void {
    const prepared = prepareHeaders(
      this.addresses,
      this.#codec.headersOf(selector),
      PROTOCOL_TCP,
      TCP_HEADER_LENGTH,
    );
    const { bytes, transportAt } = prepared;
    bytes[transportAt + 20] = ECHO_OPTION.kind;
    bytes[transportAt + 21] = ECHO_OPTION.length;
    put16(bytes, transportAt + 22, ECHO_OPTION.experiment);
    this.#tcpSum = prepared.pseudoSum + addWords(bytes, transportAt + 20, transportAt + 24, 0);
    this.#prepared = prepared;
    this.#selector = selector;
  }
}
