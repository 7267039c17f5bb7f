/** Addresses as people write them. */

/** Four numbers with points. `address`: 32 bits. */
export function ipv4Text(address: bigint | number): string {
  const word = Number(address);
  return [24, 16, 8, 0].map((shift) => (word >>> shift) & 255).join(".");
}

/** RFC 5952: lower case, no leading zeros, the first of the longest runs of two or more zero groups as `::`. `address`: 128 bits. */
export function ipv6Text(address: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => Number((address >> BigInt(16 * (7 - i))) & 0xffffn));
  let best = 0;
  let length = 1;
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groups[end] === 0) end++;
    if (end - start > length) [best, length] = [start, end - start];
  }
  const text = (part: number[]): string => part.map((group) => group.toString(16)).join(":");
  if (length < 2) return text(groups);
  return `${text(groups.slice(0, best))}::${text(groups.slice(best + length))}`;
}

/** Six bytes in hexadecimal with colons. `address`: 48 bits. */
export function macText(address: bigint): string {
  return address
    .toString(16)
    .padStart(12, "0")
    .replace(/..(?=.)/g, "$&:");
}
