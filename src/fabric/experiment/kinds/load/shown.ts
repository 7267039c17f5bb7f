/** What the figures and tables of a comparison read from a sweep. */
import type { SweepPoint, SweepResults } from "../../results.js";
import type { SchemeUnit } from "../kind.js";
import type { LoadOutcome } from "./load-figures.js";
import type { LoadRow } from "./rows.js";
import type { Load } from "./schema.js";

export type LoadSweep = SweepResults<Load, SchemeUnit, LoadOutcome, LoadRow>;
export type LoadPoint = SweepPoint<Load, SchemeUnit, LoadOutcome, LoadRow>;

/** A scheme of the sweep, by its label. Its position gives its colour. */
export interface ShownScheme {
  readonly label: string;
  readonly title: string;
  readonly place: number;
}

/** The schemes of all points, each once, in the order of the files. */
export function schemesOf({ points }: LoadSweep): ShownScheme[] {
  const found = new Map<string, ShownScheme>();
  for (const { experiment } of points)
    for (const { label, title } of experiment.schemes)
      if (!found.has(label)) found.set(label, { label, title, place: found.size });
  return [...found.values()];
}

/** `load 0.5, transport.congestion_control dctcp`; empty for a sweep of one point. */
export function pointName({ values }: LoadPoint): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

/** The unit of a scheme at a point; undefined where all of its jobs failed, or the point does not have it. */
export function unitOf(point: LoadPoint, { label }: ShownScheme) {
  return point.units.find(({ unit, outcomes }) => unit.scheme.label === label && outcomes.length > 0);
}

/** The swept key that the horizontal axis shows: the first whose values are numbers. */
export function axisKey({ keys, points }: LoadSweep): string | undefined {
  return keys.find((key) => points.every(({ values }) => typeof values[key] === "number"));
}

/** Groups of points that differ in `key` alone, with the values that they share. */
export function seriesOf(
  sweep: LoadSweep,
  key: string,
): { readonly name: string; readonly points: readonly LoadPoint[] }[] {
  const groups = new Map<string, LoadPoint[]>();
  for (const point of sweep.points) {
    const { [key]: _, ...others } = point.values;
    const name = pointName({ ...point, values: others });
    groups.set(name, [...(groups.get(name) ?? []), point]);
  }
  return [...groups].map(([name, points]) => ({ name, points }));
}
