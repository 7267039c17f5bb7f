/** Numbers in BMv2 JSON: hexadecimal text, which p4c writes with a sign where P4 has a negative constant. */

/** The number as it is written. */
export function bmv2Number(text: string): bigint {
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

/** The bits of a number in a field of `width`: a negative one in two's complement; too wide a positive one stays so. */
export function bmv2Bits(text: string, width: number): bigint {
  const value = bmv2Number(text);
  return value < 0n ? BigInt.asUintN(width, value) : value;
}
