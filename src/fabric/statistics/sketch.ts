/**
 * Quantiles of many samples in little memory: exact while they are few, then counts in buckets of bounded relative error. The contents of a
 * sketch depend only on the samples, not on their order or on merges of sketches (except for the rounding of the sum).
 */
import { ascending, type CdfPoint, cdfPoints, nearestRank, thinned } from "./samples.js";

// Buckets of almost equal relative width: each power of two is divided into equal parts. The number of a bucket comes from
// the bits of the value, so that it is the same on every machine; logarithms need not be. Of sketches with a bound on the
// relative error (DDSketch: Masson, Rim, Lee, VLDB 2019, section 2.3), this is the one with a linear interpolation of the logarithm.

const PART_BITS = 10;
const SHIFT = 20 - PART_BITS;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** The word with sign, exponent and the upper bits of the fraction. */
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** Maximum difference between the middle of a bucket and a value in it, relative to the value. */
export const RELATIVE_ERROR = 2 ** -(PART_BITS + 1);

/** The bucket of a number that is not negative. Buckets of greater numbers have greater numbers. */
function bucketOf(value: number): number {
  double[0] = value;
  return words[HIGH]! >>> SHIFT;
}

/** Lower end of a bucket, which belongs to it; that of the next bucket is its upper end. */
function lowEnd(bucket: number): number {
  words[HIGH] = (bucket << SHIFT) >>> 0;
  words[1 - HIGH] = 0;
  return double[0]!;
}

/** The number halfway between the ends of a bucket; 0 of the first, which is that of 0. */
function middleOf(bucket: number): number {
  if (bucket === 0) return 0;
  const low = lowEnd(bucket);
  return low + (lowEnd(bucket + 1) - low) / 2;
}

const WHOLE_BITS = 7;
const WHOLE_PARTS = 1 << WHOLE_BITS;

/** Maximum difference between the middle of a bucket of whole numbers and a number in it, relative to the number. */
export const WHOLE_RELATIVE_ERROR = 2 ** -(WHOLE_BITS + 1);

/** The bucket of a whole number from 0 to 2^31 - 1. Numbers below 256 have buckets of their own, and buckets are dense from 0. */
export function wholeBucketOf(value: number): number {
  const shift = Math.max(0, 31 - WHOLE_BITS - Math.clz32(value));
  return shift * WHOLE_PARTS + (value >>> shift);
}

/** The middle of the numbers of a bucket of whole numbers. */
export function wholeMiddleOf(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / WHOLE_PARTS) - 1);
  const low = (bucket - shift * WHOLE_PARTS) * 2 ** shift;
  return low + (2 ** shift - 1) / 2;
}

/** As JSON; `values` or `buckets` (bucket, count, bucket, count, ...), both ascending. */
export interface SketchJson {
  readonly limit: number;
  readonly count: number;
  readonly sum: number;
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly number[];
  readonly buckets?: readonly number[];
}

export class QuantileSketch {
  #values: number[] | undefined = [];
  #sorted = true;
  readonly #buckets = new Map<number, number>();
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  /** @param limit maximum number of samples that are kept exactly; more are counted in buckets, which are at most 0.05 % off. */
  constructor(readonly limit = 5000) {}

  get count(): number {
    return this.#count;
  }

  /** NaN without samples; so are {@link min}, {@link max} and {@link quantile}. */
  get mean(): number {
    return this.#sum / this.#count;
  }

  get min(): number {
    return this.#count === 0 ? Number.NaN : this.#min;
  }

  get max(): number {
    return this.#count === 0 ? Number.NaN : this.#max;
  }

  /** Whether all samples are kept exactly. */
  get exact(): boolean {
    return this.#values !== undefined;
  }

  /** Throws RangeError for a value that is no finite number from 0. */
  add(value: number): void {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY))
      throw new RangeError(`a sample of a sketch must be a finite number from 0, got ${value}`);
    this.#count++;
    this.#sum += value;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    if (this.#values === undefined) this.#countIn(bucketOf(value), 1);
    else {
      this.#values.push(value);
      this.#sorted = false;
      this.#makeRoom();
    }
  }

  /** Adds all samples of another sketch; the smaller limit of the two counts. */
  merged(other: QuantileSketch): QuantileSketch {
    const result = new QuantileSketch(Math.min(this.limit, other.limit));
    for (const part of [this, other]) {
      result.#count += part.#count;
      result.#sum += part.#sum;
      result.#min = Math.min(result.#min, part.#min);
      result.#max = Math.max(result.#max, part.#max);
    }
    if (this.#values === undefined || other.#values === undefined) result.#values = undefined;
    for (const part of [this, other]) {
      for (const [bucket, count] of part.#buckets) result.#countIn(bucket, count);
      for (const value of part.#values ?? []) {
        if (result.#values === undefined) result.#countIn(bucketOf(value), 1);
        else result.#values.push(value);
      }
    }
    result.#sorted = false;
    result.#makeRoom();
    return result;
  }

  /** The nearest-rank quantile, from the middle of its bucket where samples are not kept. */
  quantile(fraction: number): number {
    if (this.#count === 0) return Number.NaN;
    const rank = nearestRank(this.#count, fraction);
    if (this.#values !== undefined) return this.#sortedValues()[rank]!;
    let before = 0;
    for (const [bucket, count] of this.#sortedBuckets()) {
      before += count;
      if (before > rank) return this.#within(bucket);
    }
    return this.#max;
  }

  /** The steps of the distribution, thinned to about `limit` points. */
  cdf(limit = 200): CdfPoint[] {
    if (this.#values !== undefined) return cdfPoints(this.#values, limit);
    let before = 0;
    const points = this.#sortedBuckets().map(([bucket, count]) => {
      before += count;
      return { x: this.#within(bucket), fraction: before / this.#count };
    });
    return thinned(points, limit);
  }

  toJson(): SketchJson {
    const { limit } = this;
    const [count, sum] = [this.#count, this.#sum];
    const ends = count === 0 ? {} : { min: this.#min, max: this.#max };
    return this.#values === undefined
      ? { limit, count, sum, ...ends, buckets: this.#sortedBuckets().flat() }
      : { limit, count, sum, ...ends, values: [...this.#sortedValues()] };
  }

  static fromJson({ limit, count, sum, min, max, values, buckets }: SketchJson): QuantileSketch {
    const sketch = new QuantileSketch(limit);
    sketch.#count = count;
    sketch.#sum = sum;
    sketch.#min = min ?? Number.POSITIVE_INFINITY;
    sketch.#max = max ?? Number.NEGATIVE_INFINITY;
    sketch.#values = values === undefined ? undefined : [...values];
    for (let i = 0; i + 1 < (buckets?.length ?? 0); i += 2)
      sketch.#buckets.set(buckets![i]!, buckets![i + 1]!);
    return sketch;
  }

  #makeRoom(): void {
    if (this.#values === undefined || this.#values.length <= this.limit) return;
    for (const value of this.#values) this.#countIn(bucketOf(value), 1);
    this.#values = undefined;
  }

  #countIn(bucket: number, count: number): void {
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
  }

  #within(bucket: number): number {
    return Math.min(Math.max(middleOf(bucket), this.#min), this.#max);
  }

  #sortedValues(): readonly number[] {
    if (!this.#sorted) this.#values = ascending(this.#values!);
    this.#sorted = true;
    return this.#values!;
  }

  #sortedBuckets(): [bucket: number, count: number][] {
    return [...this.#buckets].sort(([a], [b]) => a - b);
  }
}
