/** The page of results as one HTML file that loads no other file, its figures, and the kind's own files. */
import { escapeMarkup, htmlPage } from "../../../base/index.js";
import type { FileText, SweepResults } from "../results.js";
import { legendMarkup, svgOf } from "./figure.js";
import type { Described, Figure, Page, Part, Parts, View } from "./view.js";

/** What a kind draws from its results, in addition to the table for a terminal. */
export async function drawnFiles<E extends Described, U, O, R extends object>(
  { page, files }: View<E, U, O, R>,
  results: SweepResults<E, U, O, R>,
): Promise<(readonly [name: string, text: FileText])[]> {
  const { html, figures } = await renderPage(results, page(results));
  return [["report.html", html], ...figures, ...(files?.(results) ?? [])];
}

interface RenderedPage {
  readonly html: string;
  /** Name and document of each figure, in the order of the page. */
  readonly figures: readonly (readonly [name: string, svg: string])[];
}

async function renderPage<E extends Described>(
  { points, warnings, notes }: SweepResults<E, unknown, unknown, unknown>,
  { style, lead, parts }: Page,
): Promise<RenderedPage> {
  const { settings } = points[0]!.experiment;
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
