/**
 * What is drawn from the rows and outcomes of a kind, as data: the columns of its tables, the parts of its page with their figures, and its
 * files of values. `parts.ts` and `page.ts` render it: as a table for a terminal, as a page, as SVG and CSV files. A run is drawn as a sweep of one point.
 */
import type { PlotOptions } from "@observablehq/plot";
import type { Cell, SourceFile } from "../../../base/index.js";
import type { CommonSettings } from "../experiment.js";
import type { FileText, SweepResults } from "../results.js";

/** A checked file. */
export interface Described {
  readonly settings: CommonSettings;
  readonly source: SourceFile;
}

export interface View<E extends Described, U, O, R extends object> {
  /** Of the table for a terminal, after the scheme and the swept keys. */
  readonly columns: Columns<R>;
  page(results: SweepResults<E, U, O, R>): Page;
  /** Files in addition to the page, its figures, and those of all kinds. */
  files?(results: SweepResults<E, U, O, R>): readonly (readonly [name: string, text: FileText])[];
}

/** `swept`: keys that a sweep adds to the rows. */
export type Columns<R> =
  | readonly Column<R>[]
  | ((rows: readonly R[], swept: readonly string[]) => readonly Column<R>[]);

/** A column of a table of rows. It is left out where no row has its key. */
export interface Column<R> {
  /**
   * Key of the row; absent: `format` or `html` makes the cells. A number in the row under this name with `_ci95` is half of a confidence
   * interval, and printed with the figure.
   */
  readonly key?: string;
  readonly title: string;
  /** Heading on a page, as HTML, where it differs. */
  readonly heading?: string;
  /** Of numbers, after the point. */
  readonly digits?: number;
  /** In place of `digits`. */
  readonly format?: (value: unknown, row: R) => Cell;
  /** HTML of the cell of a page, where it differs. */
  readonly html?: (row: R) => string | undefined;
  /** A second figure of the same format: small beside the first on a page; with a title, a column of its own in a terminal. */
  readonly beside?: { readonly key: string; readonly title?: string };
  /** Also left out where no row has a value other than null. */
  readonly optional?: boolean;
  /** The table that has the column; absent: both. */
  readonly only?: "terminal" | "page";
}

/** Below the title; warnings and notes of the results precede the parts. */
export interface Page {
  /** `adaptive`: light or dark, as the reader's system prefers. */
  readonly style: "light" | "adaptive";
  /** One paragraph of HTML below the title. */
  readonly lead?: string;
  /** In the order of the page. */
  readonly parts: Parts;
}

/** What a page does not have is false or undefined. */
export type Parts = readonly (Part | false | undefined)[];

/** A part of a page: its members in this order. It is left out where its figure has no drawing. */
export interface Part {
  readonly heading?: string;
  /** Level of the heading; 2 if absent. */
  readonly level?: 2 | 3;
  /** Whether the next member follows the heading in its line of the file. */
  readonly runIn?: boolean;
  /** A paragraph of HTML in small print. */
  readonly note?: string;
  readonly html?: string;
  readonly legend?: readonly LegendLine[];
  readonly figure?: Figure;
  /** Figures beside each other, those with drawings; `joint`: between them in the file. */
  readonly panels?: { readonly figures: readonly Figure[]; readonly joint?: string };
  /** Text that the reader can unfold, or parts. */
  readonly unfold?: {
    readonly title: string;
    readonly open?: boolean;
    readonly content: string | Parts;
  };
}

/** A line of figures; its place in the file gives it colour and dashes. */
export interface LegendLine {
  readonly title: string;
  readonly place: number;
}

/** A figure: in the page, and as a file of its own. */
export interface Figure {
  /** Name of its file, without `.svg`. */
  readonly file: string;
  /** HTML. */
  readonly caption?: string;
  readonly drawing: Drawing | undefined;
}

export type PlotLibrary = typeof import("@observablehq/plot");

/**
 * A chart by its lines, any plot of Observable Plot (`beside`: markup that is appended; `chart`: the same figure by its lines, for papers), or a
 * whole SVG document.
 */
export type Drawing =
  | Chart
  | {
      readonly plot: (Plot: PlotLibrary) => PlotOptions;
      readonly beside?: string;
      readonly chart?: Chart;
    }
  | { readonly svg: string };

/** `paper`: quantity and unit for a figure of a paper, where its label does not say both. */
export type Axis = NonNullable<PlotOptions["x"]> & { readonly paper?: string };

/** Lines over a common axis. */
export interface Chart {
  readonly lines: readonly ChartLine[];
  readonly x: Axis;
  readonly y: Axis;
  /** Pixels; half of the page wide and 250 high if absent. */
  readonly frame?: Pick<PlotOptions, "width" | "height" | "marginLeft" | "marginTop">;
  readonly strokeWidth?: number;
  /** Draws the confidence interval of each value. */
  readonly intervals?: boolean;
  /** Whether a value holds up to the next one; otherwise lines are straight. */
  readonly steps?: boolean;
  /** Draws a dot for each value, with this text. */
  readonly dot?: (line: ChartLine, dot: Dot) => string;
}

export interface ChartLine extends LegendLine {
  readonly dots: readonly Dot[];
  /** Of a closed form, and drawn as circles without a line. */
  readonly theory?: boolean;
}

/** `low`, `high`: ends of its confidence interval. */
export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
}
