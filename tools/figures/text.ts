/** How figures look on a page: tables, and numbers with their units. */
import { meanInterval } from "../../src/fabric/statistics/index.js";

/** What a page shows where there is no figure. */
const NONE = "-";

type Cell = string | number | undefined | null;

const cell = (value: Cell) => String(value ?? NONE).replaceAll("|", "\\|");

/** The lines of a table; the first column names the rows. */
export function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  for (const row of rows)
    if (row.length !== columns.length)
      throw new Error(
        `a row of ${row.length} cells in a table of ${columns.length} columns: ${row.join(", ")}`,
      );
  const line = (cells: readonly Cell[]) =>
    `|${cells.map((value) => (value === "" ? " " : ` ${cell(value)} `)).join("|")}|`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)];
}

/** A number with a fixed number of decimals and commas between thousands. */
export function fixed(value: number, decimals = 0): string {
  const [whole, part] = value.toFixed(decimals).split(".") as [string, string?];
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}

/** A number with at least this many significant digits, without an exponent: 0.0123, 1.50, 243, 1,234. */
export function significant(value: number, digits = 3): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const whole = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits))))) + 1;
  return fixed(value, Math.min(20, Math.max(0, digits - whole)));
}

/** A share as a percentage: 0.905 gives `90.5 %`. */
export const percent = (share: number, decimals = 1): string => `${fixed(share * 100, decimals)} %`;

/** A gain as a percentage: 2.5 times gives `150 %`. */
export const gain = (ratio: number, decimals = 0): string => percent(ratio - 1, decimals);

/** A figure with its unit. */
export const unit = (value: number, name: string, digits = 3): string =>
  `${significant(value, digits)} ${name}`;

/** The mean of independent samples with its 95 % interval (Student): `396 ± 48`. */
export function meanOf(samples: readonly number[], decimals = 0): string {
  const { mean, halfWidth } = meanInterval(samples);
  return halfWidth === undefined
    ? fixed(mean, decimals)
    : `${fixed(mean, decimals)} ± ${fixed(halfWidth, decimals)}`;
}

/** A time in ms as us, ms or s, with this many significant digits. */
export function time(ms: number, digits = 3): string {
  if (ms === 0) return "0";
  if (Math.abs(ms) < 1) return unit(ms * 1000, "us", digits);
  return Math.abs(ms) < 1000 ? unit(ms, "ms", digits) : unit(ms / 1000, "s", digits);
}

/** The range of several results: `17 to 43`; one result stands alone. */
export function range(
  values: readonly number[],
  show: (value: number) => string = (value) => significant(value),
): string {
  const [least, most] = [show(Math.min(...values)), show(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

/** Rounds all numbers of a picked result to significant digits, so that the store has what a page can show. */
export function rounded<T>(value: T, digits = 6): T {
  const walk = (part: unknown): unknown => {
    if (typeof part === "number") return Number(part.toPrecision(digits));
    if (Array.isArray(part)) return part.map(walk);
    if (part !== null && typeof part === "object")
      return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]));
    return part;
  };
  return walk(value) as T;
}

/** Some keys of an object. */
export function pickKeys<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}

/** A setting of a row: an object, or its JSON where the setting is a column of the experiment. */
// biome-ignore lint/suspicious/noExplicitAny: the schema of a setting belongs to the experiment.
export const parsed = (value: unknown): any => (typeof value === "string" ? JSON.parse(value) : value);

/** The value of a benchmark's measurement by its name. */
export function measured(measurements: readonly { name: string; value: number }[], name: string): number {
  const found = measurements.find((measurement) => measurement.name === name);
  if (found === undefined)
    throw new Error(
      `no measurement "${name}": there are ${measurements.map((each) => each.name).join(", ")}`,
    );
  return found.value;
}
