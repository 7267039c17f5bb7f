/**
 * An SVG document of ours as a PDF page of the same size. The parts of SVG that our figures use: groups, paths, lines, rectangles, circles and
 * text; the properties of strokes, fills and fonts as attributes; `translate` and `rotate`. Other elements are left out.
 */
import { defined } from "../../../base/index.js";
import { unescaped } from "./data.js";
import type { PaperStyle } from "./style.js";

interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
  text: string;
}

/** Characters of a longer document are not read. */
const MOST_CHARACTERS = 1 << 26;

/** The elements of a document. Undefined where it is not as our figures are: unbalanced, or deeper than 100 elements. */
export function parseSvg(svg: string): Element | undefined {
  if (svg.length > MOST_CHARACTERS) return undefined;
  const root: Element = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [root];
  const tokens = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>|([^<]+)/g;
  let end = 0;
  for (const match of svg.matchAll(tokens)) {
    if (match.index !== end) return undefined;
    end += match[0].length;
    const [, closes, name, attributes = "", empty, text] = match;
    const top = defined(open.at(-1));
    if (text !== undefined) top.text += unescaped(text);
    else if (closes === "/") {
      if (open.length < 2 || top.name !== name) return undefined;
      open.pop();
    } else {
      const own = new Map(
        [...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [
          key,
          unescaped(value),
        ]),
      );
      const element: Element = { name: defined(name), attributes: own, children: [], text: "" };
      top.children.push(element);
      if (empty !== "/") open.push(element);
      if (open.length > 100) return undefined;
    }
  }
  const [only] = root.children;
  return end === svg.length && open.length === 1 && root.children.length === 1 && only?.name === "svg"
    ? only
    : undefined;
}

/** What a figure's text has and a standard font of PDF lacks (WinAnsiEncoding; PDF 32000-1, annex D) has another spelling. */
const SPELLINGS: Readonly<Record<string, string>> = {
  "−": "-",
  "→": "->",
  "←": "<-",
  "↑": "",
  "≤": "<=",
  "≥": ">=",
};

interface PdfOptions {
  readonly title: string;
  readonly style: PaperStyle;
}

/** A font whose file has the first bytes of one, and no more than these. */
export class BrokenFont extends Error {}

/** Work with the font of a figure: the reader of fonts throws errors of any kind for a broken file. */
function withFont<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new BrokenFont(error instanceof Error ? error.message : String(error));
  }
}

/**
 * The same bytes for the same figure: no time, no compression, whose result differs between versions of zlib. Undefined for an SVG that is not ours.
 * Throws {@link BrokenFont}.
 */
export async function pdfOf(svg: string, { title, style }: PdfOptions): Promise<Buffer | undefined> {
  const root = parseSvg(svg);
  const size = root && sizeOf(root);
  if (root === undefined || size === undefined) return undefined;
  const { default: PDFDocument } = await import("pdfkit");
  const document = new PDFDocument({
    ...{ size: [size.width, size.height], margin: 0, compress: false },
    info: { Title: title, Creator: "p4loom", CreationDate: new Date(0) },
  });
  const chunks: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    document.on("data", (chunk: Buffer) => chunks.push(chunk));
    document.on("end", () => resolve());
    document.on("error", reject);
  });
  withFont(() => document.font(style.font.pdf));
  new Painter(document, typeof style.font.pdf === "string").element(root, START);
  // Writes the glyphs that the figure uses.
  withFont(() => document.end());
  await done;
  return Buffer.concat(chunks);
}

/** Points; a document without a unit has a pixel a point. */
function sizeOf({ attributes }: Element): { readonly width: number; readonly height: number } | undefined {
  const [width, height] = ["width", "height"].map((key) => Number.parseFloat(attributes.get(key) ?? ""));
  return width !== undefined &&
    height !== undefined &&
    width > 0 &&
    height > 0 &&
    width < 14_400 &&
    height < 14_400
    ? { width, height }
    : undefined;
}

/** Properties that the children of an element have, too. */
const INHERITED = [
  ...["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "fill-opacity"],
  ...["font-size", "text-anchor"],
] as const;

type Properties = Readonly<Record<(typeof INHERITED)[number] | "opacity", string>>;

const START: Properties = {
  ...{ fill: "#000000", stroke: "none", "stroke-width": "1", "stroke-dasharray": "none" },
  ...{ "stroke-opacity": "1", "fill-opacity": "1", "font-size": "10", "text-anchor": "start", opacity: "1" },
};

class Painter {
  constructor(
    private readonly document: PDFKit.PDFDocument,
    /** Whether the font has the characters of WinAnsiEncoding alone. */
    private readonly isStandard: boolean,
  ) {}

  element(element: Element, outer: Properties): void {
    const { name, attributes, children } = element;
    if (["style", "title", "desc", "defs"].includes(name)) return;
    const own = { ...outer } as Record<string, string>;
    for (const key of INHERITED) {
      const value = attributes.get(key);
      if (value !== undefined) own[key] = value;
    }
    own["opacity"] = String(Number(outer.opacity) * Number(attributes.get("opacity") ?? "1"));
    const properties = own as Properties;
    this.document.save();
    this.#transform(attributes.get("transform") ?? "");
    if (name === "text") this.#text(element, properties);
    else if (this.#outline(name, attributes)) this.#paint(properties);
    for (const child of children) this.element(child, properties);
    this.document.restore();
  }

  #transform(text: string): void {
    for (const [, kind, list = ""] of text.matchAll(/(translate|rotate)\(([^)]*)\)/g)) {
      const [first = 0, second = 0] = list
        .split(/[\s,]+/)
        .filter((word) => word !== "")
        .map(Number);
      if (kind === "translate") this.document.translate(first, second);
      else this.document.rotate(first);
    }
  }

  /** Whether the element has an outline. */
  #outline(name: string, attributes: ReadonlyMap<string, string>): boolean {
    const at = (key: string) => Number.parseFloat(attributes.get(key) ?? "0") || 0;
    const { document } = this;
    if (name === "path") document.path(attributes.get("d") ?? "");
    else if (name === "line") document.moveTo(at("x1"), at("y1")).lineTo(at("x2"), at("y2"));
    else if (name === "rect") document.rect(at("x"), at("y"), at("width"), at("height"));
    else if (name === "circle") document.circle(at("cx"), at("cy"), at("r"));
    else return false;
    return true;
  }

  #paint(properties: Properties): void {
    const { document } = this;
    const stroke = colourOf(properties.stroke);
    const fill = colourOf(properties.fill);
    const dash = properties["stroke-dasharray"].split(/[\s,]+/).map(Number);
    document.lineWidth(Number.parseFloat(properties["stroke-width"]));
    if (dash.every((length) => length > 0))
      document.dash(dash[0] as number, { space: dash[1] ?? dash[0] ?? 1 });
    if (dash.length > 2 && dash.every((length) => length > 0)) document.addContent(`[${dash.join(" ")}] 0 d`);
    const opacity = Number(properties.opacity);
    document.strokeOpacity((stroke?.alpha ?? 1) * opacity * Number(properties["stroke-opacity"]));
    document.fillOpacity((fill?.alpha ?? 1) * opacity * Number(properties["fill-opacity"]));
    if (stroke !== undefined && fill !== undefined) document.fillAndStroke(fill.rgb, stroke.rgb);
    else if (stroke !== undefined) document.stroke(stroke.rgb);
    else if (fill !== undefined) document.fill(fill.rgb);
    // PDF keeps an outline until it is painted.
    else document.addContent("n");
  }

  #text({ attributes, text, children }: Element, properties: Properties): void {
    const { document, isStandard } = this;
    const written = [text, ...children.map((child) => child.text)].join("").trim();
    const fill = colourOf(properties.fill);
    if (written === "" || fill === undefined) return;
    const size = Number.parseFloat(properties["font-size"]);
    const at = (key: string) => {
      const value = attributes.get(key) ?? "0";
      return Number.parseFloat(value) * (value.endsWith("em") ? size : 1) || 0;
    };
    document
      .fontSize(size)
      .fillColor(fill.rgb)
      .fillOpacity(Number(properties.opacity) * Number(properties["fill-opacity"]));
    const spelled = isStandard ? winAnsi(written) : written;
    const width = withFont(() => document.widthOfString(spelled));
    const shift = { start: 0, middle: width / 2, end: width }[properties["text-anchor"]] ?? 0;
    withFont(() =>
      document.text(spelled, at("x") + at("dx") - shift, at("y") + at("dy"), {
        lineBreak: false,
        baseline: "alphabetic",
      }),
    );
  }
}

function winAnsi(text: string): string {
  return [...text]
    .map((one) => SPELLINGS[one] ?? (/[\x20-\x7e\xa0-\xff–—‘’“”•…€]/.test(one) ? one : "?"))
    .join("");
}

const NAMES: Readonly<Record<string, string>> = {
  white: "#ffffff",
  black: "#000000",
  currentColor: "#000000",
};

/** Undefined for none. */
function colourOf(text: string): { readonly rgb: string; readonly alpha: number } | undefined {
  const named = NAMES[text] ?? text;
  if (/^#[0-9a-f]{6}$/i.test(named)) return { rgb: named, alpha: 1 };
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(named);
  if (short !== null)
    return {
      rgb: `#${short
        .slice(1)
        .map((digit) => digit + digit)
        .join("")}`,
      alpha: 1,
    };
  const parts = /^rgba?\((\d+),\s*(\d+),\s*(\d+)(?:,\s*([\d.]+))?\)$/.exec(named);
  if (parts === null) return undefined;
  const hex = parts.slice(1, 4).map((part) => Math.min(255, Number(part)).toString(16).padStart(2, "0"));
  return { rgb: `#${hex.join("")}`, alpha: Number(parts[4] ?? "1") };
}
