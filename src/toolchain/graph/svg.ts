/** Graphs as SVG: our own layout, no script, no file from elsewhere. */
import { type Diagnostics, escapeMarkup, printable } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { BlockGraph, GraphNode, NodeKind } from "./graph.js";
import { type Arc, type Box, type Layout, layout } from "./layout.js";

/** Pixels: of a letter, of a line, around the text, around the drawing. */
const LETTER = 7;
const LINE = 16;
const PADDING = 10;
const MARGIN = 20;
const TITLE = 28;
/** Most labels of one line. */
const MAX_LABELS = 3;
/** The points of a diamond or hexagon are this far outside of its text. */
const POINT = 18;

const STYLE =
  "text{font:12px ui-monospace,monospace;fill:#222}.title{font-weight:bold;font-size:14px}.edge{fill:none;stroke:#777}" +
  ".label{font-size:11px;fill:#555}.node{stroke:#555;fill:#fff}.table{fill:#dbe9f8}.key{fill:#f2f7fd}.action{fill:#e3f3e1}" +
  ".condition,.switch{fill:#fdf1d3}.start,.exit{fill:#eee}.call{fill:#efe4f7}.state{fill:#dbe9f8}";

/** The drawing as a document; undefined after P41301, if it would have too many lines. */
export function toSvg(graph: BlockGraph, diagnostics: Diagnostics): string | undefined {
  const boxes = graph.nodes.map(boxOf);
  const arcs = arcsOf(graph);
  const placed = layout(boxes, arcs);
  if (placed === undefined) {
    diagnostics.error(
      CODES.tooLarge,
      graph.nodes[0]?.span,
      `the graph of ${graph.name} is too large to be drawn`,
      "--dot writes it for Graphviz; --calls draws a control inside it as one node",
    );
    return undefined;
  }
  const title = graph.roles.length === 0 ? graph.name : `${graph.name} (${graph.roles.join(", ")})`;
  const width = Math.ceil(Math.max(placed.width, title.length * 9) + 2 * MARGIN + loopRoom(graph));
  const height = Math.ceil(placed.height + 2 * MARGIN + TITLE);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${markup(title)}">`,
    `<style>${STYLE}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0L8,4L0,8z" fill="#777"/></marker></defs>',
    `<text class="title" x="${MARGIN}" y="${MARGIN}">${markup(title)}</text>`,
    `<g transform="translate(${MARGIN} ${MARGIN + TITLE})">`,
    ...linesOf(arcs, placed).map((line) => lineSvg(line, boxes, placed)),
    ...graph.nodes.map((node, index) => nodeSvg(node, boxes[index]!, placed.centres[index]!, graph)),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Edges from a node to itself stand out to its right. */
function loopRoom({ edges }: BlockGraph): number {
  const longest = Math.max(
    0,
    ...edges.map(({ from, to, label }) => (from === to ? (label ?? "").length + 1 : 0)),
  );
  return longest === 0 ? 0 : 36 + longest * LETTER;
}

function boxOf({ lines, kind }: GraphNode): Box {
  const letters = Math.max(...lines.map((line) => [...line].length));
  const points = kind === "condition" || kind === "switch" || kind === "call" ? 2 * POINT : 0;
  return { width: letters * LETTER + 2 * PADDING + points, height: lines.length * LINE + 2 * PADDING };
}

function nodeSvg(
  node: GraphNode,
  { width, height }: Box,
  { x, y }: { x: number; y: number },
  graph: BlockGraph,
): string {
  const top = y - (node.lines.length * LINE) / 2 + 12;
  const texts = node.lines.map(
    (line, index) => `<tspan x="${x}" y="${number(top + index * LINE)}">${markup(line)}</tspan>`,
  );
  const inside = node.cluster === undefined ? "" : ` in ${graph.clusters[node.cluster]!.name}`;
  const line = node.span === undefined ? "" : `, line ${node.span.file.position(node.span.start).line}`;
  return `<g>${shape(node.kind, x, y, width, height)}<text text-anchor="middle">${texts.join("")}</text><title>${markup(`${node.kind}${inside}${line}`)}</title></g>`;
}

function shape(kind: NodeKind, x: number, y: number, width: number, height: number): string {
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2].map(
    number,
  ) as [number, number, number, number];
  if (kind === "condition" || kind === "switch") {
    const [from, to] = [number(left + POINT), number(right - POINT)];
    return `<path class="node ${kind}" d="M${left},${y}L${from},${top}H${to}L${right},${y}L${to},${bottom}H${from}z"/>`;
  }
  const radius =
    { table: height / 2, start: height / 2, exit: height / 2, action: 10, state: 10 }[kind as string] ?? 2;
  return `<rect class="node ${kind}" x="${left}" y="${top}" width="${number(width)}" height="${height}" rx="${radius}"/>`;
}

/** All edges of the graph with the same ends: they are one edge of the drawing, however many labels a `select` has. */
interface LabelledArc extends Arc {
  readonly labels: readonly string[];
}

interface Line extends LabelledArc {
  readonly bends: readonly { x: number; y: number }[];
  /** Where its labels are, from its first end: neighbours have different places, so that they do not cover each other. */
  readonly at: number;
}

/** Places of labels between the ends of an edge. */
const PLACES = [0.32, 0.52, 0.72];

function arcsOf({ edges }: BlockGraph): LabelledArc[] {
  const arcs = new Map<string, Arc & { readonly labels: string[] }>();
  for (const { from, to, label } of edges) {
    const key = `${from} ${to}`;
    const arc = arcs.get(key) ?? { from, to, labels: [] };
    arcs.set(key, arc);
    if (label !== undefined) arc.labels.push(label);
  }
  return [...arcs.values()];
}

function linesOf(arcs: readonly LabelledArc[], { bends, centres }: Layout): Line[] {
  const lines = arcs.map((arc, index): Line => ({ ...arc, bends: bends[index]!, at: PLACES[0]! }));
  const first = (line: Line) => (line.bends[0] ?? centres[line.to]!).x;
  const from = new Map<number, Line[]>();
  for (const line of lines) from.set(line.from, [...(from.get(line.from) ?? []), line]);
  return lines.map((line) => {
    const beside = from.get(line.from)!.sort((one, other) => first(one) - first(other));
    return { ...line, at: PLACES[beside.indexOf(line) % PLACES.length]! };
  });
}

function lineSvg({ from, to, labels, bends, at }: Line, boxes: readonly Box[], { centres }: Layout): string {
  const [a, b] = [centres[from]!, centres[to]!];
  if (from === to) {
    const right = a.x + boxes[from]!.width / 2;
    const path = `M${number(right)},${number(a.y - 6)}C${number(right + 34)},${number(a.y - 20)} ${number(right + 34)},${number(a.y + 20)} ${number(right + 1)},${number(a.y + 6)}`;
    return `<path class="edge" d="${path}" marker-end="url(#tip)"/>${labelSvg(labels, right + 30, a.y, "start")}`;
  }
  // An edge against the flow leaves above and arrives below.
  const down = a.y < b.y;
  const start = { x: a.x, y: a.y + ((down ? 1 : -1) * boxes[from]!.height) / 2 };
  const end = { x: b.x, y: b.y + ((down ? -1 : 1) * boxes[to]!.height) / 2 };
  const points = [start, ...bends, end];
  let path = `M${number(start.x)},${number(start.y)}`;
  for (let i = 1; i < points.length; i++) {
    const [p, q] = [points[i - 1]!, points[i]!];
    const middle = (p.y + q.y) / 2;
    path +=
      p.x === q.x
        ? `V${number(q.y)}`
        : `C${number(p.x)},${number(middle)} ${number(q.x)},${number(middle)} ${number(q.x)},${number(q.y)}`;
  }
  // On the first curve, whose ends are upright: a cubic in x.
  const next = points[1]!;
  const x = start.x + (next.x - start.x) * (3 * at ** 2 - 2 * at ** 3);
  const y = start.y + (next.y - start.y) * at;
  return `<path class="edge" d="${path}" marker-end="url(#tip)"/>${labelSvg(labels, x, y, "middle")}`;
}

/** Labels below each other; many are cut. */
function labelSvg(labels: readonly string[], x: number, y: number, anchor: "start" | "middle"): string {
  if (labels.length === 0) return "";
  const shown =
    labels.length > MAX_LABELS
      ? [...labels.slice(0, MAX_LABELS - 1), `... ${labels.length - MAX_LABELS + 1} more`]
      : labels;
  const texts = shown.map(
    (label, index) => `<tspan x="${number(x)}" y="${number(y + index * 11)}">${markup(label)}</tspan>`,
  );
  return `<text class="label" text-anchor="${anchor}">${texts.join("")}<title>${markup(labels.join("; "))}</title></text>`;
}

function number(value: number): number {
  return Math.round(value * 10) / 10;
}

function markup(text: string): string {
  return escapeMarkup(printable(text));
}
