/** One page that compares the schemes of a load experiment: figures, tables, tests, a description of each scheme. It loads no other file. */

import { escapeMarkup, htmlPage } from "../../../../base/index.js";
import { inline } from "../../page.js";
import { loadPlot, type PlotLibrary } from "../../plot.js";
import { legend } from "../sweep-page.js";
import { figuresByKey, type KeyLine, type Panel } from "./figures/by-key.js";
import {
  axisKey,
  type LoadPoint,
  type LoadSweep,
  pointName,
  type ShownScheme,
  schemesOf,
  seriesOf,
} from "./figures/data.js";
import { slowdownFigures } from "./figures/distributions.js";
import { linkFigure } from "./figures/links.js";
import { queueFigure } from "./figures/queues.js";
import { PAGE_STYLE } from "./page-style.js";
import { factsTable, mechanismTable, resultTable, stateTable, testTable } from "./page-tables.js";
import { comparisons } from "./paired.js";
import { SIZE_CLASSES } from "./size-classes.js";

const PANELS: readonly Panel[] = [
  { title: "slowdown, mean, all flows", size: "all", key: "slowdown_mean" },
  { title: "slowdown, p99, all flows", size: "all", key: "slowdown_p99" },
  { title: "FCT, mean, small flows (ms)", size: "small", key: "fct_mean_ms" },
  { title: "FCT, p99, small flows (ms)", size: "small", key: "fct_p99_ms" },
  { title: "FCT, mean, medium flows (ms)", size: "medium", key: "fct_mean_ms" },
  { title: "FCT, mean, large flows (ms)", size: "large", key: "fct_mean_ms" },
  { title: "requests, p99 (ms)", size: "all", key: "rct_p99_ms" },
  { title: "unevenness of uplinks (CV)", size: "all", key: "link_cv" },
  { title: "worst queue, p99 (bytes)", size: "all", key: "queue_worst_port_p99_bytes" },
];

/** Maximum number of points with figures of their own: the first, the last, and some in between. */
const SHOWN_POINTS = 6;

/** A name and a standalone SVG for each figure, and the page with all of them. */
export async function comparePage(
  sweep: LoadSweep,
): Promise<{ readonly figures: [string, string][]; readonly html: string }> {
  const Plot = await loadPlot();
  const schemes = schemesOf(sweep);
  const figures: [string, string][] = [];
  const keep = (name: string, svg: string) => {
    figures.push([`${name}.svg`, svg]);
    return inline(svg);
  };
  const [first] = sweep.points as [LoadPoint, ...LoadPoint[]];
  const { settings } = first.experiment;
  const title = settings.title ?? settings.name;
  const tests = comparisons(sweep);
  const state = stateTable(sweep, schemes);
  const body = [
    "<main>",
    `<h1>${escapeMarkup(title)}</h1>`,
    `<p class="lead">${lead(sweep, schemes)}</p>`,
    ...sweep.warnings.map((text) => `<p class="note"><strong>Warning: ${escapeMarkup(text)}</strong></p>`),
    ...sweep.notes.map((text) => `<p class="note">${escapeMarkup(text)}</p>`),
    ...overKey(Plot, sweep, schemes, keep),
    "<h2>Results</h2>",
    `<p class="note">Means over ${count(sweep.seeds.length, "seed")}${sweep.seeds.length > 1 ? ", ± half of the 95 % confidence interval (Student's t)" : ""}. Flows, retransmissions, timeouts and drops are sums. Small: up to ${size(settings.sizes.small)}; large: from ${size(settings.sizes.large)}. Slowdown: completion time over that of the flow alone in the empty network.</p>`,
    resultTable(sweep, schemes),
    ...(state === undefined
      ? []
      : [
          "<h2>Is the run long enough?</h2>",
          '<p class="note">Offered: payload of the flows that start in the measuring window; achieved: payload that receivers get in it; both over the capacity that a load of 1 would fill. In a network that has settled the two are nearly equal, and both halves of the window show the same figures.</p>',
          state,
        ]),
    ...(tests.length === 0
      ? []
      : [
          "<h2>Do the schemes differ?</h2>",
          `<p class="note">Each scheme against ${escapeMarkup(tests[0]!.against.title)}, in pairs of one seed: both met the same flows. Two-sided p-values of a paired t test, of a permutation of the signs (exact: at least ${2 ** (1 - Math.min(20, sweep.seeds.length))} with ${count(sweep.seeds.length, "seed")}) and of Wilcoxon's signed ranks; not corrected for the number of comparisons.</p>`,
          testTable(tests),
        ]),
    "<h2>What the schemes do</h2>",
    mechanismTable(first.experiment.schemes),
    ...pointSections(Plot, sweep, schemes, keep),
    "<h2>Parameters</h2>",
    factsTable(sweep),
    `<details><summary>Experiment file</summary><pre>${escapeMarkup(first.experiment.source.text)}</pre></details>`,
    "</main>",
  ];
  return { figures, html: htmlPage(title, PAGE_STYLE, body) };
}

function lead(sweep: LoadSweep, schemes: readonly ShownScheme[]): string {
  const flows = sweep.points.flatMap(({ units }) =>
    units.flatMap(({ outcomes }) =>
      outcomes.flatMap((one) => SIZE_CLASSES.map((name) => one.flows[name].flows)),
    ),
  );
  const total = flows.reduce((a, b) => a + b, 0);
  return `${count(schemes.length, "scheme")}, ${count(sweep.points.length, "point")}, ${count(sweep.seeds.length, "seed")}: ${total.toLocaleString("en-US")} measured flows in all runs, on ${sweep.engine === "sim" ? "the packet simulator" : `real switches (${sweep.engine})`}.`;
}

type Keep = (name: string, svg: string) => string;

function overKey(Plot: PlotLibrary, sweep: LoadSweep, schemes: readonly ShownScheme[], keep: Keep): string[] {
  const key = axisKey(sweep);
  if (key === undefined || sweep.points.length < 2) return [];
  const groups = seriesOf(sweep, key);
  const [only] = schemes;
  // With one scheme the other swept keys distinguish the lines. With several, each combination of the other keys has its own figures.
  const sections: { readonly name: string; readonly lines: readonly KeyLine[] }[] =
    schemes.length === 1 && only !== undefined && groups.length > 1
      ? [
          {
            name: only.title,
            lines: groups.map(({ name, points }, place) => ({ title: name, place, scheme: only, points })),
          },
        ]
      : groups.map(({ name, points }) => ({
          name,
          lines: schemes.map((scheme) => ({ title: scheme.title, place: scheme.place, scheme, points })),
        }));
  return sections.flatMap(({ name, lines }, section) => {
    const panels = figuresByKey(Plot, key, PANELS, lines);
    if (panels.length === 0) return [];
    const suffix = sections.length === 1 ? "" : `-${section + 1}`;
    const figures = panels.map(
      (svg, i) => `<figure>${keep(`by-${fileName(key)}${suffix}-${i + 1}`, svg)}</figure>`,
    );
    return [
      `<h2>By ${escapeMarkup(key)}${name === "" ? "" : `: ${escapeMarkup(name)}`}</h2>`,
      legend(lines),
      `<div class="panels">${figures.join("\n")}</div>`,
    ];
  });
}

function pointSections(
  Plot: PlotLibrary,
  sweep: LoadSweep,
  schemes: readonly ShownScheme[],
  keep: Keep,
): string[] {
  const { points } = sweep;
  const shown =
    points.length <= SHOWN_POINTS
      ? points
      : Array.from(
          { length: SHOWN_POINTS },
          (_, i) => points[Math.round((i * (points.length - 1)) / (SHOWN_POINTS - 1))]!,
        );
  const left = points.length - shown.length;
  return [
    ...shown.flatMap((point, i) => {
      const number = points.indexOf(point) + 1;
      const name = pointName(point);
      const parts = pointFigures(Plot, point, points.length === 1 ? "" : `-${number}`, schemes, keep);
      if (points.length === 1) return ["<h2>Distributions, links and queues</h2>", ...parts];
      const open = i === shown.length - 1 ? " open" : "";
      return [
        `${i === 0 ? "<h2>Distributions, links and queues</h2>" : ""}<details${open}><summary>${escapeMarkup(name)}</summary>`,
        ...parts,
        "</details>",
      ];
    }),
    ...(left === 0
      ? []
      : [
          `<p class="note">${count(left, "point")} without figures here; results.csv and cdf.csv have all.</p>`,
        ]),
  ];
}

function pointFigures(
  Plot: PlotLibrary,
  point: LoadPoint,
  suffix: string,
  schemes: readonly ShownScheme[],
  keep: Keep,
): string[] {
  const links = linkFigure(Plot, point, schemes);
  const queues = queueFigure(Plot, point, schemes);
  return [
    legend(schemes),
    ...(["all", "small", "large"] as const).flatMap((name) => {
      const both = slowdownFigures(Plot, point, name, schemes);
      if (both === undefined) return [];
      return [
        `<h3>Slowdown, ${name === "all" ? "all flows" : `${name} flows`}</h3>`,
        `<div class="panels"><figure>${keep(`slowdown-cdf-${name}${suffix}`, both.cdf)}</figure><figure>${keep(`slowdown-ccdf-${name}${suffix}`, both.ccdf)}</figure></div>`,
      ];
    }),
    ...(links === undefined
      ? []
      : [
          "<h3>Links between switches</h3>",
          `<figure>${keep(`links${suffix}`, links)}<figcaption>A cell a link, in the order of the topology; its colour is the utilisation in the measuring window: pale 0, blue 60 %, orange 100 %. Mean over the seeds.</figcaption></figure>`,
        ]),
    ...(queues === undefined
      ? []
      : [
          "<h3>Queues over time</h3>",
          `<figure>${keep(`queues${suffix}`, queues)}<figcaption>What waits at all switch ports together, means of short intervals, first seed.</figcaption></figure>`,
        ]),
  ];
}

function count(n: number, noun: string): string {
  return `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;
}

function size(bytes: number): string {
  return bytes >= 1e6 ? `${bytes / 1e6} MB` : bytes >= 1000 ? `${bytes / 1000} KB` : `${bytes} bytes`;
}

function fileName(key: string): string {
  return key.replace(/[^A-Za-z0-9_-]+/g, "-");
}
