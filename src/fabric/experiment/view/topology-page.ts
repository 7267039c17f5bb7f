/** The page of kinds whose runs have no packets: the kind's own parts, then parameters, the file and the rows. */
import { escapeMarkup } from "../../../base/index.js";
import type { SweepPoint, SweepResults } from "../results.js";
import { rowsCsv } from "./csv.js";
import { flatten } from "./fabric-page.js";
import { lineChart } from "./figure.js";
import type { ChartLine, Described, Dot, Figure, LegendLine, Page, Parts } from "./view.js";

/** `lead`: one paragraph as HTML. */
export function topologyPage<E extends Described, U, O, R extends object>(
  results: SweepResults<E, U, O, R>,
  lead: string,
  parts: Parts,
): Page {
  const { settings, source } = results.points[0]!.experiment;
  return {
    ...{ style: "adaptive", lead },
    parts: [
      ...parts,
      { heading: "Parameters", note: escapeMarkup(flatten(settings.topology).join(", ")) },
      { unfold: { title: "Experiment file", content: source.text } },
      { unfold: { title: "Results as CSV", content: rowsCsv(results.rows) } },
    ],
  };
}

interface OfScheme {
  readonly scheme: { readonly label: string };
}

/** The schemes of all points, each once, in the order of the files. */
export function schemeLegend<U extends OfScheme>({
  points,
}: Pick<SweepResults<unknown, U, unknown, unknown>, "points">): LegendLine[] {
  const labels = new Set(points.flatMap(({ units }) => units.map(({ unit }) => unit.scheme.label)));
  return [...labels].map((title, place) => ({ title, place }));
}

/** A chart with a line for each scheme of a point, of the first seed. */
export interface PointChart<E, U, O, R> {
  readonly file: string;
  readonly labels: readonly [x: string, y: string];
  /** Undefined where a scheme has no line. */
  readonly dots: (outcome: O, point: SweepPoint<E, U, O, R>) => readonly Dot[] | undefined;
}

/** The name of each point, `none` where nothing is swept, and its charts; their files have the number of the point where there are several. */
export function pointPanels<E, U extends OfScheme, O, R>(
  { points, keys }: SweepResults<E, U, O, R>,
  charts: readonly PointChart<E, U, O, R>[],
  none: string,
): { readonly name: string; readonly figures: Figure[] }[] {
  const legend = schemeLegend({ points });
  return points.map((point, i) => {
    const suffix = points.length === 1 ? "" : `-${i + 1}`;
    const name = keys.map((key) => `${key} ${JSON.stringify(point.values[key])}`).join(", ");
    const figures = charts.map(({ file, labels, dots }): Figure => {
      const lines = point.units.flatMap(({ unit, outcomes: [first] }): ChartLine[] => {
        const own = first === undefined ? undefined : dots(first, point);
        const line = legend.find(({ title }) => title === unit.scheme.label)!;
        return own === undefined ? [] : [{ ...line, dots: own }];
      });
      return { file: `figures/${file}${suffix}`, drawing: lineChart(lines, labels) };
    });
    return { name: name === "" ? none : name, figures };
  });
}
