/**
 * Buckets of almost equal relative width: each power of two is divided into equal parts. The number of a bucket comes from
 * the bits of the value, so that it is the same on every machine; logarithms need not be. Of sketches with a bound on the
 * relative error (DDSketch: Masson, Rim, Lee, VLDB 2019, section 2.3), this is the one with a linear interpolation of the logarithm.
 */

const PART_BITS = 10;
const SHIFT = 20 - PART_BITS;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** The word with sign, exponent and the upper bits of the fraction. */
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** Maximum difference between the middle of a bucket and a value in it, relative to the value. */
export const RELATIVE_ERROR = 2 ** -(PART_BITS + 1);

/** The bucket of a number that is not negative. Buckets of greater numbers have greater numbers. */
export function bucketOf(value: number): number {
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
export function middleOf(bucket: number): number {
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
