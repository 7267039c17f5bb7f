/** Which designs `times.ts` takes, and what its last line says of their times. */

/** A design that the compiler placed: seconds of `fit` and of the compiler, and megabytes of `fit`. */
export interface TimesRow {
  readonly ours: number;
  readonly theirs: number;
  readonly megabytes: number;
}

/** The list in `count` parts of equal length, the rest left out: of each part one design is timed. A short list has a part for each. */
export function partsOf<T>(list: readonly T[], count: number): T[][] {
  const each = Math.max(1, Math.floor(list.length / count));
  const parts = Math.min(count, Math.floor(list.length / each));
  return Array.from({ length: parts }, (_, i) => list.slice(i * each, (i + 1) * each));
}

/** Of an even number of values the upper one of the two in the middle. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Medians, the longest and largest, and the median of the ratios of single designs. */
export function summaryOf(rows: readonly TimesRow[]): string {
  if (rows.length === 0) return "0 designs";
  const [ours, theirs, megabytes] = (["ours", "theirs", "megabytes"] as const).map((key) =>
    rows.map((row) => row[key]),
  ) as [number[], number[], number[]];
  const ratios = rows.map((row) => row.theirs / row.ours);
  return `${rows.length} designs: fit ${median(ours).toFixed(2)} s (longest ${Math.max(...ours).toFixed(2)} s, ${Math.max(...megabytes).toFixed(0)} MB), compiler ${median(theirs)} s (longest ${Math.max(...theirs)} s), ratio ${median(ratios).toFixed(0)}`;
}
