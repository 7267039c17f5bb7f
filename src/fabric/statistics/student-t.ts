/** Student's t distribution, and confidence intervals of means. */
import { momentsOf } from "./moments.js";

/** Lanczos' approximation with g = 7 and nine terms; relative error below 1e-13. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(x: number): number {
  let sum = LANCZOS[0]!;
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i]! / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22) with Lentz' method. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast below the mean of the distribution; beyond it the other tail is taken (DLMF 8.17.4).
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(
    a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b) - Math.log(a),
  );
  let [fraction, c, d] = [1, 1, 0];
  for (let m = 0; m <= 500; m++) {
    const k = Math.floor(m / 2);
    const numerator =
      m === 0
        ? 1
        : m % 2 === 0
          ? (k * (b - k) * x) / ((a + 2 * k - 1) * (a + 2 * k))
          : (-(a + k) * (a + b + k) * x) / ((a + 2 * k) * (a + 2 * k + 1));
    d = 1 / nonZero(1 + numerator * d);
    c = nonZero(1 + numerator / c);
    fraction *= c * d;
    if (m > 0 && Math.abs(1 - c * d) < 1e-15) break;
  }
  return front * (fraction - 1);
}

function nonZero(x: number): number {
  return Math.abs(x) < 1e-300 ? 1e-300 : x;
}

/** Probability that |T| is at least `t` under `freedom` degrees of freedom. */
export function studentTail(t: number, freedom: number): number {
  if (!Number.isFinite(t)) return 0;
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/** The t that |T| exceeds with probability `tail` (two-sided), by bisection. */
export function studentQuantile(tail: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (studentTail(high, freedom) > tail) high *= 2;
  for (let i = 0; i < 200 && high - low > 1e-13 * high; i++) {
    const middle = (low + high) / 2;
    if (studentTail(middle, freedom) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

interface MeanInterval {
  readonly mean: number;
  /** The interval is the mean plus and minus this; undefined for fewer than two samples. */
  readonly halfWidth: number | undefined;
}

/** The mean of independent samples with its Student-t confidence interval. */
export function meanInterval(samples: readonly number[], confidence = 0.95): MeanInterval {
  const { count, mean, variance } = momentsOf(samples);
  if (count < 2) return { mean, halfWidth: undefined };
  return { mean, halfWidth: studentQuantile(1 - confidence, count - 1) * Math.sqrt(variance / count) };
}
