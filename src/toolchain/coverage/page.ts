/** Coverage as one page: the sums, and each source with its lines coloured by what was reached. */
import { escapeMarkup, htmlPage, type SourceFile } from "../../base/index.js";
import { KINDS } from "./items.js";
import { type Coverage, KIND_WORDS, type Line, linesOf, percentOf } from "./report.js";

const STYLE = `body{font:14px/1.5 system-ui,sans-serif;margin:2em;max-width:120ch}table{border-collapse:collapse}
td,th{padding:.2em 1em .2em 0;text-align:left}.lines td{font:13px/1.4 ui-monospace,monospace;padding:0 1em 0 0;white-space:pre;vertical-align:top}
.lines .n,.lines .h{text-align:right;color:#666}.all .s{background:#e3f3e1}.some .s{background:#fdf1d3}.none .s{background:#f9dcdc}
.lines .m{color:#933;white-space:normal}`;

export function coveragePage(
  title: string,
  coverage: Coverage,
  sources: ReadonlyMap<string, SourceFile>,
): string {
  const rows = KINDS.filter((kind) => coverage.totals[kind].of > 0).map((kind) => {
    const total = coverage.totals[kind];
    return `<tr><td>${KIND_WORDS[kind]}</td><td>${total.reached} of ${total.of}</td><td>${percentOf(total).toFixed(1)} %</td></tr>`;
  });
  const unplaced = coverage.items.filter(({ place, hits }) => place === undefined && hits === 0);
  return htmlPage(`Coverage of ${title}`, STYLE, [
    `<h1>Coverage of ${escapeMarkup(title)}</h1>`,
    `<table>${rows.join("")}</table>`,
    "<p>Green: all of the line was reached; yellow: a part of it, and the rest stands beside it; red: nothing. Lines without colour have nothing to reach. The number is how often the line's statements ran.</p>",
    ...[...linesOf(coverage)].map(([file, lines]) => sourceTable(file, lines, sources.get(file))),
    ...(unplaced.length === 0
      ? []
      : [
          "<h2>Not reached, without a place in a source</h2>",
          `<ul>${unplaced.map(({ kind, text }) => `<li>${kind} ${escapeMarkup(text)}</li>`).join("")}</ul>`,
        ]),
  ]);
}

/** A source that cannot be read is shown by its lines with items alone. */
function sourceTable(file: string, lines: readonly Line[], source: SourceFile | undefined): string {
  const byNumber = new Map(lines.map((line) => [line.line, line]));
  const last = source === undefined ? 0 : source.lineStarts.length;
  const numbers =
    source === undefined ? lines.map(({ line }) => line) : Array.from({ length: last }, (_, i) => i + 1);
  const rows = numbers.map((number) => {
    const line = byNumber.get(number);
    const missed = line?.items.filter(
      ({ hits, kind }) => hits === 0 && (kind !== "statement" || line.state === "some"),
    );
    const note = (missed ?? []).map(({ kind, text }) => `${kind} ${text}`).join("; ");
    return `<tr class="${line?.state ?? ""}"><td class="n">${number}</td><td class="h">${line?.hits ?? ""}</td><td class="s">${escapeMarkup(source?.lineText(number) ?? "")}</td><td class="m">${escapeMarkup(note)}</td></tr>`;
  });
  return `<h2>${escapeMarkup(file)}</h2>\n<table class="lines">\n${rows.join("\n")}\n</table>`;
}
