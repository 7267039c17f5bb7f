/** Real bytes of UDP datagrams (RFC 768) that carry a number; the rest of the payload is zeros. */

import { addWords, finishChecksum } from "./checksum.js";
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
import { put16, put32 } from "./words.js";

const UDP_HEADER = 8;

export class DatagramBuilder {
  /** Of the selector last used. */
  #prepared: PreparedHeaders | undefined;
  #selector = -1;

  constructor(
    readonly flow: FlowKey,
    readonly addresses: FlowAddresses,
    readonly codec: SelectorCodec,
    /** Whether packets carry ECT(0), so that switches may mark them. */
    readonly ecn = false,
  ) {}

  /** A new frame with `payload` bytes, of which the first four are `number`. */
  build(number: number, payload: number, selector: number): Uint8Array {
    if (selector !== this.#selector) {
      const headers = this.codec.headersOf(selector);
      this.#prepared = prepareHeaders(this.addresses, headers, PROTOCOL_UDP, UDP_HEADER);
      this.#selector = selector;
    }
    const { bytes, transportAt, pseudoSum } = this.#prepared!;
    const frame = takeFrame(bytes.length + payload);
    frame.set(bytes);
    const length = UDP_HEADER + payload;
    finishIp(frame, this.#prepared!, this.addresses.ipVersion, this.ecn, length);
    put16(frame, transportAt + 4, length);
    put32(frame, transportAt + 8, number);
    // The length counts twice: in the pseudo-header and in the header. A sum of 0 is sent as all ones.
    const sum = finishChecksum(
      pseudoSum + 2 * length + addWords(frame, transportAt + 8, transportAt + 12, 0),
    );
    put16(frame, transportAt + 6, sum === 0 ? 0xffff : sum);
    return frame;
  }
}
