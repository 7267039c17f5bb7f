/** The messages in the bytes of a request: each has a flag that it is compressed and its length in front. */

/** Bytes before a message. */
export const PREFIX_BYTES = 5;
/** Room for the start of a message when the first of its bytes are kept. */
const FIRST_BYTES = 1024;

const NOTHING = Buffer.alloc(0);

export interface Message {
  readonly isCompressed: boolean;
  readonly bytes: Buffer;
}

/** A message is longer than the bound; nothing after it can be read. */
export class TooLong extends Error {}

/**
 * Takes bytes in pieces of any size. The start of a message is copied into a buffer that grows with what has come, so a
 * client pays for memory with at least half as many bytes, however small its frames are and whatever length it announces.
 */
export class MessageReader {
  #bytes: Buffer = NOTHING;
  /** Bytes that are used of the buffer. */
  #length = 0;
  #isOwn = false;

  constructor(readonly maxBytes: number) {}

  /** Bytes of a message that is not complete. */
  get rest(): number {
    return this.#length;
  }

  /** Bytes that are kept for it. */
  get capacity(): number {
    return this.#bytes.length;
  }

  push(bytes: Buffer): void {
    if (this.#length === 0) {
      this.#bytes = bytes;
      this.#length = bytes.length;
      this.#isOwn = false;
      return;
    }
    this.#reserve(this.#length + bytes.length);
    bytes.copy(this.#bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(bytes: number): void {
    if (this.#isOwn && this.#bytes.length >= bytes) return;
    const larger = Buffer.allocUnsafe(Math.max(FIRST_BYTES, 2 * this.#length, bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#isOwn = true;
  }

  /** The next complete message; undefined when more bytes must come. Throws {@link TooLong}. */
  next(): Message | undefined {
    const bytes = this.#bytes;
    if (this.#length >= PREFIX_BYTES) {
      const length = bytes.readUInt32BE(1);
      if (length > this.maxBytes)
        throw new TooLong(`a message of ${length} bytes; at most ${this.maxBytes} are taken`);
      const end = PREFIX_BYTES + length;
      if (this.#length >= end) {
        this.#bytes = bytes.subarray(end);
        this.#length -= end;
        if (this.#length === 0) this.clear();
        return { isCompressed: bytes[0] !== 0, bytes: bytes.subarray(PREFIX_BYTES, end) };
      }
    }
    // The piece may be a part of a large received buffer, which is not kept for it.
    if (!this.#isOwn && this.#length > 0) this.#reserve(this.#length);
    return undefined;
  }

  clear(): void {
    this.#bytes = NOTHING;
    this.#length = 0;
    this.#isOwn = false;
  }
}
