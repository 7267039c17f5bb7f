/**
 * Cyclic redundancy checks of 1 to 32 bits with the parameters of Williams' "A Painless Guide to CRC
 * Error Detection Algorithms" (width, poly, init, refin, refout, xorout), one table of 256 words each.
 */

export interface CrcParameters {
  /** Bits of the remainder, 1 to 32. */
  readonly width: number;
  /** Generator polynomial without its top term, most significant bit first. */
  readonly poly: number;
  /** Start value of the register. */
  readonly init: number;
  /** The least significant bit of each byte is processed first. */
  readonly refin: boolean;
  /** The remainder is reflected at the end. */
  readonly refout: boolean;
  readonly xorout: number;
}

/** The lowest `width` bits in reverse order. */
export function reflect(value: number, width: number): number {
  let result = 0;
  for (let i = 0; i < width; i++) if ((value >>> i) & 1) result |= 1 << (width - 1 - i);
  return result >>> 0;
}

/**
 * One CRC with its table. With a reflected input the register is reflected and uses the low bits of a 32-bit word.
 * Otherwise the register uses the high bits, so that all widths share one loop.
 */
export class Crc {
  readonly parameters: CrcParameters;
  readonly #table = new Int32Array(256);
  readonly #start: number;
  readonly #xorout: number;

  constructor(parameters: CrcParameters) {
    const { width, poly, init, refin } = parameters;
    if (!Number.isInteger(width) || width < 1 || width > 32) throw new RangeError(`CRC width ${width}`);
    this.parameters = parameters;
    this.#xorout = parameters.xorout | 0;
    if (refin) {
      const generator = reflect(poly, width) | 0;
      for (let i = 0; i < 256; i++) {
        let word = i;
        for (let bit = 0; bit < 8; bit++) word = word & 1 ? (word >>> 1) ^ generator : word >>> 1;
        this.#table[i] = word;
      }
      this.#start = reflect(init, width) | 0;
    } else {
      const generator = poly << (32 - width);
      for (let i = 0; i < 256; i++) {
        let word = i << 24;
        for (let bit = 0; bit < 8; bit++) word = word < 0 ? (word << 1) ^ generator : word << 1;
        this.#table[i] = word;
      }
      this.#start = init << (32 - width);
    }
  }

  /** The CRC of `bytes[0..length)` as an unsigned number. */
  compute(bytes: Uint8Array, length: number = bytes.length): number {
    const { width, refin, refout } = this.parameters;
    const table = this.#table;
    let register = this.#start;
    if (refin) {
      for (let i = 0; i < length; i++) register = (register >>> 8) ^ table[(register ^ bytes[i]!) & 255]!;
    } else {
      for (let i = 0; i < length; i++) register = (register << 8) ^ table[(register >>> 24) ^ bytes[i]!]!;
      register = register >>> (32 - width);
    }
    if (refin !== refout) register = reflect(register, width);
    const mask = width === 32 ? -1 : (1 << width) - 1;
    return ((register ^ this.#xorout) & mask) >>> 0;
  }
}
