/** Bit strings of a length that is only known at run time: helpers for generated code. */

/** Puts the low `count` bits (at most 32) of a word at a bit position; bytes from there on must be 0. Returns the next position. */
export function putBits(bytes: Uint8Array, at: number, word: number, count: number): number {
  let left = count;
  let position = at;
  while (left > 0) {
    const room = 8 - (position & 7);
    const take = Math.min(left, room);
    const bits = (word >>> (left - take)) & ((1 << take) - 1);
    bytes[position >> 3]! |= bits << (room - take);
    position += take;
    left -= take;
  }
  return position;
}

/** `count` bits (at most 32) from a bit position, as int32. */
export function getBits(bytes: Uint8Array, at: number, count: number): number {
  let result = 0;
  let left = count;
  let position = at;
  while (left > 0) {
    const room = 8 - (position & 7);
    const take = Math.min(left, room);
    const bits = (bytes[position >> 3]! >>> (room - take)) & ((1 << take) - 1);
    result = take === 32 ? bits : (result << take) | bits;
    position += take;
    left -= take;
  }
  return result;
}

/**
 * Loads a varbit of `bits` bits (whole bytes) into its PHV words: length first, then bytes big-endian, then zeros. Generated code calls it for
 * each packet, so it gets numbers and makes no object.
 */
export function loadVarbit(
  phv: Int32Array,
  at: number,
  words: number,
  bytes: Uint8Array,
  bit: number,
  bits: number,
): void {
  phv[at] = bits;
  for (let i = 1; i < words; i++) {
    const have = Math.min(32, bits - 32 * (i - 1));
    phv[at + i] = have <= 0 ? 0 : getBits(bytes, bit + 32 * (i - 1), have) << (32 - have);
  }
}

/** Puts a varbit at a bit position; returns the next position. */
export function putVarbit(bytes: Uint8Array, at: number, phv: Int32Array, field: number): number {
  let left = phv[field]!;
  let position = at;
  for (let i = 1; left > 0; i++) {
    const take = Math.min(left, 32);
    position = putBits(bytes, position, phv[field + i]! >>> (32 - take), take);
    left -= take;
  }
  return position;
}
