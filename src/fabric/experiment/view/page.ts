/** The page of results as one HTML file that loads no other file, its figures, and the kind's own files. */

import type { Markish, PlotOptions } from "@observablehq/plot";
import { defined, escapeMarkup, given, htmlPage } from "../../../base/index.js";
import type { SweepResults } from "../results.js";
import type {
  Chart,
  ChartLine,
  Described,
  Dot,
  Drawing,
  Figure,
  LegendLine,
  Page,
  Part,
  Parts,
  PlotLibrary,
} from "./view.js";

interface RenderedPage {
  readonly html: string;
  /** Name and document of each figure, in the order of the page. */
  readonly figures: readonly (readonly [name: string, svg: string])[];
}

export async function renderPage<E extends Described>(
  { points, warnings, notes }: SweepResults<E, unknown, unknown, unknown>,
  { style, lead, parts }: Page,
): Promise<RenderedPage> {
  const { settings } = defined(points[0]).experiment;
  const title = settings.title ?? settings.name;
  const figures: [string, string][] = [];
  const drawn = async ({ file, drawing, caption }: Figure): Promise<string> => {
    if (drawing === undefined) return "";
    const svg = await svgOf(drawing);
    figures.push([`${file}.svg`, svg]);
    // Inside a page an SVG needs no namespace of its own.
    const inline = svg.replace(' xmlns="http://www.w3.org/2000/svg"', "");
    return `<figure>${inline}${caption === undefined ? "" : `<figcaption>${caption}</figcaption>`}</figure>`;
  };
  const linesOf = async (list: Parts): Promise<string> => {
    const lines: string[] = [];
    for (const part of list) {
      if (!part || (part.figure !== undefined && part.figure.drawing === undefined)) continue;
      const { heading, level = 2, runIn = false } = part;
      const members = await membersOf(part);
      const line = heading === undefined ? "" : `<h${level}>${escapeMarkup(heading)}</h${level}>`;
      if (runIn) members[0] = `${line}${members[0]}`;
      else if (line !== "") lines.push(line);
      lines.push(...members);
    }
    return lines.join("\n");
  };
  const membersOf = async ({ note, html, legend, figure, panels, unfold }: Part): Promise<string[]> => {
    const members: string[] = [];
    if (note !== undefined) members.push(`<p class="note">${note}</p>`);
    if (html !== undefined) members.push(html);
    if (legend !== undefined) members.push(legendMarkup(legend));
    if (figure !== undefined) members.push(await drawn(figure));
    if (panels !== undefined) {
      const each: string[] = [];
      for (const panel of panels.figures) each.push(await drawn(panel));
      members.push(`<div class="panels">${each.join(panels.joint ?? "")}</div>`);
    }
    if (unfold !== undefined) {
      const { title: summary, open = false, content } = unfold;
      const inner =
        typeof content === "string" ? `<pre>${escapeMarkup(content)}</pre>` : `\n${await linesOf(content)}\n`;
      members.push(
        `<details${open ? " open" : ""}><summary>${escapeMarkup(summary)}</summary>${inner}</details>`,
      );
    }
    return members;
  };
  const body = [
    "<main>",
    `<h1>${escapeMarkup(title)}</h1>`,
    ...(lead === undefined ? [] : [`<p class="lead">${lead}</p>`]),
    ...warnings.map((text) => `<p class="note"><strong>Warning: ${escapeMarkup(text)}</strong></p>`),
    ...notes.map((text) => `<p class="note">${escapeMarkup(text)}</p>`),
    await linesOf(parts),
    "</main>",
  ];
  return { html: htmlPage(title, STYLES[style], body), figures };
}

const STYLES: Readonly<Record<Page["style"], string>> = {
  light: `
:root { color-scheme: light; }
body { margin: 0; background: #f5f6f7; color: #22282e; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 940px; margin: 24px auto; padding: 28px 36px 36px; background: #fff; border: 1px solid #e1e4e8; border-radius: 8px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 17px; margin: 30px 0 8px; }
.lead { font-size: 16px; margin: 0 0 18px; }
figure { margin: 0; }
figure svg { display: block; max-width: 100%; height: auto; }
figcaption, .note { color: #5b6570; font-size: 13px; margin: 6px 0 0; }
.before { color: #c8321a; } .after { color: #0b5cad; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; font-size: 13px; color: #5b6570; border-bottom: 1.5px solid #c9ced3; padding: 5px 8px; }
td { text-align: right; padding: 5px 8px; border-bottom: 1px solid #eceff1; white-space: nowrap; }
th.word, td.word { text-align: left; }
td small { color: #828b94; font-size: 12px; margin-left: 6px; }
tr.first td { border-top: 1.5px solid #dfe3e6; }
.parameters td:first-child { color: #5b6570; width: 220px; }
.parameters td { text-align: left; white-space: normal; padding: 3px 8px; }
.good { font-weight: 600; color: #0b5cad; }
details { margin: 6px 0; } summary { cursor: pointer; }
pre { background: #f5f6f7; border: 1px solid #e1e4e8; border-radius: 6px; padding: 10px 12px; overflow: auto; font-size: 12.5px; line-height: 1.4; }
`,
  adaptive: `
:root { color-scheme: light dark; --page: #f5f6f7; --paper: #fff; --text: #22282e; --faint: #5b6570; --line: #e1e4e8; --strong: #c9ced3; --good: #0b6b3a; --bad: #a8200d; }
@media (prefers-color-scheme: dark) {
  :root { --page: #101316; --paper: #181c20; --text: #dfe4e8; --faint: #98a2ab; --line: #2b3137; --strong: #454d55; --good: #57c78b; --bad: #ff8f78; }
}
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 960px; margin: 24px auto; padding: 28px 36px 36px; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 18px; margin: 34px 0 8px; }
h3 { font-size: 15px; margin: 22px 0 4px; }
.lead { font-size: 16px; margin: 0 0 12px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0; font-size: 13px; }
.legend svg { vertical-align: middle; margin-right: 6px; }
.panels { display: flex; flex-wrap: wrap; gap: 8px 24px; }
figure { margin: 0 0 8px; }
figure svg { display: block; max-width: 100%; height: auto; }
figcaption, .note { color: var(--faint); font-size: 13px; margin: 4px 0 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13.5px; min-width: 60%; }
th { text-align: right; font-weight: 600; font-size: 12.5px; color: var(--faint); border-bottom: 1.5px solid var(--strong); padding: 4px 8px; vertical-align: bottom; }
td { text-align: right; padding: 4px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: top; }
th.word, td.word { text-align: left; }
td.text { text-align: left; white-space: normal; min-width: 180px; }
td small { color: var(--faint); font-size: 11.5px; margin-left: 5px; }
tr.first td { border-top: 1.5px solid var(--strong); }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
details { margin: 6px 0; } summary { cursor: pointer; }
details > h3 { margin-left: 0; }
pre { background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; overflow: auto; font-size: 12.5px; line-height: 1.4; }
`,
};

// Figures as standalone SVG documents, drawn by Observable Plot without a browser; the colours and sizes that they share.

/** The library is loaded when a figure is drawn. */
export async function svgOf(drawing: Drawing): Promise<string> {
  if ("svg" in drawing) return drawing.svg;
  const Plot = await import("@observablehq/plot");
  const { plot, beside = "" } = "plot" in drawing ? drawing : { plot: () => chartOptions(Plot, drawing) };
  // The part of a document that Plot touches; its types name the whole one.
  const svg = Plot.plot({ ...plot(Plot), document: new FakeDocument() as never });
  return printNode(svg)
    .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" role="img" ')
    .replace(/<\/svg>$/, `${beside}</svg>\n`);
}

/** A text of a drawing. */
export function svgText(
  [x, y]: readonly [x: number, y: number],
  content: string,
  anchor: "start" | "middle" | "end",
  size = 12,
): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#2b3137" font-size="${size}">${escapeMarkup(content)}</text>`;
}

export const WIDTH = 900;

/** Text has the colour of the page's text. */
export const PLOT_STYLE = {
  fontSize: "12px",
  background: "none",
  color: "currentColor",
  overflow: "visible",
};

function chartOptions(Plot: PlotLibrary, chart: Chart): PlotOptions {
  const { x, y, frame, lines, strokeWidth = 2, steps = false, intervals = false, dot } = chart;
  const marks = lines.flatMap((line): Markish[] => {
    const { dots } = line;
    const { colour, dash } = lineOf(line.place);
    const curve = Plot.line(dots, {
      ...{ x: "x", y: "y", stroke: colour, strokeWidth, strokeDasharray: dash ?? "none" },
      ...given({ curve: steps ? ("step-after" as const) : undefined }),
    });
    const interval = { x: "x", y1: "low", y2: "high", stroke: colour, strokeWidth: 1.2 };
    return [
      curve,
      ...(intervals ? [Plot.ruleX(dots, interval)] : []),
      ...(dot === undefined
        ? []
        : [Plot.dot(dots, { x: "x", y: "y", r: 3, fill: colour, title: (one: Dot) => dot(line, one) })]),
    ];
  });
  return {
    ...{ width: WIDTH / 2 - 12, height: 250, marginLeft: 52, marginTop: 30, marginBottom: 36, ...frame },
    style: PLOT_STYLE,
    ...given({ x, y }),
    marks: [Plot.gridY({ stroke: "currentColor", strokeOpacity: 0.13 }), ...marks],
  };
}

/** A chart of a line for each scheme between two labelled axes; undefined where no line has a point. `dotted`: with a dot for each value. */
export function lineChart(
  lines: readonly ChartLine[],
  [x, y]: readonly [x: string, y: string],
  dotted = false,
): Chart | undefined {
  if (lines.every(({ dots }) => dots.length === 0)) return undefined;
  return {
    lines,
    x: { label: x, nice: false, inset: 8, ticks: 6 },
    y: { label: y, grid: false, zero: true, nice: true, ticks: 5 },
    frame: { marginLeft: 58 },
    ...given({
      dot: dotted
        ? ({ title }: ChartLine, { y: value }: Dot) => `${title}: ${Number(value.toPrecision(5))}`
        : undefined,
    }),
  };
}

/**
 * Contrast of at least 3:1 with white and with the dark page: lines have colours of a middle lightness. People with colour blindness can
 * distinguish neighbours.
 */
export const COLOURS = [
  "#2f7fcb",
  "#d9641e",
  "#1f9579",
  "#a45bc0",
  "#a8841a",
  "#d1476a",
  "#76818b",
  "#4b8f29",
] as const;

/** From the ninth line on lines are also dashed. */
function lineOf(place: number): { readonly colour: string; readonly dash: string | undefined } {
  const round = Math.floor(place / COLOURS.length);
  return { colour: defined(COLOURS[place % COLOURS.length]), dash: ["6,3", "2,3", "9,3,2,3"][round - 1] };
}

/** The lines of figures with their titles, as HTML. */
function legendMarkup(lines: readonly LegendLine[]): string {
  const entries = lines.map(({ title, place }) => {
    const { colour, dash } = lineOf(place);
    const stroke = `stroke="${colour}" stroke-width="3"${dash === undefined ? "" : ` stroke-dasharray="${dash}"`}`;
    return `<span><svg width="26" height="8" aria-hidden="true"><path d="M0 4h26" ${stroke}></path></svg>${escapeMarkup(title)}</span>`;
  });
  return `<div class="legend">${entries.join("")}</div>`;
}

// The part of a DOM that Observable Plot needs to draw an SVG: elements, attributes, text, and printing. With it the package does
// not depend on a browser engine.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

class FakeText {
  parentNode: FakeElement | null = null;
  constructor(public nodeValue: string) {}
}

type FakeNode = FakeElement | FakeText;

class FakeElement {
  readonly childNodes: FakeNode[] = [];
  readonly attributes = new Map<string, string>();
  readonly style = {
    setProperty: (name: string, value: string) => this.#addStyle(name, value),
  };
  parentNode: FakeElement | null = null;

  constructor(
    readonly ownerDocument: FakeDocument,
    readonly namespaceURI: string,
    readonly tagName: string,
  ) {}

  get nodeName(): string {
    return this.tagName;
  }
  get children(): FakeElement[] {
    return this.childNodes.filter((node) => node instanceof FakeElement);
  }
  get firstChild(): FakeNode | null {
    return this.childNodes[0] ?? null;
  }
  get nextSibling(): FakeNode | null {
    const siblings: FakeNode[] = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }
  set textContent(text: string) {
    this.childNodes.length = 0;
    if (text !== "") this.appendChild(new FakeText(String(text)));
  }
  get textContent(): string {
    return this.childNodes
      .map((node) => (node instanceof FakeText ? node.nodeValue : node.textContent))
      .join("");
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }
  setAttributeNS(_namespace: string, name: string, value: unknown): void {
    this.setAttribute(name, value);
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }
  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  addEventListener(): void {}

  appendChild<T extends FakeNode>(node: T): T {
    return this.insertBefore(node, null);
  }
  insertBefore<T extends FakeNode>(node: T, before: FakeNode | null): T {
    node.parentNode?.removeChild(node);
    node.parentNode = this;
    const at = before === null ? -1 : this.childNodes.indexOf(before);
    if (at < 0) this.childNodes.push(node);
    else this.childNodes.splice(at, 0, node);
    return node;
  }
  removeChild<T extends FakeNode>(node: T): T {
    const at = this.childNodes.indexOf(node);
    if (at >= 0) this.childNodes.splice(at, 1);
    node.parentNode = null;
    return node;
  }
  append(...nodes: (FakeNode | string)[]): void {
    for (const node of nodes) this.appendChild(typeof node === "string" ? new FakeText(node) : node);
  }
  prepend(...nodes: (FakeNode | string)[]): void {
    const first = this.firstChild;
    for (const node of nodes) this.insertBefore(typeof node === "string" ? new FakeText(node) : node, first);
  }

  #addStyle(name: string, value: string): void {
    const before = this.attributes.get("style");
    this.attributes.set("style", `${before === undefined ? "" : `${before};`}${name}:${value}`);
  }
}

export class FakeDocument {
  readonly documentElement = new FakeElement(this, SVG_NAMESPACE, "svg");
  readonly defaultView = null;
  createElementNS(namespace: string, name: string): FakeElement {
    return new FakeElement(this, namespace, name);
  }
  createElement(name: string): FakeElement {
    return this.createElementNS("http://www.w3.org/1999/xhtml", name);
  }
  createTextNode(text: string): FakeText {
    return new FakeText(text);
  }
}

/** The markup of a node that was made by a {@link FakeDocument}. */
export function printNode(node: unknown): string {
  if (node instanceof FakeText) return escapeMarkup(node.nodeValue);
  const element = node as FakeElement;
  const attributes = [...element.attributes]
    .map(([name, value]) => ` ${name}="${escapeMarkup(value)}"`)
    .join("");
  // A style sheet is text that must not be escaped.
  const content =
    element.tagName === "style" ? element.textContent : element.childNodes.map(printNode).join("");
  return `<${element.tagName}${attributes}>${content}</${element.tagName}>`;
}
