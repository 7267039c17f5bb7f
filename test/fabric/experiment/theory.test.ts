import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import { timeOfTry } from "../../../src/fabric/experiment/kinds/failover/results.js";
import {
  expectedTries,
  successProbability,
  triesAtQuantile,
} from "../../../src/fabric/schemes/closed-form.js";
import { ascending, mean, quantile } from "../../../src/fabric/statistics/index.js";

describe("closed forms", () => {
  it("give the numbers of P-ECMP's equation (1)", () => {
    expect([2, 4, 8, 64].map((n) => Number(expectedTries(n).toFixed(2)))).toEqual([4, 1.78, 1.31, 1.03]);
    expect(1 - successProbability(64)).toBeCloseTo(0.031, 3);
  });

  it("give figure 7a's and 7b's instants", () => {
    expect([1, 2, 3, 4].map((tries) => timeOfTry(tries, 6, 1000))).toEqual([6, 18, 42, 90]);
    expect(timeOfTry(triesAtQuantile(2, 0.5), 6, 1000)).toBe(42);
    expect(timeOfTry(triesAtQuantile(2, 0.95), 6, 1000)).toBe(4530);
    expect(timeOfTry(triesAtQuantile(4, 0.5), 6, 1000)).toBe(6);
    expect(timeOfTry(triesAtQuantile(4, 0.95), 6, 1000)).toBe(90);
  });

  it("know the certain and the hopeless", () => {
    expect(triesAtQuantile(1, 0.5)).toBe(Number.POSITIVE_INFINITY);
    expect(timeOfTry(Number.POSITIVE_INFINITY, 6, 1000)).toBe(Number.POSITIVE_INFINITY);
    expect(triesAtQuantile(1e9, 0.5)).toBe(1);
  });

  it("agree with drawing", () => {
    const random = new Random(11);
    const n = 4;
    const draws = Array.from({ length: 40_000 }, () => {
      let tries = 1;
      while (random.int(n) === 0 || random.int(n) === 0) tries++;
      return tries;
    });
    expect(mean(draws)).toBeCloseTo(expectedTries(n), 1);
    expect(quantile(ascending(draws), 0.95)).toBe(triesAtQuantile(n, 0.95));
  });
});
