/** The dependency graph as a drawing: columns are stages, arrows dependencies, the longest chain in red. */
import type { FitResult } from "../fit.js";
import type { Unit } from "../model/model.js";
import { stageRanges } from "../place/placement.js";
import { escapeHtml } from "./html.js";

const WIDTH = 150;
const HEIGHT = 26;
const COLUMN = 200;
const ROW = 36;
const MARGIN = 16;
/** Beyond this many arrows only those that keep tables apart are drawn. */
const MANY_EDGES = 400;

export function dependencySvg(result: FitResult, hrefOf: (unit: Unit) => string | undefined): string {
  const { graph, model } = result.problem;
  const { first } = stageRanges(result.placement, model.units.length);
  const column = model.units.map((unit) => Math.max(0, first[unit.id]!));
  const rows: number[] = [];
  const row = model.units.map((unit) => {
    const at = column[unit.id]!;
    rows[at] = (rows[at] ?? -1) + 1;
    return rows[at]!;
  });
  const x = (id: number) => MARGIN + column[id]! * COLUMN;
  const y = (id: number) => MARGIN + 16 + row[id]! * ROW;
  const width = MARGIN * 2 + Math.max(0, ...column) * COLUMN + WIDTH;
  const height = MARGIN * 2 + 16 + (Math.max(0, ...row) + 1) * ROW;
  const chain = new Set<string>();
  graph.criticalUnits.forEach((id, index) => {
    const next = graph.criticalUnits[index + 1];
    if (next !== undefined) chain.add(`${id} ${next}`);
  });
  const strong = graph.edges.filter((edge) => edge.distance > 0 || chain.has(`${edge.from} ${edge.to}`));
  const edges = graph.edges.length > MANY_EDGES ? strong : graph.edges;
  const arrows = edges.map((edge) => {
    const red = chain.has(`${edge.from} ${edge.to}`);
    const [x1, y1] = [x(edge.from) + WIDTH, y(edge.from) + HEIGHT / 2];
    const [x2, y2] = [x(edge.to), y(edge.to) + HEIGHT / 2];
    const same = column[edge.from] === column[edge.to];
    const path = same
      ? `M${x1 - 20},${y1} C${x1 + 30},${y1} ${x1 + 30},${y2} ${x1},${y2}`
      : `M${x1},${y1} C${x1 + 40},${y1} ${x2 - 40},${y2} ${x2},${y2}`;
    const why = `${edge.kind}${edge.field === undefined ? "" : ` ${edge.field}`}`;
    return `<path d="${path}" fill="none" stroke="${red ? "#d33" : "#888"}" stroke-width="${red ? 2 : 1}"${edge.distance === 0 ? ' stroke-dasharray="3 3"' : ""} marker-end="url(#tip)"><title>${escapeHtml(`${model.units[edge.from]!.name} → ${model.units[edge.to]!.name}: ${why}`)}</title></path>`;
  });
  const onChain = new Set(graph.criticalUnits);
  const boxes = model.units.map((unit) => {
    const label = unit.condition === undefined ? unit.name : unit.condition.text;
    const short = label.length > 24 ? `${label.slice(0, 23)}…` : label;
    const stroke = onChain.has(unit.id) ? "#d33" : "#888";
    const shape = `<rect x="${x(unit.id)}" y="${y(unit.id)}" width="${WIDTH}" height="${HEIGHT}" rx="${unit.condition === undefined ? 4 : 13}" fill="none" stroke="${stroke}"/><text x="${x(unit.id) + 8}" y="${y(unit.id) + 17}">${escapeHtml(short)}</text><title>${escapeHtml(label)}</title>`;
    const href = hrefOf(unit);
    return href === undefined ? `<g>${shape}</g>` : `<a href="${href}">${shape}</a>`;
  });
  const heads = [...new Set(column)].map(
    (stage) => `<text x="${MARGIN + stage * COLUMN}" y="${MARGIN}">stage ${stage}</text>`,
  );
  return `<div class="wide"><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="table dependency graph"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#888"/></marker></defs>${heads.join("")}${arrows.join("")}${boxes.join("")}</svg></div>`;
}
