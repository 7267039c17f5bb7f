/** The style of figures for papers: one file (YAML) for sizes, font, colours, the LaTeX document and what is shown. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import {
  DiagnosticError,
  Diagnostics,
  fail,
  given,
  type Locate,
  SourceFile,
  systemErrorReason,
} from "../../../base/index.js";
import { loadDocument } from "../../../toolchain/documents/index.js";
import { CODES } from "../codes.js";
import { COLOURS } from "../view/page.js";

/** Points in an inch: those of PostScript and PDF (`bp` in TeX). */
const POINTS = { pt: 1, in: 72, cm: 72 / 2.54, mm: 72 / 25.4 } as const;

/** A length with a unit, as points of 1/72 inch. */
function length(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,4}(\.\d{1,4})?(pt|in|cm|mm)$/, "expected a length such as 3.33in, 84mm or 240pt")
    .transform((text) => Number.parseFloat(text) * POINTS[text.slice(-2) as keyof typeof POINTS])
    .refine((points) => points >= least && points <= most, `expected ${least}pt to ${most}pt`);
}

const STANDARD_FONTS = ["Helvetica", "Times-Roman", "Courier"] as const;

const styleSchema = z.strictObject({
  /** Width of a figure, legend and labels included. */
  column_width: length(72, 2000).prefault("3.33in"),
  /** Height of a figure without its legend. */
  height: length(50, 2000).prefault("2in"),
  /** A font that every PDF reader has, or the path of a .ttf or .otf file, which the PDF then carries. */
  font: z
    .union([z.enum(STANDARD_FONTS), z.string().regex(/\.(ttf|otf)$/i, "expected a file .ttf or .otf")], {
      error: `expected ${STANDARD_FONTS.join(", ")}, or the path of a file .ttf or .otf`,
    })
    .default("Helvetica"),
  font_size: length(4, 40).prefault("8pt"),
  line_width: length(0.1, 10).prefault("1pt"),
  /** Of the lines, in their order; begin again after the last one. */
  colours: z
    .array(z.string().regex(/^#[0-9a-fA-F]{6}$/, "expected a colour such as #0072b2"))
    .min(1)
    .max(100)
    .default([...COLOURS]),
  /** Lengths of strokes and gaps of the lines in points, in their order; an empty list is a whole line. */
  dashes: z
    .array(z.array(z.number().positive().max(50)).max(8))
    .min(1)
    .max(100)
    .default([[], [4, 2], [1, 1.5], [6, 2, 1, 2]]),
  /** The document of `page.tex`. */
  document: z
    .strictObject({
      class: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,40}$/, "expected the name of a LaTeX class")
        .default("article"),
      options: z
        .array(z.string().regex(/^[A-Za-z0-9=-]{1,40}$/, "expected an option of a LaTeX class"))
        .max(20)
        .default(["twocolumn"]),
    })
    .prefault({}),
  /** Names of the figures that are made; all if absent. */
  figures: z.array(z.string()).min(1).max(1000).optional(),
  /** Headings of the columns of the LaTeX table, in their order; all if absent. */
  columns: z.array(z.string()).min(1).max(100).optional(),
});

/** Lengths in points of 1/72 inch. */
export type PaperStyle = Omit<z.output<typeof styleSchema>, "font"> & {
  /** Family for SVG, and the font of the PDF: a standard name, or the bytes of `file`. */
  readonly font: { readonly family: string; readonly pdf: string | Buffer; readonly file?: string };
};

export interface LoadedStyle {
  readonly style: PaperStyle;
  /** Places of its values; absent for the style without a file. */
  readonly locate?: Locate;
}

/** Throws DiagnosticError: P43001 to P43005 for the file, P43096 for a font that cannot be read. */
export function loadStyle(path: string | undefined): LoadedStyle {
  if (path === undefined) return { style: withFont(styleSchema.parse({}), undefined, undefined) };
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    fail(CODES.unreadable, undefined, `cannot read ${path}: ${systemErrorReason(error)}`);
  }
  const diagnostics = new Diagnostics();
  const loaded = loadDocument(new SourceFile(path, text), styleSchema, diagnostics);
  if (loaded === undefined) throw new DiagnosticError(diagnostics.list);
  const { value, locate } = loaded;
  return { style: withFont(value, path, locate), ...given({ locate }) };
}

function withFont(
  value: z.output<typeof styleSchema>,
  path: string | undefined,
  locate: Locate | undefined,
): PaperStyle {
  const { font } = value;
  const standard = STANDARD_FONTS.find((name) => name === font);
  if (standard !== undefined) return { ...value, font: { family: FAMILIES[standard], pdf: standard } };
  const file = resolve(path === undefined ? "." : dirname(path), font);
  try {
    const bytes = readFileSync(file);
    if (isFont(bytes)) return { ...value, font: { family: FAMILIES.Helvetica, pdf: bytes, file } };
  } catch (error) {
    fail(CODES.paperFont, locate?.(["font"]), `cannot read the font ${file}: ${systemErrorReason(error)}`);
  }
  fail(
    CODES.paperFont,
    locate?.(["font"]),
    `${file} is no TrueType or OpenType font`,
    `name a file .ttf or .otf, or one of ${STANDARD_FONTS.join(", ")}`,
  );
}

const FAMILIES: Readonly<Record<(typeof STANDARD_FONTS)[number], string>> = {
  Helvetica: "Helvetica, Arial, sans-serif",
  "Times-Roman": "Times, 'Times New Roman', serif",
  Courier: "Courier, 'Courier New', monospace",
};

/** The first bytes of the table directory (OpenType specification, "Organization of an OpenType font"). */
function isFont(bytes: Buffer): boolean {
  const tag = bytes.subarray(0, 4).toString("latin1");
  return ["\0\x01\0\0", "OTTO", "true"].includes(tag);
}

/** The style of a line: colour and dashes both change from one line to the next, so that a print in black has them too. */
export function strokeOf({ colours, dashes }: PaperStyle, place: number) {
  return {
    colour: colours[place % colours.length] as string,
    dash: dashes[place % dashes.length] as number[],
    symbol: SYMBOLS[place % SYMBOLS.length] as (typeof SYMBOLS)[number],
  };
}

/** Names of Observable Plot and of pgfplots. */
const SYMBOLS = [
  { plot: "circle", tex: "*" },
  { plot: "square", tex: "square*" },
  { plot: "triangle", tex: "triangle*" },
  { plot: "diamond", tex: "diamond*" },
  { plot: "cross", tex: "+" },
  { plot: "times", tex: "x" },
] as const;

/** Up to so many values of a line each have a symbol; a line with more is a curve. */
export const MOST_SYMBOLS = 25;
