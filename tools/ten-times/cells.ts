/** The cells of comparisons, and the file of a cell that is ten times as long. Pure: contents of files in, contents of files out. */
import { Random } from "../../src/base/index.js";

/** How much longer the long run is. */
const TIMES = 10;

// biome-ignore lint/suspicious/noExplicitAny: the contents of an experiment file.
export type File = any;
type Values = Readonly<Record<string, unknown>>;

/** A scheme at a point of a file. */
export interface Cell {
  readonly file: string;
  /** Number of the point and of the scheme, from 0, in the order of the rows. */
  readonly point: number;
  readonly scheme: number;
}

/** A finished cell: the mean and half of its 95 % interval of the file's run, and the mean of the long run. */
export interface Checked extends Cell {
  readonly mean: number;
  readonly half: number;
  readonly long: number;
  readonly seeds: number;
  /** Whether the interval became as small as the file's `until` asks; absent without `until`. */
  readonly converged?: "yes" | "no";
  readonly warned: boolean;
  /** Hash of the contents of the file. */
  readonly hash: string;
}

/** The values of the swept keys of all points, in the order of the rows: `points` varies last, of the others the last key first. */
export function pointsOf({ sweep = {} }: File): Values[] {
  const dimensions = Object.entries(sweep as Record<string, unknown>)
    .filter(([key]) => key !== "seeds")
    .sort(([a], [b]) => Number(b === "points") - Number(a === "points"))
    .map(([key, list]) =>
      (list as unknown[]).map((value): Values => (key === "points" ? (value as Values) : { [key]: value })),
    );
  return dimensions.reduce<Values[]>(
    (points, values) => points.flatMap((point) => values.map((value) => ({ ...point, ...value }))),
    [{}],
  );
}

export const cellsOf = (name: string, file: File): Cell[] =>
  pointsOf(file).flatMap((_, point) =>
    file.schemes.map((_scheme: unknown, scheme: number) => ({ file: name, point, scheme })),
  );

/** `flows`, `measured_flows` and `duration`, ten times as large; values as in a file: numbers, times with a unit. */
export function lengthened(value: unknown, key = ""): unknown {
  const last = key.split(".").at(-1);
  if ((last === "flows" || last === "measured_flows") && typeof value === "number") return TIMES * value;
  if (last === "duration" && typeof value === "string")
    return value.replace(/^[\d.]+/, (number) => String(TIMES * Number(number)));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, lengthened(part, name)]));
}

const labelOf = (scheme: File): string | undefined =>
  typeof scheme === "string" ? scheme : (scheme.label ?? scheme.scheme);

/**
 * The file of a cell alone, ten times as long, under `seeds` seeds.
 *
 * @param folder the folder to which the file's relative paths of schemes belong; absolute
 */
export function longFile(
  contents: File,
  { point, scheme: index }: Omit<Cell, "file">,
  seeds: number,
  folder: string,
): File {
  const { until, sweep: _swept, ...file } = structuredClone(contents);
  const scheme = file.schemes[index];
  if (typeof scheme === "object") scheme.scheme = scheme.scheme.replace(/^\.\.?\//, `${folder}/$&`);
  // A parameter of another scheme is no key of this file.
  const values = Object.entries(pointsOf(contents)[point]!).filter(
    ([key]) => !key.startsWith("schemes.") || key.startsWith(`schemes.${labelOf(scheme)}.`),
  );
  // Key by key: a swept key may itself be one that is lengthened.
  const long = Object.fromEntries(values.map(([key, value]) => [key, lengthened(value, key)]));
  const { traffic, measured_flows } = file;
  return {
    ...file,
    // The default of a file with `until`.
    ...(until === undefined ? {} : { warm_up: file.warm_up ?? "auto" }),
    ...(lengthened({ traffic, measured_flows }) as File),
    kind: "load",
    schemes: [scheme],
    sweep: { ...(values.length === 0 ? {} : { points: [long] }), seeds },
  };
}

/** All cells in the order that the seed draws (Fisher and Yates): the first ones are an even sample. */
export function drawn(all: readonly Cell[], seed: number): Cell[] {
  const cells = [...all];
  const random = new Random(seed);
  for (let i = cells.length - 1; i > 0; i--) {
    const j = Math.floor(random.float() * (i + 1));
    [cells[i], cells[j]] = [cells[j]!, cells[i]!];
  }
  return cells;
}

/** Whether the long run's mean is outside of the interval. */
export const moved = ({ mean, half, long }: Pick<Checked, "mean" | "half" | "long">): boolean =>
  Math.abs(long - mean) > half;

/** What a row of results says of its run. */
export interface Settling {
  readonly converged?: "yes" | "no" | undefined;
  readonly offered_load?: number | undefined;
  readonly achieved_load?: number | undefined;
  readonly slowdown_mean_first?: number | undefined;
  readonly slowdown_mean_second?: number | undefined;
}

/**
 * Whether a row has converged and shows no transient, by the rules of docs/load.md, "Is the run long enough?", without the test of two standard errors:
 * some cells that the command does not warn of are unsettled here.
 */
export function isSettled(row: Settling): boolean {
  const { offered_load: offered = 0, achieved_load: achieved = 0 } = row;
  const { slowdown_mean_first: first = 0, slowdown_mean_second: second = 0 } = row;
  return row.converged !== "no" && achieved >= 0.9 * offered && Math.abs(second - first) <= 0.2 * first;
}

export interface Counts {
  /** Cells that are said to have converged, or whose file asks for no interval; how many of them moved. */
  readonly cells: number;
  readonly moved: number;
  /** Cells of which the command itself says that they have not converged; how many of them moved. */
  readonly open: number;
  readonly openMoved: number;
}

export function countsOf(checked: readonly Checked[]): Counts {
  const open = checked.filter(({ converged }) => converged === "no");
  const others = checked.filter(({ converged }) => converged !== "no");
  return {
    cells: others.length,
    moved: others.filter(moved).length,
    open: open.length,
    openMoved: open.filter(moved).length,
  };
}
