/** Differences in pairs of one seed: under common flows they are narrower than the intervals of the two means. */
import { type Run, type RunDocument, run, withCsv } from "./block.js";
import { fixed, table } from "./text.js";

/** The mean difference of a scheme's mean slowdown from that of the first scheme of the file, and half of its 95 % interval. */
export interface Paired {
  readonly scheme: string;
  /** The number of the point, from 0, in the order of the file. */
  readonly point: number;
  readonly difference: number;
  readonly half: number;
}

/** A run of a comparison whose document also has the paired tests. */
export const pairedRun = (file: string): Run => withCsv(run(file), "tests.csv");

/** `13 to 17 seeds`: the numbers of seeds of the points of a file with `until`. */
export function seedsOf(rows: readonly { readonly seeds: number }[]): string {
  const seeds = rows.map((row) => row.seeds);
  const [least, most] = [Math.min(...seeds), Math.max(...seeds)];
  return least === most ? `${least} seeds` : `${least} to ${most} seeds`;
}

/** Half of an interval, over its mean, that the comparisons ask for: `until` of examples/compare. */
const WIDE = 0.15;

/** `2.80 ± 0.37`, with a star where the interval is wider than the files ask for: such a mean has not converged. */
export const meanOf = (value: number, half: number): string =>
  `${fixed(value, 2)} ± ${fixed(half, 2)}${half > WIDE * value ? " *" : ""}`;

/** The paired differences of the mean slowdown of all flows. */
export function pairedOf({ csv }: RunDocument): Paired[] {
  const rows: Record<string, string>[] = csv["tests.csv"].filter(
    (row: Record<string, string>) => row["size"] === "all" && row["figure"] === "slowdown_mean",
  );
  const points = [...new Set(rows.map(({ point }) => point))];
  return rows.map(({ scheme, point, value, baseline, difference_ci95 }) => ({
    scheme: scheme!,
    point: points.indexOf(point),
    difference: Number(value) - Number(baseline),
    half: Number(difference_ci95),
  }));
}

/** `+0.35 ± 0.07`: slower than the first scheme. */
export function differenceOf(all: readonly Paired[], point: number, scheme: string): string {
  const found = all.find((row) => row.point === point && row.scheme === scheme);
  if (found === undefined) throw new Error(`no paired difference of ${scheme} at point ${point}`);
  const { difference, half } = found;
  return `${difference < 0 ? "-" : "+"}${fixed(Math.abs(difference), 2)} ± ${fixed(half, 2)}`;
}

/**
 * A table of paired differences: a row for each point.
 *
 * @param columns headings of the first columns
 * @param points cells of these columns, in the order of the file's points
 * @param schemes labels and their headings
 */
export const differences = (
  all: readonly Paired[],
  columns: readonly string[],
  points: readonly (readonly string[])[],
  schemes: readonly (readonly [label: string, heading: string])[],
): string[] =>
  table(
    [...columns, ...schemes.map(([, heading]) => heading)],
    points.map((cells, point) => [...cells, ...schemes.map(([label]) => differenceOf(all, point, label))]),
  );
