/** Blocks of what a benchmark measured: a row for each measurement. */
import { type Block, block, type Run, type RunDocument } from "./block.js";
import { range, significant, table } from "./text.js";

interface Row {
  /** First cell of the row. */
  readonly what: string;
  /** Name of the measurement, as `npm run bench` prints it. */
  readonly name: string;
  readonly unit: string;
  /** Significant digits; 2 by default, since such figures are no more certain. */
  readonly digits?: number;
  /** The shown figure of the measured one, for another unit. */
  readonly shown?: (value: number) => number;
}

/** Results by the name of the measurement: one for each run, or the ends of their range. */
type Measured = Record<string, number[]>;

/** The measurements of runs by name; those that are not in `rows` are left out. */
function picked(documents: readonly RunDocument[], rows: readonly Row[]): Measured {
  const all = documents.flat() as { name: string; value: number }[];
  return Object.fromEntries(
    rows.map(({ name }) => {
      const values = all.filter((measurement) => measurement.name === name).map(({ value }) => value);
      if (values.length === 0)
        throw new Error(`no measurement "${name}": there are ${all.map((each) => each.name).join(", ")}`);
      return [name, values];
    }),
  );
}

/** A timed block of benchmarks. */
export function measurements(
  runs: readonly Run[],
  columns: readonly [string, string],
  rows: readonly Row[],
): Block {
  return block({
    timed: true,
    runs: { measured: runs },
    pick: { measured: (documents): Measured => picked(documents, rows) },
    render: ({ measured }) =>
      table(
        columns,
        rows.map(({ what, name, unit, digits = 2, shown = (value) => value }) => [
          what,
          `${range(measured[name]!.map(shown), (value) => significant(Number(value.toPrecision(digits)), digits))}${unit === "" ? "" : ` ${unit}`}`,
        ]),
      ),
  });
}
