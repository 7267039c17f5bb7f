/** Parts of tables: what is free in a stage, and what of a table is within it. */

/** What is free in a stage. */
export interface Free {
  readonly srams: number;
  readonly tcamUnits: number;
  readonly mapRams: number;
  readonly logicalTables: number;
}

/** What a table, or a part of it, takes of that. */
interface Taken {
  readonly srams: number;
  readonly mapRams: number;
  readonly logicalTables: number;
  readonly tcams: number;
  /** TCAM blocks side by side. */
  readonly tcamWidth: number;
}

/** The blocks of a layout are within the free ones. */
export function isWithin({ srams, mapRams, logicalTables, tcamWidth, tcams }: Taken, free: Free): boolean {
  return (
    logicalTables <= free.logicalTables &&
    srams <= free.srams &&
    mapRams <= free.mapRams &&
    (tcamWidth === 0 || tcams / tcamWidth <= free.tcamUnits)
  );
}

/** The largest number from `low` to `high` where this holds; below `low` where it does not hold there. */
export function largestWhere(low: number, high: number, holds: (value: number) => boolean): number {
  if (!holds(low)) return low - 1;
  let [yes, no] = [low, high + 1];
  while (no - yes > 1) {
    const middle = Math.floor((yes + no) / 2);
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}
