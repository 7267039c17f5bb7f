/**
 * Figures for papers from a folder of results: each chart as SVG, PDF and pgfplots with its values, other drawings as SVG and PDF, the table of the
 * rows for LaTeX, and all figures in long form for R and pandas.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import {
  DiagnosticError,
  Diagnostics,
  didYouMean,
  fail,
  SourceFile,
  systemErrorReason,
} from "../../../base/index.js";
import { loadDocument } from "../../../toolchain/documents/index.js";
import { CODES } from "../codes.js";
import { checkFolder, notOurs, readManifest, writeFolder } from "../files.js";
import type { FileText } from "../results.js";
import { FIGURES_FILE, type FiguresData, figuresSchema } from "./data.js";
import { chartTex, chartValues, pageTex, tableTex } from "./latex.js";
import { longCharts, longRows } from "./long-csv.js";
import { BrokenFont, pdfOf } from "./pdf.js";
import { type LoadedStyle, loadStyle } from "./style.js";
import { paperSvg } from "./svg.js";

export interface ShownFigure {
  readonly name: string;
  readonly caption: string;
  /** Number of its lines; absent: a drawing without values, of which there are SVG and PDF. */
  readonly lines?: number;
}

/**
 * The figures that results have. `path`: the folder of the results, or its `results.json`. Throws DiagnosticError P43094 where they have no data of
 * figures.
 */
export function listFigures(path: string): ShownFigure[] {
  const { charts, drawings } = readFigures(folderOf(path));
  return [
    ...charts.map(({ name, caption, lines }) => ({ name, caption, lines: lines.length })),
    ...drawings.map(({ name, caption }) => ({ name, caption })),
  ];
}

export interface PaperFigures {
  readonly folder: string;
  /** Names of the written files. */
  readonly files: readonly string[];
}

/**
 * Writes the figures of results into a folder, all or none. Throws DiagnosticError: P43094 for results without data of figures, P43095 for a figure or
 * column of the style that they do not have, P43097 for a folder that has results or files of others, those of {@link loadStyle}, and P43011 where the folder cannot be written.
 */
export async function paperFigures(
  path: string,
  { style: styleFile, out }: { readonly style?: string; readonly out: string },
): Promise<PaperFigures> {
  const folder = folderOf(path);
  const data = readFigures(folder);
  checkNoResults(out);
  const loaded = loadStyle(styleFile);
  checkStyle(data, loaded);
  checkFolder(out);
  const files = await filesOf(folder, data, loaded.style).catch((error: unknown) =>
    refuseFont(error, loaded),
  );
  checkOurs(
    out,
    files.map(([name]) => name),
  );
  writeFolder(files, out);
  return { folder: out, files: files.map(([name]) => name) };
}

/** The folder of a run: figures written there would replace its files, of which none would stay. Throws DiagnosticError P43097. */
function checkNoResults(out: string): void {
  const listed = readManifest(out);
  const found = ["results.json", FIGURES_FILE].find(
    (name) => Object.hasOwn(listed, name) || existsSync(join(out, name)),
  );
  if (found === undefined) return;
  fail(
    CODES.resultsFolder,
    undefined,
    `${out} is a folder of results (it has ${found}): figures for a paper would replace them`,
    "name another folder with --out",
  );
}

/** Figures replace those of an earlier call, but no file that someone else wrote or edited. Throws DiagnosticError P43097. */
function checkOurs(out: string, names: readonly string[]): void {
  const found = notOurs(out, names);
  if (found === undefined) return;
  fail(
    CODES.resultsFolder,
    undefined,
    `${join(out, found)} would be replaced, and p4loom figures has not written it, or it was edited since`,
    "name another folder with --out, or move the file",
  );
}

/** Throws DiagnosticError P43096 for a broken font, and any other error unchanged. */
function refuseFont(error: unknown, { style, locate }: LoadedStyle): never {
  if (!(error instanceof BrokenFont)) throw error;
  fail(
    CODES.paperFont,
    locate?.(["font"]),
    `${style.font.file} is a broken font: ${error.message}`,
    "name another file .ttf or .otf, or a standard font",
  );
}

async function filesOf(
  folder: string,
  data: FiguresData,
  style: LoadedStyle["style"],
): Promise<(readonly [name: string, text: FileText])[]> {
  const { title, keys } = data;
  const wanted = ({ name }: { readonly name: string }) => style.figures?.includes(name) ?? true;
  const charts = data.charts.filter((chart) => wanted(chart) && chart.lines.length > 0);
  const files: (readonly [name: string, text: FileText])[] = [];
  for (const chart of charts) {
    const svg = await paperSvg(chart, style);
    const pdf = await pdfOf(svg, { title: chart.caption, style });
    files.push(
      [`${chart.name}.svg`, svg],
      ...(pdf === undefined ? [] : [[`${chart.name}.pdf`, pdf] as const]),
    );
    files.push([`${chart.name}.tex`, chartTex(chart, style, `${chart.name}.dat`)]);
    files.push([`${chart.name}.dat`, chartValues(chart)]);
  }
  for (const { name, file, caption } of data.drawings.filter(wanted)) {
    const svg = readResult(folder, file);
    const pdf = await pdfOf(svg, { title: caption, style });
    if (pdf === undefined)
      fail(CODES.noFigures, undefined, `${join(folder, file)} is not as p4loom run has written it`);
    files.push([`${name}.svg`, svg], [`${name}.pdf`, pdf]);
  }
  return [
    ...files,
    ["table.tex", tableTex(data, style.columns)],
    [
      "page.tex",
      pageTex(
        charts.map(({ name }) => name),
        style,
        title,
      ),
    ],
    ["results-long.csv", longRows(rowsOf(folder), keys)],
    ["figures-long.csv", longCharts(charts)],
  ];
}

function checkStyle({ charts, drawings, table }: FiguresData, { style, locate }: LoadedStyle): void {
  const diagnostics = new Diagnostics();
  const check = (key: "figures" | "columns", what: string, known: readonly string[]) => {
    for (const [i, name] of (style[key] ?? []).entries())
      if (!known.includes(name))
        diagnostics.error(
          CODES.unknownFigure,
          locate?.([key, i]),
          `the results have no ${what} ${JSON.stringify(name)}${didYouMean(name, known, '"')}`,
          `they have: ${known.slice(0, 40).join(", ") || "none"}`,
        );
  };
  check(
    "figures",
    "figure",
    [...charts, ...drawings].map(({ name }) => name),
  );
  check("columns", "column", table.header);
  diagnostics.throwIfErrors();
}

/** A file of results names its folder. */
function folderOf(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return !isFolder && basename(path) === "results.json" ? dirname(path) : path;
}

function readFigures(folder: string): FiguresData {
  return readData(folder, FIGURES_FILE, figuresSchema);
}

const resultsSchema = z.looseObject({ rows: z.array(z.record(z.string(), z.unknown())).max(1_000_000) });

function rowsOf(folder: string): readonly Readonly<Record<string, unknown>>[] {
  return readData(folder, "results.json", resultsSchema).rows;
}

function readData<T>(folder: string, name: string, schema: z.ZodType<T>): T {
  const diagnostics = new Diagnostics();
  const path = join(folder, name);
  const value = parsed(readResult(folder, name));
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  // Read again for the place of the error: a reader with places is slow for files of many values.
  loadDocument(new SourceFile(path, readResult(folder, name)), schema, diagnostics);
  fail(
    CODES.noFigures,
    undefined,
    `${path} is not as p4loom run has written it`,
    ...diagnostics.list.slice(0, 3).map(({ message }) => message),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Bytes of a longer file of results are not read. */
const MOST_BYTES = 1 << 28;

function readResult(folder: string, name: string): string {
  const path = join(folder, name);
  try {
    if (statSync(path).size <= MOST_BYTES) return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof DiagnosticError) throw error;
    fail(
      CODES.noFigures,
      undefined,
      `${folder} has no data of figures: cannot read ${name}: ${systemErrorReason(error)}`,
      "name a folder that p4loom run has written, or its results.json; folders of earlier versions have no figures.json: run again",
    );
  }
  fail(CODES.noFigures, undefined, `${path} is longer than ${MOST_BYTES.toLocaleString("en")} bytes`);
}
