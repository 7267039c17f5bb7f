/**
 * Which packets are traced when not all can be: by a hash over bytes of a packet that switches do not change, so that all
 * switches of a network choose the same ones ("trajectory sampling": Duffield and Grossglauser, IEEE/ACM Transactions on
 * Networking 9(3), 2001). One packet in 2^level is chosen, and the level follows the load. Those that a level chooses are
 * among those of the level below, so that switches with different loads have packets in common.
 */
import { Ethernet, Ipv4, Ipv6 } from "../../base/packets/index.js";

/** The level changes at most so often, in milliseconds. */
const LEVEL_MS = 100;
const MAX_LEVEL = 24;
/** Below this share of what is allowed, the level falls. */
const FEW = 0.25;
/** The headers before that of IP end within this number of bytes. */
const MAX_OFFSET = 160;
/** Bytes of the longest IP header: IPv4 with all options. */
const MAX_HEADER = 60;
/** Of a longer packet these bytes at each end count. */
const END_BYTES = 64;

export class TraceSample {
  #level = 0;
  #changedMs = Number.NEGATIVE_INFINITY;
  /** Packets that may be taken now: at most those of one second. */
  #credit: number;
  #creditMs = Number.NEGATIVE_INFINITY;
  #taken = 0;

  /** @param perSecond packets that are taken in a second, at most and on average; as many may come at once */
  constructor(readonly perSecond: number) {
    this.#credit = perSecond;
  }

  takes(frame: Uint8Array, nowMs: number): boolean {
    this.#refill(nowMs);
    if (this.#level > 0 && (packetHash(frame) & (2 ** this.#level - 1)) !== 0) return false;
    if (this.#credit < 1) {
      this.#change(1, nowMs);
      return false;
    }
    this.#credit--;
    this.#taken++;
    return true;
  }

  #refill(nowMs: number): void {
    const passed = Math.max(0, nowMs - this.#creditMs);
    this.#credit = Math.min(this.perSecond, this.#credit + (passed * this.perSecond) / 1000);
    this.#creditMs = nowMs;
    // a whole second with few packets
    if (this.#level > 0 && nowMs - this.#changedMs > 1000) {
      this.#change(this.#taken < FEW * this.perSecond ? -1 : 0, nowMs);
      this.#changedMs = nowMs;
      this.#taken = 0;
    }
  }

  #change(by: number, nowMs: number): void {
    if (nowMs - this.#changedMs < LEVEL_MS) return;
    this.#level = Math.max(0, Math.min(MAX_LEVEL, this.#level + by));
    this.#changedMs = nowMs;
    this.#taken = 0;
  }
}

/**
 * 32 bits of what stays the same from switch to switch: the identification and the payload of the innermost IPv4 header, or
 * the payload of an IPv6 header; in a frame without IP, all bytes after the Ethernet header.
 */
export function packetHash(frame: Uint8Array): number {
  const { length } = frame;
  // FNV-1a, then the finish of MurmurHash3, which makes the low bits depend on all bits.
  let hash = 0x811c9dc5;
  const header = innermostHeader(frame);
  const from = header === undefined ? Math.min(Ethernet.LENGTH, length) : payloadAfter(frame, header)!;
  if (header !== undefined && Ipv4.version(frame, header) === 4) {
    const identification = Ipv4.identification(frame, header);
    hash = mixed(mixed(hash, identification >> 8), identification & 0xff);
  }
  const middle = Math.min(length, from + END_BYTES);
  for (let i = from; i < middle; i++) hash = mixed(hash, frame[i]!);
  for (let i = Math.max(middle, length - END_BYTES); i < length; i++) hash = mixed(hash, frame[i]!);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * The place of the last IP header whose length is that of the rest of the frame. Bytes within a header are none of their own, also
 * where they look like one: the length 106 (0x6a) and the TTL 63 of an IPv4 header are those of an IPv6 packet that begins there.
 */
function innermostHeader(frame: Uint8Array): number | undefined {
  let found: number | undefined;
  for (let at = Math.min(MAX_OFFSET, frame.length - Ipv4.LENGTH); at >= Ethernet.LENGTH; at--) {
    if (found !== undefined && found - at >= MAX_HEADER) break;
    const end = payloadAfter(frame, at);
    if (end !== undefined && (found === undefined || end > found)) found = at;
  }
  return found;
}

const mixed = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);

/** Where the payload of an IP header begins that is at `at` and whose length is that of the rest of the frame. */
function payloadAfter(frame: Uint8Array, at: number): number | undefined {
  const first = frame[at]!;
  const rest = frame.length - at;
  if (first >> 4 === 4) {
    const header = Ipv4.headerLength(frame, at);
    const isWhole = header >= Ipv4.LENGTH && header <= rest && Ipv4.totalLength(frame, at) === rest;
    return isWhole ? at + header : undefined;
  }
  if (first >> 4 !== 6 || rest < Ipv6.LENGTH) return undefined;
  return Ipv6.payloadLength(frame, at) === rest - Ipv6.LENGTH ? at + Ipv6.LENGTH : undefined;
}
