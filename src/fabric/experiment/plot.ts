/** Figures by Observable Plot as standalone SVG documents, without a browser. */
import type { PlotOptions } from "@observablehq/plot";
import { FakeDocument, printNode } from "./fake-document.js";

export type PlotLibrary = typeof import("@observablehq/plot");

/** Loaded when a figure is drawn. */
export function loadPlot(): Promise<PlotLibrary> {
  return import("@observablehq/plot");
}

/** The figure as a standalone SVG document; `beside`: markup that is appended. */
export function plotSvg(Plot: PlotLibrary, options: PlotOptions, beside = ""): string {
  // The part of a document that Plot touches; its types name the whole one.
  const svg = Plot.plot({ ...options, document: new FakeDocument() as never });
  return printNode(svg)
    .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" role="img" ')
    .replace(/<\/svg>$/, `${beside}</svg>\n`);
}
