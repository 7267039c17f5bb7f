/** Lists of what there is at the time under the cursor. */
import {
  binOf,
  bytesText,
  directionName,
  events,
  faultsAt,
  firstEvent,
  flows,
  isActive,
  links,
  nodes,
  pathAt,
  pathText,
  percent,
  queueAt,
  queueOf,
  queues,
  timeText,
  totals,
  use,
  useAt,
} from "./model.js";

const escapeText = (text) =>
  String(text).replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one]);
const MOST_ROWS = 40;

function fill(id, html) {
  const element = document.getElementById(id);
  if (element.innerHTML !== html) element.innerHTML = html;
}

export function showPanels(t, chosen) {
  const active = flows.filter((flow) => isActive(flow, t));
  showSummary(t, active);
  showLinks(t, chosen);
  showFlows(t, chosen, active);
  showEvents(t);
}

function showSummary(t, active) {
  const bin = binOf(t);
  let [share, direction] = [0, null];
  for (let one = 0; one < 2 * links.length; one++)
    if (useAt(one, t) > share) [share, direction] = [useAt(one, t), one];
  const faults = faultsAt(t);
  const parts = [
    `${active.length} flows in flight`,
    direction === null ? "all links idle" : `busiest link ${directionName(direction)}: ${percent(share)}`,
    ...(queues.length === 0 ? [] : [`up to ${bytesText(totals.waiting[bin])} wait at ports`]),
    ...(faults.length === 0 ? [] : [`out of order: ${faults.map(({ text }) => text).join("; ")}`]),
  ];
  fill("now", escapeText(parts.join(" · ")));
}

function showLinks(t, chosen) {
  const busy = use
    .flatMap((own, direction) => (own === null ? [] : [{ direction, share: useAt(direction, t) }]))
    .filter(({ share, direction }) => share > 0 || queueOf.has(direction))
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_ROWS);
  const rows = busy.map(({ direction, share }) => {
    const queue = queueOf.get(direction);
    const waits = queue === undefined ? "" : bytesText(queueAt(queue, t));
    const mark = chosen.link === direction ? ' class="chosen"' : "";
    return `<tr data-link="${direction}"${mark}><td>${escapeText(directionName(direction))}</td><td>${percent(share)}</td><td>${waits}</td></tr>`;
  });
  fill("links", rows.join(""));
}

function showFlows(t, chosen, active) {
  const shown = [...active].sort((a, b) => a.start - b.start).slice(0, MOST_ROWS);
  if (chosen.flow !== null && !shown.includes(flows[chosen.flow])) shown.unshift(flows[chosen.flow]);
  const rows = shown.map((flow) => {
    const mark = chosen.flow === flow.index ? ' class="chosen"' : "";
    const way = pathText(pathAt(flow, t));
    const cells = [
      flow.number,
      `${nodes[flow.from].name} > ${nodes[flow.to].name}`,
      bytesText(flow.bytes),
      timeText(Math.max(0, t - flow.start)),
      flow.timeouts,
      flow.retransmissions ?? "",
      flow.moves ?? "",
    ];
    return `<tr data-flow="${flow.index}"${mark} title="${escapeText(way)}">${cells.map((cell) => `<td>${escapeText(cell)}</td>`).join("")}</tr>`;
  });
  const more = active.length - MOST_ROWS;
  fill("flows", rows.join(""));
  fill("flows-more", more > 0 ? `${more} further flows in flight` : "");
}

/** Events around the cursor; those of its bin are marked. */
function showEvents(t) {
  const middle = firstEvent(t);
  const from = Math.max(0, middle - 12);
  const shown = events.slice(from, from + MOST_ROWS);
  const bin = binOf(t);
  const items = shown.map(({ at, kind, text, flow, count }) => {
    const who = flow === null ? "" : `flow ${flows[flow].number}: `;
    const times = count > 1 ? ` (${count} times)` : "";
    const name = `var(--${kind.startsWith("packet") ? "packet" : kind})`;
    return `<li data-at="${at}"${binOf(at) === bin ? ' class="now"' : ""}${flow === null ? "" : ` data-of="${flow}"`}><span>${timeText(at)}</span><b style="color:${name}">${kind}</b><span>${escapeText(who + text + times)}</span></li>`;
  });
  fill("events", items.join(""));
}
