/** The page of a report: one file that loads no other file. */
import { escapeMarkup, htmlPage } from "../../base/index.js";
import { rowsCsv } from "./csv.js";
import type { FabricExperiment } from "./experiment.js";
import type { RunResults } from "./results.js";
import type { SchemeRun } from "./scheme-run.js";
import { wireText } from "./wire.js";

/** The parts that a kind adds to the page. */
export interface PageParts {
  /** One paragraph of HTML below the title. */
  readonly lead?: string;
  /** HTML, one part in each line: figures and tables with their headings. */
  readonly body: readonly string[];
  /** Lines of the table of parameters in addition to those of all kinds. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Further data that the reader can unfold, in addition to the result table, the experiment file and the programs. */
  readonly data?: readonly (readonly [title: string, text: string])[];
}

/** The page of any kind: title, warnings and notes, the kind's own parts, parameters and data. */
export function resultsPage<E extends FabricExperiment>(
  results: RunResults<E, unknown, object>,
  { lead, body, facts, data = [] }: PageParts,
): string {
  const { source, seed, engine, warnings, notes, rows, programs } = results;
  const { settings } = source;
  const title = settings.title ?? settings.name;
  const parameters: (readonly [string, string])[] = [
    ["experiment, seed, engine", `${settings.name}, ${seed}, ${engine}`],
    ["topology", flatten(settings.topology).join(", ")],
    ["selector field", settings.selector],
    ...source.schemes.map(
      ({ label, parameters: own }) => [`scheme ${label}`, flatten(own).join(", ")] as const,
    ),
    ...facts,
    ["transport", flatten({ ...settings.transport }).join(", ")],
    ["queues", queuesText(settings.queues)],
    ...(engine === "sim" ? [["wire", wireText(settings.wire)] as const] : []),
    ["control channel", `${settings.control_channel.delay / 1e6} ms each way`],
  ];
  const unfolded: (readonly [string, string])[] = [
    ["Result table as CSV", rowsCsv(rows)],
    ...data,
    ["Experiment file", source.source.text],
    ...programs.map(({ file, text }) => [`Generated program ${file}`, text] as const),
  ];
  const cells = ([name, value]: readonly [string, string]) =>
    `<tr><td>${escapeMarkup(name)}</td><td>${escapeMarkup(value)}</td></tr>`;
  return htmlPage(title, STYLE, [
    "<main>",
    `<h1>${escapeMarkup(title)}</h1>`,
    ...(lead === undefined ? [] : [`<p class="lead">${lead}</p>`]),
    ...warnings.map((text) => `<p class="note"><strong>Warning: ${escapeMarkup(text)}</strong></p>`),
    ...notes.map((note) => `<p class="note">${escapeMarkup(note)}</p>`),
    ...body,
    "<h2>Parameters</h2>",
    `<table class="parameters"><tbody>${parameters.map(cells).join("")}</tbody></table>`,
    "<h2>Data</h2>",
    ...unfolded.map(
      ([name, text]) =>
        `<details><summary>${escapeMarkup(name)}</summary><pre>${escapeMarkup(text)}</pre></details>`,
    ),
    "</main>",
  ]);
}

function queuesText({ packets, bytes, ecn_threshold }: FabricExperiment["settings"]["queues"]): string {
  const marks = ecn_threshold === undefined ? "" : `, marks from ${ecn_threshold} packets`;
  return `${packets} packets, ${bytes} bytes a port${marks}`;
}

/** `key: value` for each value that is not empty, with rates and times in the units of the file. */
export function flatten(value: object, prefix = ""): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = prefix + key;
    if (inner === undefined) return [];
    if (Array.isArray(inner)) return inner.length === 0 ? [] : [`${name}: ${inner.length}`];
    if (typeof inner === "object" && inner !== null) return flatten(inner, `${name}.`);
    if (key === "rate") return [`${name}: ${inner / 1e9} Gbps`];
    if (key === "delay") return [`${name}: ${inner / 1e3} us`];
    if (/^rto_|_time$|^duration$|^interval$|timeout$|^time_wait$/.test(key))
      return [`${name}: ${inner / 1e6} ms`];
    return [`${name}: ${inner}`];
  });
}

/** Title of the scheme with this label. */
export function schemeTitle(schemes: readonly SchemeRun[], label: string): string {
  return schemes.find((scheme) => scheme.label === label)?.title ?? label;
}

/** Inside a page an SVG needs no namespace of its own. */
export function inline(svg: string): string {
  return svg.replace(' xmlns="http://www.w3.org/2000/svg"', "");
}

const STYLE = `
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
`;
