/**
 * Arithmetic on numbers of several 32-bit words for generated code: operands and results in a scratch
 * array, low word first. Division of more than 32 bits goes through BigInt: no p4c program divides by
 * anything but a power of two, which is a shift.
 */

/** scratch[2n..3n) = scratch[0..n) * scratch[n..2n) modulo 2^(32 n), by 16-bit halves. */
export function multiplyWords(scratch: Int32Array, n: number): void {
  const out = 2 * n;
  for (let i = 0; i < n; i++) scratch[out + i] = 0;
  for (let i = 0; i < 2 * n; i++) {
    const a = (scratch[i >> 1]! >>> ((i & 1) * 16)) & 0xffff;
    if (a === 0) continue;
    let carry = 0;
    for (let j = 0; i + j < 2 * n; j++) {
      const b = (scratch[n + (j >> 1)]! >>> ((j & 1) * 16)) & 0xffff;
      const k = i + j;
      const word = out + (k >> 1);
      const shift = (k & 1) * 16;
      const old = scratch[word]!;
      // At most 0xffff * 0xffff + 2 * 0xffff: fits 32 bits unsigned.
      const sum = a * b + ((old >>> shift) & 0xffff) + carry;
      scratch[word] = (old & ~(0xffff << shift)) | ((sum & 0xffff) << shift);
      carry = Math.floor(sum / 65536);
    }
  }
}

/** scratch[0..n) <<= by, in place; a distance of 32 n or more gives 0. */
export function shiftWordsLeft(scratch: Int32Array, n: number, by: number): void {
  const skip = by >>> 5;
  const bits = by & 31;
  for (let i = n - 1; i >= 0; i--) {
    const low = i - skip;
    const high = low >= 0 ? scratch[low]! : 0;
    const carry = bits !== 0 && low >= 1 ? scratch[low - 1]! >>> (32 - bits) : 0;
    scratch[i] = (high << bits) | carry;
  }
}

/** scratch[0..n) >>= by, in place; `fill` (0 or -1) comes in from above. */
export function shiftWordsRight(scratch: Int32Array, n: number, by: number, fill: number): void {
  const skip = by >>> 5;
  const bits = by & 31;
  for (let i = 0; i < n; i++) {
    const at = i + skip;
    const low = at < n ? scratch[at]! : fill;
    const high = at + 1 < n ? scratch[at + 1]! : fill;
    scratch[i] = bits === 0 ? low : (low >>> bits) | (high << (32 - bits));
  }
}

function toBigInt(scratch: Int32Array, at: number, n: number): bigint {
  let value = 0n;
  for (let i = n - 1; i >= 0; i--) value = (value << 32n) | BigInt(scratch[at + i]! >>> 0);
  return value;
}

/** scratch[2n..3n) = quotient or remainder of the unsigned scratch[0..n) and scratch[n..2n); by 0 gives 0. */
export function divideWords(scratch: Int32Array, n: number, remainder: boolean): void {
  const a = toBigInt(scratch, 0, n);
  const b = toBigInt(scratch, n, n);
  let result = b === 0n ? 0n : remainder ? a % b : a / b;
  for (let i = 0; i < n; i++) {
    scratch[2 * n + i] = Number(BigInt.asIntN(32, result));
    result >>= 32n;
  }
}
