/** Cumulative distributions of flow sizes: read from text, sampled with linear interpolation between points. */
import { fail, type Random, type SourceFile } from "../base/index.js";

interface Point {
  bytes: number;
  /** 0 to 1. */
  fraction: number;
}

export class SizeDistribution {
  readonly #points: readonly Point[];

  /** Points ascending in both members, the last fraction is 1. */
  constructor(points: readonly Point[]) {
    this.#points = points;
  }

  /** Mean of the piecewise-linear distribution, in bytes. */
  get mean(): number {
    let sum = this.#points[0]!.bytes * this.#points[0]!.fraction;
    for (let i = 1; i < this.#points.length; i++) {
      const a = this.#points[i - 1]!;
      const b = this.#points[i]!;
      sum += ((a.bytes + b.bytes) / 2) * (b.fraction - a.fraction);
    }
    return sum;
  }

  /** The flow size that a share of `fraction` of the flows does not exceed. */
  quantile(fraction: number): number {
    const points = this.#points;
    let i = 0;
    while (i < points.length - 1 && points[i]!.fraction < fraction) i++;
    const b = points[i]!;
    const a = points[i - 1];
    if (a === undefined || b.fraction === a.fraction) return b.bytes;
    return a.bytes + ((b.bytes - a.bytes) * (fraction - a.fraction)) / (b.fraction - a.fraction);
  }

  /** A flow size in whole bytes, at least 1. */
  sample(random: Random): number {
    return Math.max(1, Math.round(this.quantile(random.float())));
  }
}

/**
 * Reads lines of `bytes percent` (0 to 100); `#` starts a comment. Throws DiagnosticError P42301 for a line that is
 * no pair of numbers, P42302 for points that do not ascend, P42303 when the last point is not 100 percent.
 */
export function readSizeDistribution(file: SourceFile): SizeDistribution {
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
    const [bytes, percent] = numbers;
    if (numbers.length !== 2 || !numbers.every((n) => Number.isFinite(n) && n >= 0))
      return fail("P42301", span, `expected "bytes percent", got "${text}"`);
    const previous = points[points.length - 1];
    const point = { bytes: bytes!, fraction: percent! / 100 };
    if (previous !== undefined && (point.bytes < previous.bytes || point.fraction < previous.fraction))
      return fail("P42302", span, `"${text}" is below the point before it; both numbers must ascend`);
    points.push(point);
    lastSpan = span;
  }
  const last = points[points.length - 1];
  if (last?.fraction !== 1)
    return fail("P42303", lastSpan, `the last point must be 100 percent, got ${(last?.fraction ?? 0) * 100}`);
  return new SizeDistribution(points);
}
