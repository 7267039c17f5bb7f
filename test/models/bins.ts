/** Flows that are hashed to equal ports: balls in bins, exactly. */
import { type Fraction, fraction, ONE, plus, times, ZERO } from "./fraction.js";

function binomial(n: number, k: number): bigint {
  let value = 1n;
  for (let i = 0; i < k; i++) value = (value * BigInt(n - i)) / BigInt(i + 1);
  return value;
}

/** P(the fullest of `bins` bins has at most `most` of `balls` balls): ways to fill, bin after bin, over bins^balls. */
export function atMost(balls: number, bins: number, most: number): Fraction {
  let ways = [1n, ...new Array<bigint>(balls).fill(0n)];
  for (let bin = 0; bin < bins; bin++)
    ways = ways.map((_, total) => {
      let all = 0n;
      for (let here = 0; here <= Math.min(most, total); here++)
        all += ways[total - here]! * binomial(total, here);
      return all;
    });
  return fraction(ways[balls]!, BigInt(bins) ** BigInt(balls));
}

export function expectedLargest(balls: number, bins: number): Fraction {
  let all = ZERO;
  for (let most = 0; most < balls; most++) {
    const below = atMost(balls, bins, most);
    all = plus(all, plus(ONE, times(fraction(-1), below)));
  }
  return all;
}

/** P(no two share a bin). */
export const noCollision = (balls: number, bins: number): Fraction => atMost(balls, bins, 1);

/** E[number of bins that get a ball]: m (1 - (1 - 1/m)^n). */
export function expectedUsed(balls: number, bins: number): Fraction {
  const empty = fraction(BigInt(bins - 1) ** BigInt(balls), BigInt(bins) ** BigInt(balls));
  return times(fraction(bins), plus(ONE, times(fraction(-1), empty)));
}

/** E[CV^2] of the counts of n balls in m equal bins: (n/m)(1 - 1/m) / (n/m)^2 = (m - 1) / n. */
export const expectedSquaredVariation = (balls: number, bins: number): Fraction => fraction(bins - 1, balls);
