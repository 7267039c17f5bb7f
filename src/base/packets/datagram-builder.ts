/** Real bytes of UDP datagrams (RFC 768) whose payload begins with a number or a header; the rest of the payload is zeros. */

import { addWords } from "./checksum.js";
import type { FlowKey } from "./flow-key.js";
import { takeFrame } from "./frame-pool.js";
import {
  type FlowAddresses,
  finishIp,
  type PreparedHeaders,
  prepareHeaders,
  type SelectorCodec,
} from "./network-headers.js";
import { PROTOCOL_UDP } from "./numbers.js";
import * as Udp from "./udp.js";
import { put32 } from "./words.js";

/** Bytes of the number. */
const NUMBER_LENGTH = 4;

export class DatagramBuilder {
  readonly #number = new Uint8Array(NUMBER_LENGTH);
  /** Of the selector last used. */
  #prepared: PreparedHeaders | undefined;
  #selector = -1;
  #dscp: number | undefined;

  constructor(
    readonly flow: FlowKey,
    readonly addresses: FlowAddresses,
    readonly codec: SelectorCodec,
    /** Whether packets carry ECT(0), so that switches may mark them. */
    readonly ecn = false,
  ) {}

  /** A new frame with `payload` bytes, of which the first four are `number`. */
  build(number: number, payload: number, selector: number): Uint8Array {
    put32(this.#number, 0, number);
    return this.buildFrom(this.#number, payload, selector);
  }

  /**
   * A new frame with `payload` bytes, which begin with `head`; its length is even.
   *
   * @param dscp in place of the one that carries the selector
   */
  buildFrom(head: Uint8Array, payload: number, selector: number, dscp?: number): Uint8Array {
    if (selector !== this.#selector || dscp !== this.#dscp) {
      const chosen = this.codec.headersOf(selector);
      const headers = dscp === undefined ? chosen : { ...chosen, dscp };
      this.#dscp = dscp;
      this.#prepared = prepareHeaders(this.addresses, headers, PROTOCOL_UDP, Udp.LENGTH);
      this.#selector = selector;
    }
    const { bytes, transportAt, pseudoSum } = this.#prepared!;
    const frame = takeFrame(bytes.length + payload);
    frame.set(bytes);
    const length = Udp.LENGTH + payload;
    finishIp(frame, this.#prepared!, this.addresses.ipVersion, this.ecn, length);
    Udp.setLength(frame, transportAt, length);
    const payloadAt = transportAt + Udp.LENGTH;
    frame.set(head, payloadAt);
    // The length counts twice: in the pseudo-header and in the header.
    Udp.setChecksum(
      frame,
      transportAt,
      pseudoSum + 2 * length + addWords(frame, payloadAt, payloadAt + head.length, 0),
    );
    return frame;
  }
}
