import { describe, expect, it } from "vitest";
import { type ChainOptions, type ChainResult, runChain } from "./chain.js";
import { VALIDATION } from "./validation.js";

/** Several rows look at one network: it runs once. */
const results = new Map<ChainOptions, ChainResult>();

function resultOf(network: ChainOptions): ChainResult {
  const known = results.get(network);
  if (known !== undefined) return known;
  const result = runChain(network);
  results.set(network, result);
  return result;
}

describe("the controls on whole networks, within 10 % of closed forms", () => {
  it.each(
    VALIDATION.filter(({ holds }) => holds !== "none").map((one) => [one.topic, one.name, one] as const),
  )("%s: %s", (_topic, _name, { network, measure, expected, holds }) => {
    const result = resultOf(network);
    const value = measure(result);
    const wanted = typeof expected === "number" ? expected : expected!(result);
    if (holds === "at most") expect(value).toBeLessThanOrEqual(wanted);
    else expect(Math.abs(value / wanted - 1)).toBeLessThan(0.1);
  });
});
