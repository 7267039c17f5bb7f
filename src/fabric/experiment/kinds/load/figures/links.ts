/** Heat map of the links between switches: a strip a scheme, a cell a link and direction. */
import { type PlotLibrary, plotSvg } from "../../../plot.js";
import type { LinkUse } from "../meters/link-meter.js";
import { type LoadPoint, type ShownScheme, unitOf } from "./data.js";
import { PLOT_STYLE, WIDTH } from "./style.js";

interface Cell {
  readonly scheme: string;
  readonly place: number;
  readonly direction: string;
  readonly link: string;
  readonly utilisation: number;
}

/** Mean over the seeds. Undefined where no unit has figures of links between switches. */
export function linkFigure(
  Plot: PlotLibrary,
  point: LoadPoint,
  schemes: readonly ShownScheme[],
): string | undefined {
  const cells = schemes.flatMap((scheme) => cellsOf(point, scheme));
  if (cells.length === 0) return undefined;
  const rows = new Set(cells.map(({ scheme, direction }) => `${scheme} ${direction}`)).size;
  const shown = schemes.filter(({ title }) => cells.some(({ scheme }) => scheme === title));
  return plotSvg(Plot, {
    width: WIDTH,
    height: 64 + 22 * rows,
    marginLeft: 150,
    marginRight: 44,
    marginTop: 8,
    marginBottom: 28,
    style: PLOT_STYLE,
    padding: 0,
    x: { type: "band", axis: null, padding: 0 },
    y: { domain: shown.map(({ title }) => title), label: null, padding: 0.12, tickSize: 0 },
    fy: {
      label: null,
      domain: ["up", "down"].filter((one) => cells.some(({ direction }) => direction === one)),
      padding: 0.12,
    },
    marks: [
      Plot.cell(cells, {
        x: "place",
        y: "scheme",
        fy: "direction",
        fill: (cell: Cell) => heat(cell.utilisation),
        inset: 0,
        title: (cell: Cell) => `${cell.link}: ${Math.round(100 * cell.utilisation)} %`,
      }),
    ],
  });
}

/** From transparent blue (idle) over blue (60 %) to orange (full): legible on light and dark pages. */
function heat(utilisation: number): string {
  const share = Math.min(Math.max(utilisation, 0), 1);
  if (share <= 0.6) return `rgba(47,127,203,${Number((0.06 + (0.94 * share) / 0.6).toFixed(3))})`;
  const toward = (share - 0.6) / 0.4;
  const mix = (a: number, b: number) => Math.round(a + (b - a) * toward);
  return `rgba(${mix(47, 217)},${mix(127, 100)},${mix(203, 30)},1)`;
}

function cellsOf(point: LoadPoint, scheme: ShownScheme): Cell[] {
  const lists = (unitOf(point, scheme)?.outcomes ?? []).flatMap(({ links }) =>
    links === undefined ? [] : [links],
  );
  const [first] = lists;
  if (first === undefined) return [];
  const isFabric = switchLinks(first);
  const places = { up: 0, down: 0 };
  return first.flatMap(({ from, to, uplink }, i): Cell[] => {
    if (!isFabric[i]) return [];
    const direction = uplink ? "up" : "down";
    const utilisation = lists.reduce((sum, links) => sum + links[i]!.utilisation, 0) / lists.length;
    return [
      { scheme: scheme.title, place: places[direction]++, direction, link: `${from} to ${to}`, utilisation },
    ];
  });
}

/** Whether each direction belongs to a link between switches: one of its two directions, which are neighbours in the list, is an uplink. */
function switchLinks(links: readonly LinkUse[]): boolean[] {
  return links.map(({ uplink }, i) => uplink || links[i ^ 1]?.uplink === true);
}
