/** Cumulative distributions of flow sizes: read from text, sampled with linear interpolation between points. */
import { fail, type Random, type SourceFile } from "../../base/index.js";
import { CODES } from "./codes.js";

interface Point {
  readonly bytes: number;
  /** 0 to 1. */
  readonly fraction: number;
}

export class SizeDistribution {
  readonly #points: readonly Point[];
  /** Mean of the piecewise-linear distribution, in bytes. */
  readonly mean: number;

  /** Points ascending in both members, the last fraction is 1. */
  constructor(points: readonly Point[]) {
    this.#points = points;
    let sum = points[0]!.bytes * points[0]!.fraction;
    for (let i = 1; i < points.length; i++) {
      const a = points[i - 1]!;
      const b = points[i]!;
      sum += ((a.bytes + b.bytes) / 2) * (b.fraction - a.fraction);
    }
    this.mean = sum;
  }

  /** All flows of one size. */
  static fixed(bytes: number): SizeDistribution {
    return new SizeDistribution([{ bytes, fraction: 1 }]);
  }

  /** All sizes from `least` to `most`, equally likely. */
  static uniform(least: number, most: number): SizeDistribution {
    return new SizeDistribution([
      { bytes: least, fraction: 0 },
      { bytes: most, fraction: 1 },
    ]);
  }

  /** The same shares of sizes that are `factor` times as large; samples are rounded to whole bytes. `factor`: above 0. */
  scaled(factor: number): SizeDistribution {
    return new SizeDistribution(
      this.#points.map(({ bytes, fraction }) => ({ bytes: bytes * factor, fraction })),
    );
  }

  /** The flow size that a share of `fraction` of the flows does not exceed. */
  quantile(fraction: number): number {
    const points = this.#points;
    let low = 0;
    let high = points.length - 1;
    // The first point that is not below the fraction.
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[middle]!.fraction < fraction) low = middle + 1;
      else high = middle;
    }
    const b = points[low]!;
    const a = points[low - 1];
    if (a === undefined || b.fraction === a.fraction) return b.bytes;
    return a.bytes + ((b.bytes - a.bytes) * (fraction - a.fraction)) / (b.fraction - a.fraction);
  }

  /** The share of the flows that are at most as large: 0 to 1. The inverse of {@link quantile}. */
  share(bytes: number): number {
    const points = this.#points;
    let i = points.length - 1;
    while (i >= 0 && points[i]!.bytes > bytes) i--;
    const a = points[i];
    const b = points[i + 1];
    if (a === undefined) return 0;
    if (b === undefined) return 1;
    return a.fraction + ((b.fraction - a.fraction) * (bytes - a.bytes)) / (b.bytes - a.bytes);
  }

  /** Mean of what {@link sample} draws: sizes in whole bytes, at least 1. */
  get drawnMean(): number {
    const points = this.#points;
    let sum = points[0]!.fraction * wholeBytes(points[0]!.bytes);
    for (let i = 1; i < points.length; i++) {
      const { bytes: a, fraction } = points[i - 1]!;
      const { bytes: b, fraction: end } = points[i]!;
      const mean = b > a ? (wholeBytesUpTo(b) - wholeBytesUpTo(a)) / (b - a) : wholeBytes(a);
      sum += mean * (end - fraction);
    }
    return sum;
  }

  /** A flow size in whole bytes, at least 1. */
  sample(random: Random): number {
    return wholeBytes(this.quantile(random.float()));
  }
}

const wholeBytes = (size: number): number => Math.max(1, Math.round(size));

/** The integral of {@link wholeBytes} from 0 to `size`. */
function wholeBytesUpTo(size: number): number {
  const last = Math.round(size);
  // Below one half, 1 takes the place of 0; each whole number k before the last one counts over a length of 1.
  return Math.min(size, 0.5) + last * (size - last + 0.5) + (last * (last - 1)) / 2;
}

/** The full share in the second number of a line: 100, or 1. */
export type ShareUnit = "percent" | "fraction";

/**
 * Reads lines of `bytes percent` (0 to 100), or of `bytes fraction` (0 to 1); `#` starts a comment. Throws DiagnosticError
 * P42301 for a line that is no pair of numbers, P42302 for points that do not ascend, P42303 when the last point is not all
 * flows, P42304 when the sizes have no mean above 0.
 */
export function readSizeDistribution(file: SourceFile, unit: ShareUnit = "percent"): SizeDistribution {
  const whole = unit === "percent" ? 100 : 1;
  const points: Point[] = [];
  let lastSpan = { file, start: 0, end: 0 };
  let offset = 0;
  for (const line of file.text.split("\n")) {
    const start = offset;
    offset += line.length + 1;
    const text = line.replace(/#.*/, "").trim();
    if (text === "") continue;
    const span = { file, start, end: start + line.length };
    const numbers = text.split(/\s+/).map(Number);
    const [bytes, share] = numbers;
    if (numbers.length !== 2 || !numbers.every((n) => Number.isFinite(n) && n >= 0))
      return fail(CODES.sizeLine, span, `expected "bytes ${unit}", got "${text}"`);
    const previous = points[points.length - 1];
    const point = { bytes: bytes!, fraction: share! / whole };
    if (previous !== undefined && (point.bytes < previous.bytes || point.fraction < previous.fraction))
      return fail(
        CODES.sizesDescend,
        span,
        `"${text}" is below the point before it; both numbers must ascend`,
      );
    points.push(point);
    lastSpan = span;
  }
  const last = points[points.length - 1];
  if (last?.fraction !== 1) {
    const message = `the last point must be ${whole}${unit === "percent" ? " percent" : ""}, got ${(last?.fraction ?? 0) * whole}`;
    if (unit === "percent" && last?.fraction === 0.01)
      return fail(CODES.sizesEnd, lastSpan, message, "for fractions from 0 to 1, write `shares: fraction`");
    return fail(CODES.sizesEnd, lastSpan, message);
  }
  const sizes = new SizeDistribution(points);
  if (sizes.mean === 0)
    return fail(CODES.sizesZero, lastSpan, "all sizes are 0 bytes; a flow has at least 1");
  return sizes;
}
