/** Header blocks of HTTP/2 (RFC 7541): those of requests are decoded, those of responses encoded without tables. */
import { decodeHuffman } from "./huffman.js";
import { STATIC_TABLE } from "./static-table.js";

export type Header = readonly [name: string, value: string];

/** A block that breaks the rules of the compression: the connection cannot go on, since its table is no longer known. */
export class CompressionError extends Error {}

/** Bytes that an entry counts in addition to its name and value (RFC 7541, section 4.1). */
const ENTRY_OVERHEAD = 32;
/** Size of the dynamic table unless the settings say otherwise; this server does not change it. */
const TABLE_BYTES = 4096;

export class HeaderDecoder {
  /** The dynamic table, newest entry first. */
  readonly #entries: Header[] = [];
  #size = 0;
  #maxSize = TABLE_BYTES;
  #at = 0;

  /**
   * The headers of a block, in order.
   * @param maxBytes bound of the decoded list, as in SETTINGS_MAX_HEADER_LIST_SIZE; headers beyond are left out
   * @throws CompressionError when the block breaks the rules
   */
  decode(block: Uint8Array, maxBytes: number): { headers: Header[]; complete: boolean } {
    const headers: Header[] = [];
    let bytes = 0;
    this.#at = 0;
    while (this.#at < block.length) {
      const first = block[this.#at]!;
      let header: Header;
      if (first >= 0x80) header = this.#indexed(this.#integer(block, 7));
      else if (first >= 0x40) {
        header = this.#literal(block, 6);
        this.#insert(header);
      } else if (first >= 0x20) {
        // An update of the size is only allowed before the first header (section 4.2).
        if (headers.length > 0) throw new CompressionError("an update of the table size after a header");
        this.#resize(this.#integer(block, 5));
        continue;
      } else header = this.#literal(block, 4);
      bytes += header[0].length + header[1].length + ENTRY_OVERHEAD;
      if (bytes <= maxBytes) headers.push(header);
    }
    return { headers, complete: bytes <= maxBytes };
  }

  #indexed(index: number): Header {
    const header = STATIC_TABLE[index - 1] ?? this.#entries[index - 1 - STATIC_TABLE.length];
    if (header === undefined) throw new CompressionError(`there is no entry ${index} in the tables`);
    return header;
  }

  #literal(block: Uint8Array, prefixBits: number): Header {
    const index = this.#integer(block, prefixBits);
    const name = index === 0 ? this.#text(block) : this.#indexed(index)[0];
    return [name, this.#text(block)];
  }

  /** An integer with a prefix of some bits (section 5.1). */
  #integer(block: Uint8Array, prefixBits: number): number {
    const all = 2 ** prefixBits - 1;
    let value = block[this.#at++]! & all;
    if (value < all) return value;
    for (let shift = 0; ; shift += 7) {
      const byte = block[this.#at++];
      // Four more bytes are enough for every index and length in a block.
      if (byte === undefined || shift > 21) throw new CompressionError("an integer that does not end");
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  #text(block: Uint8Array): string {
    const isHuffman = (block[this.#at] ?? 0) >= 0x80;
    const length = this.#integer(block, 7);
    const start = this.#at;
    const end = start + length;
    if (end > block.length || start > block.length)
      throw new CompressionError("a text beyond the end of the block");
    this.#at = end;
    if (!isHuffman) return Buffer.from(block.buffer, block.byteOffset + start, length).toString("latin1");
    const text = decodeHuffman(block, start, end);
    if (text === undefined) throw new CompressionError("a text that is not in the Huffman code");
    return text;
  }

  #insert(header: Header): void {
    const bytes = header[0].length + header[1].length + ENTRY_OVERHEAD;
    this.#evict(this.#maxSize - bytes);
    // An entry larger than the table empties it, and is not stored (section 4.4).
    if (bytes > this.#maxSize) return;
    this.#entries.unshift(header);
    this.#size += bytes;
  }

  #resize(bytes: number): void {
    if (bytes > TABLE_BYTES)
      throw new CompressionError(`a table of ${bytes} bytes; at most ${TABLE_BYTES} were offered`);
    this.#maxSize = bytes;
    this.#evict(bytes);
  }

  #evict(limit: number): void {
    while (this.#size > Math.max(limit, 0)) {
      const [name, value] = this.#entries.pop()!;
      this.#size -= name.length + value.length + ENTRY_OVERHEAD;
    }
  }
}

function writeInteger(out: number[], first: number, prefixBits: number, value: number): void {
  const all = 2 ** prefixBits - 1;
  if (value < all) {
    out.push(first | value);
    return;
  }
  out.push(first | all);
  let rest = value - all;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) | 0x80);
  out.push(rest);
}

/** A header block that neither uses nor changes the dynamic table. Names and values are Latin-1. */
export function encodeHeaders(headers: readonly Header[]): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of headers) {
    const whole = STATIC_TABLE.findIndex(([n, v]) => n === name && v === value);
    const out: number[] = [];
    if (whole >= 0) {
      writeInteger(out, 0x80, 7, whole + 1);
      parts.push(Buffer.from(out));
      continue;
    }
    const index = STATIC_TABLE.findIndex(([n]) => n === name) + 1;
    writeInteger(out, 0, 4, index);
    if (index === 0) {
      writeInteger(out, 0, 7, name.length);
      parts.push(Buffer.from(out), Buffer.from(name, "latin1"));
      out.length = 0;
    }
    writeInteger(out, 0, 7, value.length);
    parts.push(Buffer.from(out), Buffer.from(value, "latin1"));
  }
  return Buffer.concat(parts);
}
