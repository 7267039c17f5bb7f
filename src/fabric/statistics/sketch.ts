/**
 * Quantiles of many samples in little memory: exact while they are few, then counts in buckets of bounded relative error. The contents of a
 * sketch depend only on the samples, not on their order or on merges of sketches (except for the rounding of the sum).
 */
import { bucketOf, middleOf } from "./buckets.js";
import { type CdfPoint, cdfPoints, thinned } from "./cdf.js";
import { ascending, nearestRank } from "./samples.js";

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
