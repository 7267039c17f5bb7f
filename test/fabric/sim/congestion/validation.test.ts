import { describe, expect, it } from "vitest";
import { type ChainOptions, type ChainResult, endless, FRAME, runChain, SEGMENT } from "./chain.js";
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

describe("marks by RFC 3168", () => {
  it.each(["reno", "cubic"] as const)("%s keeps the link busy and loses nothing", (control) => {
    const result = runChain({
      hops: 1,
      rate: 20e6,
      accessRate: 200e6,
      delay: 10e6,
      queue: 400,
      // More than a BDP of 33 packets, so that half of a window still fills the link.
      mark: 45,
      flows: endless(control, 2, 0, 100e6),
      warmUpNs: 3e9,
      untilNs: 13e9,
      transport: { ecn: "classic" },
    });
    const bits = result.flows.reduce((sum, { bytes }) => sum + (bytes * 8 * FRAME) / SEGMENT, 0);
    expect(bits / 10 / 20e6).toBeGreaterThan(0.95);
    expect(result.flows.map(({ retransmissions }) => retransmissions)).toEqual([0, 0]);
    expect(result.queues[0]!.marked).toBeGreaterThan(0);
    // Slow start is over: from one mark on, a flow adds a segment a round trip until its reduction shows.
    expect(result.queues[0]!.largest).toBeLessThan(75);
  });
});
