/**
 * Rates, times and sizes in the notation of files: `100Gbps`, `1.5us`, `512KB`; a bare number is a rate in bits per
 * second, or a size in bytes.
 */
import { z } from "zod";

const RATE_UNITS: Readonly<Record<string, number>> = { bps: 1, kbps: 1e3, Mbps: 1e6, Gbps: 1e9, Tbps: 1e12 };
const TIME_UNITS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

/** Decimal, as for rates; binary units have names of their own (IEC 80000-13). */
const SIZE_UNITS: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

function parseUnit(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([A-Za-z]+)$/.exec(text);
  const factor = match === null ? undefined : units[match[2]!];
  return factor === undefined ? undefined : Number(match![1]) * factor;
}

/** Bits per second of `10Gbps`; undefined when the text is no rate. */
export function parseRate(text: string): number | undefined {
  return parseUnit(text, RATE_UNITS);
}

/** Nanoseconds of `5us`; undefined when the text is no time. */
export function parseDuration(text: string): number | undefined {
  return parseUnit(text, TIME_UNITS);
}

/** Bytes of `512KB`; undefined when the text is no size. */
export function parseBytes(text: string): number | undefined {
  const bytes = parseUnit(text, SIZE_UNITS);
  if (bytes === undefined) return undefined;
  // 1.001 x 1000 is not 1001 in binary fractions.
  const whole = Math.round(bytes);
  return Math.abs(bytes - whole) < 1e-6 ? whole : bytes;
}

function quantity(
  parse: (text: string) => number | undefined,
  positive: boolean,
  bare: boolean,
  expected: string,
) {
  return z.union([z.number(), z.string()], { error: `expected ${expected}` }).transform((input, context) => {
    const value = typeof input === "string" ? parse(input) : bare ? input : undefined;
    if (value !== undefined && Number.isFinite(value) && (positive ? value > 0 : value >= 0)) return value;
    context.addIssue({ code: "custom", message: `expected ${expected}, got ${JSON.stringify(input)}` });
    return z.NEVER;
  });
}

/** A rate in bits per second: a number, or text such as `100Gbps`. */
export const rateSchema = quantity(parseRate, true, true, "a rate such as 100Gbps");

/** A time in nanoseconds from text such as `1us`; a bare number has no unit and is refused. */
export const durationSchema = quantity(parseDuration, false, false, "a time such as 1us");

/** As {@link durationSchema}, but more than 0. */
export const positiveDurationSchema = quantity(parseDuration, true, false, "a time above 0 such as 1us");

/** A size in whole bytes, at least 1: a number, or text such as `512KB` (KB, MB, GB: powers of 1000; KiB, MiB, GiB: of 1024). */
export const bytesSchema = quantity(parseBytes, true, true, "a size such as 512KB").refine(
  (bytes) => Number.isSafeInteger(bytes),
  "expected a whole number of bytes",
);
