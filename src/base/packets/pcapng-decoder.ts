/**
 * Reads pcapng files piece by piece: all sections, either byte order, any resolution of the stamps. Blocks of other kinds than
 * interfaces and packets are skipped. Format: draft-ietf-opsawg-pcapng, sections 3 and 4.
 */
import { fail, given } from "../index.js";
import { CODES } from "./codes.js";
import { MAX_PCAP_FRAME } from "./pcap.js";
import {
  BLOCK,
  BYTE_ORDER_MAGIC,
  INBOUND,
  OPTION,
  OUTBOUND,
  type PcapngInterface,
  type PcapngPacket,
  padded,
} from "./pcapng.js";
import { PieceBuffer } from "./piece-buffer.js";

/** Longest block that is read; a packet with its options is shorter. */
const MAX_BLOCK = 16 * 1024 * 1024;

interface KnownInterface extends PcapngInterface {
  readonly linkType: number;
  readonly ticksASecond: bigint;
  readonly offsetSeconds: number;
}

/**
 * {@link push} a piece, then call {@link next} until it returns undefined; {@link finish} after the last piece. All fail with
 * P42310 (no pcapng), P42311 (the file ends within a block), P42312 (an impossible length) or P42314 (blocks that contradict
 * each other, packets without times); the message names the block's byte.
 */
export class PcapngDecoder {
  /** Those of the present section, in its order. */
  #interfaces: KnownInterface[] = [];
  readonly #buffer = new PieceBuffer();
  #little = true;
  #begun = false;

  /** @param name the file's name for messages */
  constructor(readonly name: string) {}

  get interfaces(): readonly PcapngInterface[] {
    return this.#interfaces;
  }

  push(piece: Uint8Array): void {
    this.#buffer.push(piece);
  }

  /** The next packet, its frame a copy; undefined when it is not complete yet. */
  next(): PcapngPacket | undefined {
    for (;;) {
      const length = this.#blockLength();
      if (length === undefined || this.#buffer.left < length) return undefined;
      const { at } = this.#buffer;
      if (this.#u32(at + length - 4) !== length)
        this.#fail(CODES.captureLength, `does not end with its length, ${length} bytes`);
      const packet = this.#block(this.#u32(at), at + 8, at + length - 4);
      this.#buffer.at = at + length;
      if (packet !== undefined) return packet;
    }
  }

  /** To be called after the last piece, when {@link next} returns undefined. */
  finish(): void {
    const { left, offset } = this.#buffer;
    if (offset + left === 0) fail(CODES.captureForm, undefined, `${this.name} is empty`);
    if (left === 0) return;
    const needed = this.#blockLength();
    this.#fail(
      CODES.captureCutOff,
      `is cut off: ${left} ${needed === undefined ? "bytes" : `of ${needed} bytes`}`,
    );
  }

  /** Undefined until the block's type, length and, for a section, byte order have arrived. */
  #blockLength(): number | undefined {
    const { at, left, view } = this.#buffer;
    if (left < 8) return undefined;
    if (view.getUint32(at, true) === BLOCK.section) {
      if (left < 12) return undefined;
      this.#little = view.getUint32(at + 8, true) === BYTE_ORDER_MAGIC;
      if (!this.#little && view.getUint32(at + 8, false) !== BYTE_ORDER_MAGIC)
        this.#fail(CODES.captureForm, "has no byte-order magic 1a2b3c4d");
    } else if (!this.#begun) {
      const magic = view.getUint32(at, false).toString(16).padStart(8, "0");
      fail(
        CODES.captureForm,
        undefined,
        `${this.name} is no pcapng file: it starts with 0x${magic}`,
        "expected 0a0d0d0a",
      );
    }
    const length = this.#u32(at + 4);
    if (length < 12 || length % 4 !== 0 || length > MAX_BLOCK)
      this.#fail(CODES.captureLength, `has a length of ${length} bytes`);
    return length;
  }

  /** @param end of the body, which the options belong to */
  #block(type: number, at: number, end: number): PcapngPacket | undefined {
    switch (type) {
      case BLOCK.section: {
        this.#needs(at, end, 16);
        const major = this.#u16(at + 4);
        if (major !== 1) this.#fail(CODES.captureForm, `has version ${major} of pcapng; 1 is read`);
        this.#interfaces = [];
        this.#begun = true;
        return undefined;
      }
      case BLOCK.interface:
        this.#needs(at, end, 8);
        this.#interfaces.push(this.#interface(at, end));
        return undefined;
      case BLOCK.enhancedPacket:
        this.#needs(at, end, 20);
        return this.#packet(at, end, this.#u32(at));
      case BLOCK.packet:
        // As above, but with a shorter number of the interface and the number of dropped packets.
        this.#needs(at, end, 20);
        return this.#packet(at, end, this.#u16(at));
      case BLOCK.simplePacket:
        return this.#fail(
          CODES.captureBlocks,
          "is a packet without a time",
          "capture with times (enhanced packet blocks)",
        );
      default:
        return undefined;
    }
  }

  #interface(at: number, end: number): KnownInterface {
    const known = { name: "", linkType: this.#u16(at), ticksASecond: 1_000_000n, offsetSeconds: 0 };
    const more: { description?: string; speedBps?: number } = {};
    for (const { code, from, length } of this.#options(at + 8, end)) {
      if (code === OPTION.interfaceName) known.name = this.#text(from, length);
      else if (code === OPTION.interfaceDescription) more.description = this.#text(from, length);
      else if (code === OPTION.interfaceSpeed && length >= 8) more.speedBps = Number(this.#u64(from));
      else if (code === OPTION.timeResolution && length >= 1) {
        const resolution = this.#buffer.bytes[from]!;
        known.ticksASecond = (resolution & 0x80 ? 2n : 10n) ** BigInt(resolution & 0x7f);
      } else if (code === OPTION.timeOffset && length >= 8) {
        known.offsetSeconds = Number(BigInt.asIntN(64, this.#u64(from)));
      }
    }
    return { ...known, ...more };
  }

  #packet(at: number, end: number, index: number): PcapngPacket {
    const description = this.#interfaces[index];
    if (description === undefined)
      this.#fail(CODES.captureBlocks, `names interface ${index}, which no block has described`);
    const { ticksASecond, offsetSeconds } = description!;
    const kept = this.#u32(at + 12);
    const length = this.#u32(at + 16);
    if (kept > MAX_PCAP_FRAME)
      this.#fail(CODES.captureLength, `has a frame of ${kept} bytes; at most ${MAX_PCAP_FRAME} are read`);
    this.#needs(at, end, 20 + kept);
    const ticks = (BigInt(this.#u32(at + 4)) << 32n) | BigInt(this.#u32(at + 8));
    let outbound: boolean | undefined;
    let comment: string | undefined;
    for (const option of this.#options(at + 20 + padded(kept), end)) {
      if (option.code === OPTION.comment) comment = this.#text(option.from, option.length);
      else if (option.code === OPTION.packetFlags && option.length >= 4) {
        const direction = this.#u32(option.from) & 3;
        outbound = direction === OUTBOUND ? true : direction === INBOUND ? false : undefined;
      }
    }
    return {
      interface: index,
      seconds: Number(ticks / ticksASecond) + offsetSeconds,
      nanoseconds: Number(((ticks % ticksASecond) * 1_000_000_000n) / ticksASecond),
      frame: this.#buffer.bytes.slice(at + 20, at + 20 + kept),
      ...(length === kept ? {} : { length }),
      ...given({ outbound, comment }),
    };
  }

  *#options(start: number, end: number): Generator<{ code: number; from: number; length: number }> {
    let at = start;
    while (at + 4 <= end) {
      const code = this.#u16(at);
      const length = this.#u16(at + 2);
      if (code === OPTION.end) return;
      this.#needs(at, end, 4 + length);
      yield { code, from: at + 4, length };
      at += 4 + padded(length);
    }
  }

  #needs(at: number, end: number, length: number): void {
    if (at + length > end)
      this.#fail(CODES.captureLength, `is shorter than its contents: ${end - at} of ${length} bytes`);
  }

  #u16(at: number): number {
    return this.#buffer.view.getUint16(at, this.#little);
  }

  #u32(at: number): number {
    return this.#buffer.view.getUint32(at, this.#little);
  }

  #u64(at: number): bigint {
    return this.#buffer.view.getBigUint64(at, this.#little);
  }

  #text(from: number, length: number): string {
    return new TextDecoder().decode(this.#buffer.bytes.subarray(from, from + length));
  }

  #fail(code: string, what: string, ...notes: string[]): never {
    return fail(code, undefined, `${this.name}: the block at byte ${this.#buffer.offset} ${what}`, ...notes);
  }
}

/** All packets of a whole file. Fails as {@link PcapngDecoder} does. */
export function decodePcapng(bytes: Uint8Array, name: string): PcapngPacket[] {
  const decoder = new PcapngDecoder(name);
  decoder.push(bytes);
  const packets: PcapngPacket[] = [];
  for (let packet = decoder.next(); packet !== undefined; packet = decoder.next()) packets.push(packet);
  decoder.finish();
  return packets;
}
