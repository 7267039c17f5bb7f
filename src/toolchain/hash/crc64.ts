/** CRCs of 64 bits in the Rocksoft model, on two 32-bit words. */

import { reflect } from "./crc.js";
import type { WideHash } from "./wide-hash.js";

export interface Crc64Parameters {
  /** Generator polynomial without its top term, most significant bit first. */
  readonly poly: bigint;
  readonly init: bigint;
  readonly refin: boolean;
  readonly refout: boolean;
  readonly xorout: bigint;
}

export class Crc64 implements WideHash {
  high = 0;
  readonly #highs = new Int32Array(256);
  readonly #lows = new Int32Array(256);

  constructor(readonly parameters: Crc64Parameters) {
    const poly = BigInt.asUintN(64, parameters.poly);
    for (let i = 0; i < 256; i++) {
      let rest = BigInt(i) << 56n;
      for (let bit = 0; bit < 8; bit++)
        rest = BigInt.asUintN(64, rest >> 63n === 1n ? (rest << 1n) ^ poly : rest << 1n);
      this.#highs[i] = Number(BigInt.asIntN(32, rest >> 32n));
      this.#lows[i] = Number(BigInt.asIntN(32, rest));
    }
  }

  low(bytes: Uint8Array, length: number): number {
    const { init, refin, refout, xorout } = this.parameters;
    let high = Number(BigInt.asIntN(32, init >> 32n));
    let low = Number(BigInt.asIntN(32, init));
    for (let i = 0; i < length; i++) {
      const byte = refin ? reflect(bytes[i]!, 8) : bytes[i]!;
      const at = byte ^ (high >>> 24);
      high = ((high << 8) | (low >>> 24)) ^ this.#highs[at]!;
      low = (low << 8) ^ this.#lows[at]!;
    }
    if (refout) [high, low] = [reflect(low, 32), reflect(high, 32)];
    this.high = high ^ Number(BigInt.asIntN(32, xorout >> 32n));
    return low ^ Number(BigInt.asIntN(32, xorout));
  }
}
