/** A drawing of the fabric: tiers as rows, pods side by side, and one flow's path before and after a failure. */
import { escapeMarkup } from "../../../../base/index.js";
import { type Topology, type TopologyNode, tierOf } from "../../../topology/index.js";
import type { PathExample } from "./results.js";

const WIDTH = 900;
const SIDE = 64;
const ROW_TOP = 30;
const ROW_GAP = 78;
/** Space between neighbouring pods, in pixels. */
const POD_GAP = 36;

const TIER_NAMES = ["hosts", "ToRs", "leaves", "spines"];
const COLOURS = {
  link: "#d5dade",
  node: "#ffffff",
  edge: "#5b6570",
  label: "#2b3137",
  before: "#c8321a",
  after: "#0b5cad",
  failed: "#c8321a",
};

interface Point {
  x: number;
  y: number;
}

/** The drawing as a standalone SVG document. */
export function topologyFigure(topology: Topology, example: PathExample | undefined): string {
  const at = layOut(topology);
  const tiers = [...new Set(topology.nodes.map((node) => tierOf(node)))].sort((a, b) => b - a);
  const height = ROW_TOP + (tiers.length - 1) * ROW_GAP + 34;
  const parts: string[] = [];
  for (const link of topology.links) parts.push(line(at[link.a.node]!, at[link.b.node]!, COLOURS.link, 0.8));
  if (example !== undefined) {
    parts.push(
      path(
        example.before.map((node) => at[node]!),
        COLOURS.before,
        "6,4",
      ),
    );
    if (example.after !== undefined)
      parts.push(
        path(
          example.after.map((node) => at[node]!),
          COLOURS.after,
        ),
      );
  }
  for (const node of topology.nodes) parts.push(shape(node, at[node.index]!, topology));
  if (example !== undefined) parts.push(...failureMark(topology, example, at));
  for (const [row, tier] of tiers.entries())
    parts.push(label(8, ROW_TOP + row * ROW_GAP + 4, TIER_NAMES[tier] ?? `stage ${tier}`, "start"));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${height}" ` +
    `viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">${parts.join("")}</svg>\n`
  );
}

/** Rows by tier, top tier first. The nodes of a pod divide the width of that pod; other nodes divide the whole width. */
function layOut(topology: Topology): Point[] {
  const tiers = [...new Set(topology.nodes.map((node) => tierOf(node)))].sort((a, b) => b - a);
  const pods = Math.max(1, topology.pods.length);
  const inner = WIDTH - SIDE - 12;
  const podWidth = (inner - POD_GAP * (pods - 1)) / pods;
  const at: Point[] = [];
  for (const [row, tier] of tiers.entries()) {
    const nodes = topology.nodes.filter((node) => tierOf(node) === tier);
    const groups = new Map<number | undefined, TopologyNode[]>();
    for (const node of nodes) groups.set(node.pod, [...(groups.get(node.pod) ?? []), node]);
    for (const [pod, members] of groups) {
      const left = pod === undefined ? SIDE : SIDE + pod * (podWidth + POD_GAP);
      const width = pod === undefined ? inner : podWidth;
      members.forEach((node, i) => {
        at[node.index] = {
          x: Math.round((left + ((i + 0.5) * width) / members.length) * 10) / 10,
          y: ROW_TOP + row * ROW_GAP,
        };
      });
    }
  }
  return at;
}

function shape(node: TopologyNode, { x, y }: Point, topology: Topology): string {
  const peers = topology.nodes.filter((other) => tierOf(other) === tierOf(node) && other.pod === node.pod);
  const room = (node.pod === undefined ? WIDTH - SIDE : (WIDTH - SIDE) / topology.pods.length) / peers.length;
  const half = Math.max(2, Math.min(node.role === "host" ? 5 : 11, room / 2 - 1.5));
  const title = `<title>${escapeMarkup(node.name)}</title>`;
  const style = `fill="${COLOURS.node}" stroke="${COLOURS.edge}" stroke-width="1.3"`;
  if (node.role === "host")
    return `<circle cx="${x}" cy="${y}" r="${round(half)}" ${style}>${title}</circle>`;
  const tall = Math.min(half, 8);
  return (
    `<rect x="${round(x - half)}" y="${round(y - tall)}" width="${round(2 * half)}" height="${round(2 * tall)}" ` +
    `rx="2" ${style}>${title}</rect>`
  );
}

function failureMark(topology: Topology, example: PathExample, at: readonly Point[]): string[] {
  let centre: Point | undefined;
  if (example.failedNode !== undefined) centre = at[example.failedNode];
  if (example.failedLink !== undefined) {
    const { a, b } = topology.links[example.failedLink]!;
    const [p, q] = [at[a.node]!, at[b.node]!];
    centre = { x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 };
  }
  if (centre === undefined) return [];
  const { x, y } = centre;
  const d = 7;
  return [
    `<path d="M${x - d} ${y - d}L${x + d} ${y + d}M${x + d} ${y - d}L${x - d} ${y + d}" ` +
      `stroke="${COLOURS.failed}" stroke-width="3.2" stroke-linecap="round"></path>`,
  ];
}

function path(points: readonly Point[], colour: string, dash?: string): string {
  const d = points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${x} ${y}`).join("");
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="2.4"${dash === undefined ? "" : ` stroke-dasharray="${dash}"`} stroke-linejoin="round"></path>`;
}

function line(a: Point, b: Point, colour: string, width: number): string {
  return `<path d="M${a.x} ${a.y}L${b.x} ${b.y}" stroke="${colour}" stroke-width="${width}"></path>`;
}

function label(x: number, y: number, content: string, anchor: string): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${COLOURS.label}">${escapeMarkup(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
