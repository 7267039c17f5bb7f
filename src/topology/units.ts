/** Rates and times as people write them in files: `100Gbps`, `1.5us`; a bare number is a rate in bits per second. */
import { z } from "zod";

const RATE_UNITS: Readonly<Record<string, number>> = { bps: 1, kbps: 1e3, Mbps: 1e6, Gbps: 1e9, Tbps: 1e12 };
const TIME_UNITS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

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

/** A time in nanoseconds from text such as `1us`; a bare number says no unit and is refused. */
export const durationSchema = quantity(parseDuration, false, false, "a time such as 1us");

/** As {@link durationSchema}, but more than 0. */
export const positiveDurationSchema = quantity(parseDuration, true, false, "a time above 0 such as 1us");
