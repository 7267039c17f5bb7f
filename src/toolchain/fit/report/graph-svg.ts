/**
 * The dependency graph as a drawing: columns are stages, boxes are tables (round: conditions), arrows dependencies, the
 * longest chain is red. Boxes are opaque and drawn last, so that no arrow crosses a label.
 */
import { defined, escapeMarkup } from "../../../base/index.js";
import type { FitResult } from "../fit.js";
import { fieldLabel } from "../model/expressions.js";
import type { Unit } from "../model/model.js";
import { stageRanges } from "../place/placement.js";

/** Pixels. Box widths follow the longest label, of which {@link MAX_LABEL} letters are shown. */
const MIN_WIDTH = 110;
const LETTER = 6.4;
const HEIGHT = 26;
const GAP = 70;
const ROW = 38;
const MARGIN = 16;
const MAX_LABEL = 44;
/** With more arrows, only dependencies that need a later stage are drawn. */
const MANY_EDGES = 400;

/** The drawing. @param hrefOf link of a box; undefined: none */
export function dependencySvg(result: FitResult, hrefOf: (unit: Unit) => string | undefined): string {
  const { graph, model } = result.problem;
  const { first } = stageRanges(result.placement, model.units.length);
  const column = model.units.map((unit) => Math.max(0, defined(first[unit.id])));
  const rows: number[] = [];
  const row = model.units.map((unit) => {
    const at = defined(column[unit.id]);
    rows[at] = (rows[at] ?? -1) + 1;
    return defined(rows[at]);
  });
  const labels = model.units.map((unit) => shortened(unit.label));
  const boxWidth = Math.max(MIN_WIDTH, ...labels.map((label) => Math.ceil(16 + LETTER * label.length)));
  const columnWidth = boxWidth + GAP;
  const x = (id: number) => MARGIN + defined(column[id]) * columnWidth;
  const y = (id: number) => MARGIN + 16 + defined(row[id]) * ROW;
  const width = MARGIN * 2 + Math.max(0, ...column) * columnWidth + boxWidth + GAP;
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
    const [x1, y1] = [x(edge.from) + boxWidth, y(edge.from) + HEIGHT / 2];
    const [x2, y2] = [x(edge.to), y(edge.to) + HEIGHT / 2];
    const same = column[edge.from] === column[edge.to];
    const path = same
      ? `M${x1},${y1 + 4} C${x1 + 34},${y1 + 4} ${x1 + 34},${y2 - 4} ${x1 + 1},${y2 - 4}`
      : `M${x1},${y1} C${x1 + 40},${y1} ${x2 - 40},${y2} ${x2},${y2}`;
    const why = `${edge.kind}${edge.field === undefined ? "" : ` ${fieldLabel(edge.field)}`}`;
    return `<path d="${path}" fill="none" stroke="${red ? "#d33" : "#888"}" stroke-width="${red ? 2 : 1}"${edge.distance === 0 ? ' stroke-dasharray="3 3"' : ""} marker-end="url(#tip)"><title>${escapeMarkup(`${defined(model.units[edge.from]).label} → ${defined(model.units[edge.to]).label}: ${why}`)}</title></path>`;
  });
  const onChain = new Set(graph.criticalUnits);
  const boxes = model.units.map((unit) => {
    const stroke = onChain.has(unit.id) ? "#d33" : "#888";
    const shape = `<rect x="${x(unit.id)}" y="${y(unit.id)}" width="${boxWidth}" height="${HEIGHT}" rx="${unit.condition === undefined ? 4 : 13}" class="box" stroke="${stroke}"/><text x="${x(unit.id) + 8}" y="${y(unit.id) + 17}">${escapeMarkup(defined(labels[unit.id]))}</text><title>${escapeMarkup(unit.label)}</title>`;
    const href = hrefOf(unit);
    return href === undefined ? `<g>${shape}</g>` : `<a href="${href}">${shape}</a>`;
  });
  const heads = [...new Set(column)].map(
    (stage) => `<text x="${MARGIN + stage * columnWidth}" y="${MARGIN}">stage ${stage}</text>`,
  );
  return `<div class="wide"><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="table dependency graph"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#888"/></marker></defs>${heads.join("")}${arrows.join("")}${boxes.join("")}</svg></div>`;
}

function shortened(label: string): string {
  return label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label;
}
