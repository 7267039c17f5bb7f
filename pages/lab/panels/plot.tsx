/** A chart over the lab's time; its newest values are also text, for users who cannot see it. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "preact/hooks";
import { language, numberText, t } from "../language/texts.js";
import { theme } from "../parts/theme.js";

export interface Series {
  readonly name: string;
  /** Index of its colour. */
  readonly colour: number;
  readonly values: readonly (number | null)[];
  /** Points without lines between them. */
  readonly dots?: boolean;
}

interface Props {
  title: string;
  /** Seconds. */
  times: readonly number[];
  series: readonly Series[];
  text: (value: number) => string;
}

export function Plot({ title, times, series, text }: Props) {
  const room = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const { code } = language.value;
  const names = series.map(({ name, colour }) => `${name} ${colour}`).join("\n");
  const data = [times, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  useEffect(() => {
    const element = room.current!;
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(element, series, text), data, element);
    };
    make();
    const unwatch = theme.watch(() => queueMicrotask(make));
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(120, element.clientWidth), height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      unwatch();
      observer.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [names, code]);
  useEffect(() => plot.current?.setData(data), [data]);
  const newest = series.map(({ name, values }) => {
    const value = values.findLast((one) => one !== null);
    return `${name}: ${value === undefined || value === null ? t("plots.noValue") : text(value)}`;
  });
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      <div ref={room} role="img" aria-label={t("plots.newest", { title, values: newest.join(", ") })} />
    </figure>
  );
}

const HEIGHT = 190;

function options(
  element: HTMLElement,
  series: readonly Series[],
  text: (value: number) => string,
): uPlot.Options {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: read("quiet"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: read("line"), width: 1 },
    ticks: { stroke: read("line"), width: 1, size: 4 },
  };
  return {
    width: Math.max(120, element.clientWidth),
    height: HEIGHT,
    scales: {
      x: { time: false },
      y: { range: (_, least, most) => [Math.min(0, least), most > 0 ? most * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        values: (_, ticks) =>
          ticks.map(
            (tick) => `${numberText(Number(tick.toPrecision(8)), { maximumSignificantDigits: 8 })} s`,
          ),
      },
      { ...axis, size: 74, values: (_, ticks) => ticks.map((tick) => text(tick)) },
    ],
    legend: { show: series.length > 0 },
    cursor: { drag: { x: true, y: false } },
    series: [
      {
        label: t("plots.time"),
        value: (_, value) =>
          value === null
            ? ""
            : `${numberText(value, { minimumSignificantDigits: 6, maximumSignificantDigits: 6 })} s`,
      },
      ...series.map(
        ({ name, colour, dots }): uPlot.Series => ({
          label: name,
          stroke: read(`p${colour % 8}`),
          width: 1.5,
          spanGaps: true,
          points: { show: dots ?? false, size: 6, fill: read(`p${colour % 8}`) },
          ...(dots ? { paths: () => null } : {}),
          value: (_, value) => (value === null ? "" : text(value)),
        }),
      ),
    ],
  };
}
