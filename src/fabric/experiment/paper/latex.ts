/** LaTeX of figures (pgfplots, with a file of values each) and of the table of rows (booktabs), and a page that has all of them. */
import { defined } from "../../../base/index.js";
import type { FiguresData, PaperAxis, PaperChart, PaperLine } from "./data.js";
import { MOST_SYMBOLS, type PaperStyle, strokeOf } from "./style.js";
import { logTicks, tickText } from "./svg.js";

/** The values of a figure: three columns a line of it (x, y, half of the interval), `nan` where another line has more values. */
export function chartValues({ lines }: PaperChart): string {
  const longest = Math.max(0, ...lines.map(({ dots }) => dots.length));
  const header = lines.flatMap((_, i) => [`x${i}`, `y${i}`, `minus${i}`, `plus${i}`]);
  const rows = Array.from({ length: longest }, (_, row) =>
    lines.flatMap(({ dots }) => {
      const dot = dots[row];
      if (dot === undefined) return ["nan", "nan", "nan", "nan"];
      const [x, y, low = y, high = y] = dot as [number, number, number?, number?];
      return [x, y, Number((y - low).toPrecision(12)), Number((high - y).toPrecision(12))].map(String);
    }),
  );
  return [header, ...rows].map((cells) => `${cells.join(" ")}\n`).join("");
}

/** A figure environment with legend, units, caption and label `fig:NAME`. `values`: name of its file of values, beside the document. */
export function chartTex(chart: PaperChart, style: PaperStyle, values: string): string {
  const { name, caption, x, y, lines, steps } = chart;
  const { column_width: width, height, font_size: size } = style;
  const plots = lines.flatMap((line, i) => plotLines(line, { index: i, style, steps, values }));
  const colours = [...new Set(lines.map(({ place }) => strokeOf(style, place).colour))];
  const columns = legendColumns(lines, style);
  return `${[
    "\\begin{figure}",
    "\\centering",
    ...colours.map(
      (colour) => `\\definecolor{${colourName(colour)}}{HTML}{${colour.slice(1).toUpperCase()}}`,
    ),
    "\\begin{tikzpicture}",
    "\\begin{axis}[",
    `  width=${bp(width)}, height=${bp(height)},`,
    `  font=\\fontsize{${bp(size)}}{${bp(size * 1.2)}}\\selectfont,`,
    `  ${axisOptions("x", x)}`,
    `  ${axisOptions("y", y)}`,
    "  ymajorgrids, grid style={line width=0.3pt, draw=black!15}, unbounded coords=discard, filter discard warning=false,",
    `  legend columns=${columns}, legend style={at={(0.5,1.03)}, anchor=south, draw=none, /tikz/every even column/.append style={column sep=6pt}},`,
    "  legend cell align=left,",
    "]",
    ...plots,
    "\\end{axis}",
    "\\end{tikzpicture}",
    `\\caption{${tex(caption)}}`,
    `\\label{fig:${name}}`,
    "\\end{figure}",
  ].join("\n")}\n`;
}

interface PlotOf {
  readonly index: number;
  readonly style: PaperStyle;
  readonly steps: boolean;
  readonly values: string;
}

function plotLines(
  { title, place, dots, theory = false }: PaperLine,
  { index, style, steps, values }: PlotOf,
): string[] {
  const { colour, dash, symbol } = strokeOf(style, place);
  const name = colourName(colour);
  const marked = !steps && dots.length <= MOST_SYMBOLS;
  const hasIntervals = dots.some((dot) => dot.length > 2);
  const pattern = dash.map((length, i) => `${i % 2 === 0 ? "on" : "off"} ${bp(length)}`).join(" ");
  const options = theory
    ? [`${name}`, "only marks", "mark=o", `mark size=${bp(style.font_size / 4)}`]
    : [
        name,
        `line width=${bp(style.line_width)}`,
        dash.length === 0 ? "solid" : `dash pattern=${pattern}`,
        ...(steps ? ["const plot"] : []),
        ...(marked
          ? [
              `mark=${symbol.tex}`,
              `mark size=${bp(style.font_size / 4)}`,
              `mark options={solid, fill=${name}}`,
            ]
          : ["mark=none"]),
        ...(hasIntervals ? ["error bars/.cd, y dir=both, y explicit, error bar style={solid}"] : []),
      ];
  const errors = hasIntervals && !theory ? `, y error minus=minus${index}, y error plus=plus${index}` : "";
  return [
    `\\addplot[${options.join(", ")}] table [x=x${index}, y=y${index}${errors}] {${values}};`,
    `\\addlegendentry{${tex(title)}}`,
  ];
}

function axisOptions(which: "x" | "y", { label, scale, domain, ticks, zero = false }: PaperAxis): string {
  const shown = ticks ?? (scale === "log" && domain !== undefined ? logTicks(domain) : []);
  return [
    `${which}label={${tex(label)}},`,
    `${which}mode=${scale === "log" ? "log" : "normal"},`,
    ...(domain === undefined ? [] : [`${which}min=${domain[0]}, ${which}max=${domain[1]},`]),
    ...(domain === undefined && zero && scale === "linear" ? [`${which}min=0,`] : []),
    ...(shown.length === 0
      ? []
      : [
          `${which}tick={${shown.join(",")}},`,
          `${which}ticklabels={${shown.map((tick) => `{${tickText(tick)}}`).join(",")}},`,
        ]),
  ].join(" ");
}

function legendColumns(
  lines: readonly PaperLine[],
  { column_width: width, font_size: size }: PaperStyle,
): number {
  const longest = Math.max(1, ...lines.map(({ title }) => title.length));
  return Math.max(1, Math.min(lines.length, Math.floor(width / ((longest * 0.56 + 4.5) * size))));
}

function colourName(colour: string): string {
  return `p${colour.slice(1).toLowerCase()}`;
}

/** A length of PDF: TeX's own `pt` is 1/72.27 inch. */
function bp(points: number): string {
  return `${Math.round(points * 1000) / 1000}bp`;
}

/** A table environment. Cells of numbers are on the right; `columns`: headings of those that are shown. */
export function tableTex(
  { table, title, seeds }: FiguresData,
  columns: readonly string[] | undefined,
): string {
  const shown = columns?.map((one) => table.header.indexOf(one)) ?? table.header.map((_, i) => i);
  const isNumber = (cell: string | number | null) =>
    cell === null || typeof cell === "number" || /^-?[\d.,]+( ±[\d.,]+| %)?$/.test(cell);
  const alignments = shown.map((i) => (table.rows.every((row) => isNumber(row[i] ?? null)) ? "r" : "l"));
  // A bracket or a star after the end of a row, or after a rule, would be its argument.
  const line = ([first = "", ...rest]: readonly string[]) =>
    `${/^\s*[[*]/.test(first) ? "{}" : ""}${[first, ...rest].join(" & ")} \\\\`;
  return `${[
    "\\begin{table*}",
    "\\centering",
    `\\caption{${tex(title)}${seeds > 1 ? `: means over ${seeds} seeds, with halves of 95\\,\\% confidence intervals` : ""}.}`,
    "\\label{tab:results}",
    // No text becomes larger.
    "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%",
    `\\begin{tabular}{${alignments.join("")}}`,
    "\\toprule",
    line(shown.map((i) => tex(defined(table.header[i])))),
    "\\midrule",
    ...table.rows.map((row) => line(shown.map((i) => tex(String(row[i] ?? "--"))))),
    "\\bottomrule",
    "\\end{tabular}}",
    "\\end{table*}",
  ].join("\n")}\n`;
}

/** A document with all figures and the table, and the packages that they need. */
export function pageTex(names: readonly string[], { document }: PaperStyle, title: string): string {
  return `${[
    `\\documentclass[${document.options.join(",")}]{${document.class}}`,
    "\\usepackage[utf8]{inputenc}",
    "\\usepackage{booktabs}",
    "\\usepackage{graphicx}",
    "\\usepackage{pgfplots}",
    "\\pgfplotsset{compat=1.16}",
    "% More figures than TeX keeps until their page.",
    "\\extrafloats{200}",
    "\\begin{document}",
    `\\noindent ${tex(title)}`,
    ...names.map((name) => `\\input{${name}.tex}`),
    "\\input{table.tex}",
    "\\end{document}",
  ].join("\n")}\n`;
}

const SPECIAL: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  $: "\\$",
  "&": "\\&",
  "#": "\\#",
  "%": "\\%",
  _: "\\_",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  '"': "''",
  "±": "\\ensuremath{\\pm}",
  "×": "\\ensuremath{\\times}",
  µ: "\\ensuremath{\\mu}",
  "≤": "\\ensuremath{\\le}",
  "≥": "\\ensuremath{\\ge}",
  "→": "\\ensuremath{\\rightarrow}",
  "−": "--",
  "–": "--",
  "—": "---",
  "…": "\\dots{}",
};

/** Text for LaTeX: all that has a meaning there is written out; characters without a spelling are named by their numbers. */
export function tex(text: string): string {
  return [...text]
    .map((one) => {
      if (SPECIAL[one] !== undefined) return SPECIAL[one];
      if (/[\x20-\x7e\u00c0-\u017f]/.test(one)) return one;
      return /\s/.test(one)
        ? " "
        : `[U+${defined(one.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}]`;
    })
    .join("");
}
