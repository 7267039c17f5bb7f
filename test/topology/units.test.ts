import { expect, it } from "vitest";
import {
  durationSchema,
  parseDuration,
  parseRate,
  positiveDurationSchema,
  rateSchema,
} from "../../src/topology/index.js";

it.each([
  ["100Gbps", 100e9],
  ["2.5Gbps", 2.5e9],
  ["48 kbps", 48e3],
  ["1Tbps", 1e12],
  ["10bps", 10],
  ["100gbps", undefined],
  ["Gbps", undefined],
  ["-1Gbps", undefined],
  ["1.25Gbps", 1.25e9],
  ["1Gbps!", undefined],
  ["a1Gbps", undefined],
  ["1.Gbps", undefined],
])("rate %s", (text, value) => expect(parseRate(text)).toBe(value));

it.each([
  ["1.5us", 1500],
  ["0ns", 0],
  ["10ms", 1e7],
  ["1s", 1e9],
  ["1h", undefined],
])("duration %s", (text, value) => expect(parseDuration(text)).toBe(value));

it("takes bare rates, times with a unit only, and nothing impossible", () => {
  expect(rateSchema.parse(5)).toBe(5);
  expect(durationSchema.parse("0ns")).toBe(0);
  expect(durationSchema.safeParse(3).error?.issues[0]?.message).toBe("expected a time such as 1us, got 3");
  expect(positiveDurationSchema.parse("1ns")).toBe(1);
  expect(positiveDurationSchema.safeParse("0ms").success).toBe(false);
  expect(rateSchema.safeParse(0).success).toBe(false);
  expect(durationSchema.safeParse("-1ms").success).toBe(false);
  expect(rateSchema.safeParse(Number.NaN).success).toBe(false);
  expect(rateSchema.safeParse(`${"9".repeat(400)}bps`).success).toBe(false);
  expect(rateSchema.safeParse("fast").error?.issues[0]?.message).toBe(
    'expected a rate such as 100Gbps, got "fast"',
  );
});
