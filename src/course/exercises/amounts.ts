/** Durations and ranges in the notation of exercise files. */
import { z } from "zod";

/** The allowed values of a count or a share, both bounds included. `percent`: the bounds are shares of a whole, in per cent. */
export interface Range {
  readonly low: number;
  readonly high: number;
  readonly percent: boolean;
}

const RANGE = /^(?:(\d+(?:\.\d+)?)(%?))?(\.\.)?(?:(\d+(?:\.\d+)?)(%?))?$/;
const RANGE_FORM = "expected a number, or a range: 3..5, 3.., ..5, 40%..60%";

/** Reads a range from a text or a number; undefined if it is not a range. */
function parseRange(value: string | number): Range | undefined {
  const text = String(value).replaceAll(" ", "");
  const [whole, low, lowPercent, dots, high, highPercent] = RANGE.exec(text) ?? [];
  if (whole === undefined || (low === undefined && high === undefined)) return undefined;
  // "5%6" has two numbers without dots between them.
  if (dots === undefined && high !== undefined) return undefined;
  if (low !== undefined && high !== undefined && lowPercent !== highPercent) return undefined;
  const from = low === undefined ? 0 : Number(low);
  const to = high !== undefined ? Number(high) : dots === undefined ? from : Number.POSITIVE_INFINITY;
  return from > to ? undefined : { low: from, high: to, percent: (lowPercent || highPercent) === "%" };
}

/** The notation of a range. */
export function rangeText({ low, high, percent }: Range): string {
  const unit = percent ? "%" : "";
  if (low === high) return `${low}${unit}`;
  return `${low === 0 ? "" : `${low}${unit}`}..${high === Number.POSITIVE_INFINITY ? "" : `${high}${unit}`}`;
}

/** Whether a number is in the range; for a share, `whole` is 100%. */
export function inRange({ low, high, percent }: Range, value: number, whole: number): boolean {
  const measured = percent ? (whole === 0 ? 0 : (100 * value) / whole) : value;
  return measured >= low && measured <= high;
}

export const rangeSchema = z
  .union([z.number(), z.string()], { error: RANGE_FORM })
  .transform((value, context): Range => {
    const range = parseRange(value);
    if (range !== undefined) return range;
    context.addIssue({ code: "custom", message: RANGE_FORM });
    return z.NEVER;
  });

const UNITS: Readonly<Record<string, number>> = { us: 1e3, ms: 1e6, s: 1e9 };
const DURATION_FORM = 'expected a duration such as "100ms", in us, ms or s';

/** A duration, converted to nanoseconds. */
export const durationSchema = z.string({ error: DURATION_FORM }).transform((text, context): number => {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*(us|ms|s)$/.exec(text) ?? [];
  if (digits !== undefined) return Math.round(Number(digits) * UNITS[unit!]!);
  context.addIssue({ code: "custom", message: DURATION_FORM });
  return z.NEVER;
});
