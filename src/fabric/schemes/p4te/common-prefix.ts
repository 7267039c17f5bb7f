/** The prefix that all addresses of a fabric share, which the upward tables match (section 4.2.1). */
import type { Prefix } from "../../topology/index.js";

/** The longest prefix that covers all of `prefixes`; `width` is 32 or 128. */
export function commonPrefix(prefixes: readonly Prefix[], width: 32 | 128): Prefix {
  const [first] = prefixes;
  if (first === undefined) return { address: 0n, length: 0 };
  let length = first.length;
  for (const other of prefixes) {
    length = Math.min(length, other.length);
    while (length > 0 && (first.address ^ other.address) >> BigInt(width - length) !== 0n) length--;
  }
  const free = BigInt(width - length);
  return { address: (first.address >> free) << free, length };
}
