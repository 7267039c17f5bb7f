/** Hash values of flows: every bit of the result depends on every bit of the input (the finalizer of MurmurHash3). */

/** Of 32 bits, as a signed number. */
export function mixed(value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}

/** An index below `count`, from a hash value. */
export function indexOf(hash: number, count: number): number {
  return Math.floor(((hash >>> 0) * count) / 4294967296);
}
