/** The largest size of a table that still fits, by halving the interval. */

/** Between a size that fits and one that does not: to one part in `precision` of `scale`, or of the size found without a `scale`. */
export function largestSize(
  low: number,
  high: number,
  fits: (size: number) => boolean,
  precision: number,
  scale?: number,
): number {
  let [fitting, failing] = [low, high];
  while (failing - fitting > Math.max(1, (scale ?? fitting) / precision)) {
    const middle = Math.floor((fitting + failing) / 2);
    if (fits(middle)) fitting = middle;
    else failing = middle;
  }
  return fitting;
}
