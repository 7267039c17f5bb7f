/** Exact fractions of BigInt, in lowest terms with a positive denominator. */
export interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b);
}

export function fraction(n: bigint | number, d: bigint | number = 1): Fraction {
  const [top, bottom] = [BigInt(n), BigInt(d)];
  if (bottom === 0n) throw new Error("a fraction needs a denominator");
  const common = gcd(top, bottom) * (bottom < 0n ? -1n : 1n);
  return { n: top / common, d: bottom / common };
}

export const ZERO = fraction(0);
export const ONE = fraction(1);

export const plus = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
export const times = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.n, a.d * b.d);
export const over = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.d, a.d * b.n);
export const less = (a: Fraction, b: Fraction): boolean => a.n * b.d < b.n * a.d;
export const equal = (a: Fraction, b: Fraction): boolean => a.n === b.n && a.d === b.d;
export const sum = (all: readonly Fraction[]): Fraction => all.reduce(plus, ZERO);

/** The nearest number; 20 digits after the point are kept, also of large terms. */
export function toNumber({ n, d }: Fraction): number {
  const scale = 10n ** 20n;
  return Number(n / d) + Number(((n % d) * scale) / d) / 1e20;
}
