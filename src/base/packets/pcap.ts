/**
 * Classic pcap files as bytes: microsecond and nanosecond stamps, either byte order. A decoder takes a file piece by
 * piece, so that memory stays bounded however long the file is. Format: draft-ietf-opsawg-pcap, sections 4 and 5.
 */
import { fail } from "../index.js";
import { CODES } from "./codes.js";
import { PieceBuffer } from "./piece-buffer.js";

export interface PcapPacket {
  /** Whole seconds since the epoch, and the nanoseconds (below 10^9) after them. */
  seconds: number;
  nanoseconds: number;
  frame: Uint8Array;
  /** Of the whole frame, where it was captured in part. */
  length?: number;
}

export interface PcapOptions {
  /** Stamps in nanoseconds instead of microseconds. Default false. */
  nanoseconds?: boolean;
  /** Link type; 1, Ethernet, unless given. */
  linkType?: number;
}

/** Maximum length of a frame in bytes; it equals the maximum that tcpdump captures. */
export const MAX_PCAP_FRAME = 262_144;

const HEADER = 24;
const RECORD = 16;
const MAGIC_MICRO = 0xa1b2c3d4;
const MAGIC_NANO = 0xa1b23c4d;

/** Other formats that users confuse with pcap, by their first four bytes (as a big-endian number). */
const STRANGERS: ReadonlyMap<number, string> = new Map([
  [0x0a0d0d0a, "it is pcapng: convert it with `editcap -F pcap IN OUT`"],
  [0x28b52ffd, "it is compressed with zstd: unpack it first"],
]);
const GZIP = 0x1f8b;

/**
 * Reads a file in pieces: {@link push} a piece, then call {@link next} until it returns undefined;
 * {@link finish} after the last piece. All three fail with P42310 (no classic pcap), P42311 (the file ends within
 * a header or packet), P42312 (an impossible length) or P42313 (a frame captured in part); the message names packet and byte.
 */
export class PcapDecoder {
  /** Known once the first packet, or the end, was reached. */
  linkType: number | undefined;
  readonly #buffer = new PieceBuffer();
  #packets = 0;
  #little = false;
  #nano = false;

  readonly #partial: boolean;

  /**
   * @param name the file's name for messages
   * @param options `partial`: frames that were captured in part are accepted, not refused
   */
  constructor(
    readonly name: string,
    { partial = false }: { partial?: boolean } = {},
  ) {
    this.#partial = partial;
  }

  push(piece: Uint8Array): void {
    this.#buffer.push(piece);
  }

  /** The next packet, its frame a copy; undefined when it is not complete yet. */
  next(): PcapPacket | undefined {
    if (this.linkType === undefined && !this.#header()) return undefined;
    const { at, left } = this.#buffer;
    if (left < RECORD) return undefined;
    const kept = this.#u32(at + 8);
    const whole = this.#u32(at + 12);
    if (kept > MAX_PCAP_FRAME) {
      fail(
        CODES.captureLength,
        undefined,
        `${this.#place()} has a frame of ${kept} bytes; at most ${MAX_PCAP_FRAME} are read`,
      );
    }
    if (kept !== whole && !this.#partial) {
      fail(
        CODES.frameInPart,
        undefined,
        `${this.#place()} holds ${kept} bytes of a frame of ${whole}`,
        "a switch needs whole frames: capture them again without a limit (`tcpdump -s 0`)",
      );
    }
    if (left < RECORD + kept) return undefined;
    const fraction = this.#u32(at + 4) * (this.#nano ? 1 : 1000);
    this.#buffer.at = at + RECORD + kept;
    this.#packets++;
    return {
      // Some tools write a fraction of one second or more.
      seconds: this.#u32(at) + Math.floor(fraction / 1e9),
      nanoseconds: fraction % 1e9,
      frame: this.#buffer.bytes.slice(at + RECORD, at + RECORD + kept),
      ...(whole === kept ? {} : { length: whole }),
    };
  }

  /** To be called after the last piece, when {@link next} returns undefined. */
  finish(): void {
    const { at, left, offset } = this.#buffer;
    if (this.linkType === undefined) {
      if (offset + left === 0) {
        fail(
          CODES.captureForm,
          undefined,
          `${this.name} is empty`,
          "a pcap file without packets has a header of 24 bytes",
        );
      }
      fail(CODES.captureCutOff, undefined, `${this.name} ends within its header: ${left} of ${HEADER} bytes`);
    }
    if (left === 0) return;
    const needed = left < RECORD ? RECORD : RECORD + this.#u32(at + 8);
    fail(CODES.captureCutOff, undefined, `${this.#place()} is cut off: ${left} of ${needed} bytes`);
  }

  #u32(at: number): number {
    return this.#buffer.view.getUint32(at, this.#little);
  }

  #place(): string {
    return `${this.name}: packet ${this.#packets + 1} (at byte ${this.#buffer.offset})`;
  }

  #header(): boolean {
    const { view, left } = this.#buffer;
    if (left >= 4) {
      const big = view.getUint32(0, false);
      this.#little = [MAGIC_MICRO, MAGIC_NANO].includes(view.getUint32(0, true));
      this.#nano = this.#u32(0) === MAGIC_NANO;
      if (!this.#nano && this.#u32(0) !== MAGIC_MICRO) {
        const stranger =
          big >>> 16 === GZIP ? "it is compressed with gzip: unpack it first" : STRANGERS.get(big);
        const starts = `it starts with 0x${big.toString(16).padStart(8, "0")}`;
        fail(
          CODES.captureForm,
          undefined,
          `${this.name} is no classic pcap file: ${starts}`,
          stranger ?? "expected a1b2c3d4",
        );
      }
    }
    if (left < HEADER) return false;
    const major = view.getUint16(4, this.#little);
    if (major !== 2)
      fail(CODES.captureForm, undefined, `${this.name} has version ${major} of pcap; 2 is read`);
    // The upper bits describe check sequences, not the type of the link.
    this.linkType = this.#u32(20) & 0xffff;
    this.#buffer.at = HEADER;
    return true;
  }
}

/** All packets of a whole file. Fails as {@link PcapDecoder} does. */
export function decodePcap(bytes: Uint8Array, name: string): PcapPacket[] {
  const decoder = new PcapDecoder(name);
  decoder.push(bytes);
  const packets: PcapPacket[] = [];
  for (let packet = decoder.next(); packet !== undefined; packet = decoder.next()) packets.push(packet);
  decoder.finish();
  return packets;
}

/** The header of a file: 24 bytes, little-endian, version 2.4. */
export function pcapHeader(options: PcapOptions = {}): Uint8Array {
  const bytes = new Uint8Array(HEADER);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, options.nanoseconds ? MAGIC_NANO : MAGIC_MICRO, true);
  view.setUint16(4, 2, true);
  view.setUint16(6, 4, true);
  view.setUint32(16, MAX_PCAP_FRAME, true);
  view.setUint32(20, options.linkType ?? 1, true);
  return bytes;
}

/** One packet with its header, as in a file; stamps in microseconds are truncated, not rounded. */
export function pcapRecord(packet: PcapPacket, options: PcapOptions = {}): Uint8Array {
  const { seconds, nanoseconds, frame } = packet;
  const bytes = new Uint8Array(RECORD + frame.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, seconds, true);
  view.setUint32(4, options.nanoseconds ? nanoseconds : Math.floor(nanoseconds / 1000), true);
  view.setUint32(8, frame.length, true);
  view.setUint32(12, frame.length, true);
  bytes.set(frame, RECORD);
  return bytes;
}

/** A whole file. */
export function encodePcap(packets: readonly PcapPacket[], options: PcapOptions = {}): Uint8Array {
  const parts = [pcapHeader(options), ...packets.map((packet) => pcapRecord(packet, options))];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
