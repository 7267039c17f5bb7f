/**
 * The next hops of the buckets of a group (RePaC, section 3.2, equation 4). Bucket b has next hop b mod N. When next hops fail,
 * the other buckets do not change, so their choice stays linear. The F buckets of failed next hops are divided into virtual entries,
 * s each, so that their number is a multiple of the n working next hops, which share the entries evenly (figure 3: with 2
 * of 8 failed there are 6 entries).
 */

/** Next hops of each bucket, as indexes below `hops`. Where all next hops have failed, each bucket keeps its own. */
export function bucketHops(
  buckets: number,
  hops: number,
  failed: ReadonlySet<number> = new Set(),
): readonly (readonly number[])[] {
  const working = Array.from({ length: hops }, (_, hop) => hop).filter((hop) => !failed.has(hop));
  const own = Array.from({ length: buckets }, (_, bucket) => bucket % hops);
  const lost = own.filter((hop) => failed.has(hop)).length;
  if (working.length === 0 || lost === 0) return own.map((hop) => [hop]);
  const entries = working.length / gcd(lost, working.length);
  let next = 0;
  return own.map((hop) => {
    if (!failed.has(hop)) return [hop];
    const first = next;
    next += entries;
    return Array.from({ length: entries }, (_, i) => working[(first + i) % working.length]!).sort(
      (a, b) => a - b,
    );
  });
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** The smallest power of two that is at least `size`. */
export function powerOfTwo(size: number): number {
  return 2 ** Math.ceil(Math.log2(size));
}
