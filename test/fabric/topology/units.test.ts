import { expect, it } from "vitest";
import {
  bytesSchema,
  durationSchema,
  parseBytes,
  parseDuration,
  parseRate,
  positiveDurationSchema,
  rateSchema,
} from "../../../src/fabric/topology/index.js";

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

it.each([
  ["512KB", 512_000],
  ["1.5 MB", 1_500_000],
  ["64KiB", 65_536],
  ["2GiB", 2 ** 31],
  ["3TB", 3e12],
  ["1.001KB", 1001],
  ["7B", 7],
  ["7kb", undefined],
  ["7", undefined],
  ["1MiB", 1_048_576],
  ["1GB", 1e9],
])("size %s", (text, value) => expect(parseBytes(text)).toBe(value));

it("takes sizes of at least one byte, whole ones", () => {
  expect(bytesSchema.parse(1500)).toBe(1500);
  expect(bytesSchema.parse("1.5KB")).toBe(1500);
  const refused = (input: unknown) => bytesSchema.safeParse(input).error?.issues[0]?.message;
  expect(refused("0KB")).toBe('expected a size such as 512KB, got "0KB"');
  expect(refused(true)).toBe("expected a size such as 512KB");
  expect(refused("1.5B")).toBe("expected a whole number of bytes");
});

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
