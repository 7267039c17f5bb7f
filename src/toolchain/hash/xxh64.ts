/**
 * XXH64 (Y. Collet, "xxHash fast digest algorithm", specification 0.1.1) with seed 0. A 64-bit number is two 32-bit words,
 * so that no BigInt is created for a packet.
 */
import type { WideHash } from "./wide-hash.js";

/** A 64-bit register. */
class Word64 {
  high = 0;
  low = 0;

  set(high: number, low: number): this {
    this.high = high | 0;
    this.low = low | 0;
    return this;
  }

  add(high: number, low: number): this {
    const sum = (this.low >>> 0) + (low >>> 0);
    this.high = (this.high + high + (sum > 0xffffffff ? 1 : 0)) | 0;
    this.low = sum | 0;
    return this;
  }

  xor(high: number, low: number): this {
    this.high ^= high;
    this.low ^= low;
    return this;
  }

  multiply(high: number, low: number): this {
    const a = this.low >>> 16;
    const b = this.low & 0xffff;
    const c = low >>> 16;
    const d = low & 0xffff;
    // The upper half of low * low, by halves of 16 bits: no sum of these exceeds 2^53.
    const middle = a * d + ((b * d) >>> 16);
    const other = b * c + (middle % 65536);
    const carried = a * c + Math.floor(middle / 65536) + Math.floor(other / 65536);
    this.high = (Math.imul(this.high, low) + Math.imul(this.low, high) + carried) | 0;
    this.low = Math.imul(this.low, low);
    return this;
  }

  rotate(bits: number): this {
    const { high, low } = this;
    this.high = (high << bits) | (low >>> (32 - bits));
    this.low = (low << bits) | (high >>> (32 - bits));
    return this;
  }
}

const P1 = [0x9e3779b1 | 0, 0x85ebca87 | 0] as const;
const P2 = [0xc2b2ae3d | 0, 0x27d4eb4f | 0] as const;
const P3 = [0x165667b1 | 0, 0x9e3779f9 | 0] as const;
const P4 = [0x85ebca77 | 0, 0xc2b2ae63 | 0] as const;
const P5 = [0x27d4eb2f | 0, 0x165667c5 | 0] as const;

/** Number of bits by which each lane is rotated before the four lanes are added. */
const TURNS = [1, 7, 12, 18] as const;

/** Four bytes, least significant first. */
function word(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

export class Xxh64 implements WideHash {
  high = 0;
  readonly #sum = new Word64();
  readonly #lanes = [new Word64(), new Word64(), new Word64(), new Word64()] as const;
  readonly #round = new Word64();

  low(bytes: Uint8Array, length: number): number {
    const sum = this.#sum;
    let at = 0;
    if (length >= 32) {
      const [one, two, three, four] = this.#lanes;
      one.set(P1[0], P1[1]).add(P2[0], P2[1]);
      two.set(P2[0], P2[1]);
      three.set(0, 0);
      four.set(~P1[0], -P1[1]);
      for (; at + 32 <= length; at += 32)
        for (let i = 0; i < 4; i++)
          stripe(this.#lanes[i]!, this.#round, word(bytes, at + 8 * i + 4), word(bytes, at + 8 * i));
      sum.set(0, 0);
      for (let i = 0; i < 4; i++) {
        const lane = this.#round.set(this.#lanes[i]!.high, this.#lanes[i]!.low).rotate(TURNS[i]!);
        sum.add(lane.high, lane.low);
      }
      for (const lane of this.#lanes) this.#merge(lane.high, lane.low);
    } else sum.set(P5[0], P5[1]);
    sum.add(0, length);
    for (; at + 8 <= length; at += 8) {
      this.#mixIn(word(bytes, at + 4), word(bytes, at));
      sum.rotate(27).multiply(P1[0], P1[1]).add(P4[0], P4[1]);
    }
    if (at + 4 <= length) {
      const part = this.#round.set(0, word(bytes, at)).multiply(P1[0], P1[1]);
      sum.xor(part.high, part.low).rotate(23).multiply(P2[0], P2[1]).add(P3[0], P3[1]);
      at += 4;
    }
    for (; at < length; at++) {
      const part = this.#round.set(0, bytes[at]!).multiply(P5[0], P5[1]);
      sum.xor(part.high, part.low).rotate(11).multiply(P1[0], P1[1]);
    }
    sum.xor(0, sum.high >>> 1).multiply(P2[0], P2[1]);
    sum.xor(sum.high >>> 29, (sum.high << 3) | (sum.low >>> 29)).multiply(P3[0], P3[1]);
    sum.xor(0, sum.high);
    this.high = sum.high;
    return sum.low;
  }

  /** sum = (sum XOR round(0, lane)) * P1 + P4 */
  #merge(high: number, low: number): void {
    this.#mixIn(high, low);
    this.#sum.multiply(P1[0], P1[1]).add(P4[0], P4[1]);
  }

  #mixIn(high: number, low: number): void {
    const part = this.#round.set(high, low).multiply(P2[0], P2[1]).rotate(31).multiply(P1[0], P1[1]);
    this.#sum.xor(part.high, part.low);
  }
}

/** lane = rotate(lane + input * P2, 31) * P1 */
function stripe(lane: Word64, scratch: Word64, high: number, low: number): void {
  scratch.set(high, low).multiply(P2[0], P2[1]);
  lane.add(scratch.high, scratch.low).rotate(31).multiply(P1[0], P1[1]);
}
