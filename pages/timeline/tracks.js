/** What happened over time, one track below the other, for the part of the run that is zoomed to. */
import {
  between,
  binOf,
  bytesText,
  data,
  events,
  firstEvent,
  flowName,
  flows,
  pathAt,
  pathText,
  percent,
  queues,
  timeText,
  totals,
  use,
} from "./model.js";
import { colour, linkText, surface } from "./network.js";

export const GUTTER = 150;
const MOST_LINKS = 24;
const MOST_FLOWS = 60;
const TICK = 12;

/** The directed links that were busiest over the whole run, those between switches first. */
const busiestLinks = (() => {
  const sums = use.flatMap((own, direction) =>
    own === null ? [] : [{ direction, sum: own.reduce((total, value) => total + value, 0) }],
  );
  const order = (a, b) => Number(between(b.direction)) - Number(between(a.direction)) || b.sum - a.sum;
  return sums
    .sort(order)
    .slice(0, MOST_LINKS)
    .map(({ direction }) => direction);
})();

/** Faults have a track of their own. */
const presentKinds = data.kinds.filter(
  (kind) => data.counts[kind] !== undefined && kind !== "fault" && kind !== "repair",
);
const LABELS = { path: "changes of path", order: "orders of the file", failed: "failed flows" };

/** Flows that overlap a part of the run, in the order of their starts; the longest where there are too many. */
function flowsIn(from, to) {
  const found = flows.filter(({ start, end }) => start <= to && (end === null || end >= from));
  const length = ({ start, end }) => (end ?? data.end) - start;
  const shown =
    found.length <= MOST_FLOWS ? found : found.sort((a, b) => length(b) - length(a)).slice(0, MOST_FLOWS);
  return { shown: shown.sort((a, b) => a.start - b.start), left: found.length - shown.length };
}

/** Tracks with their heights; the page's canvas is as high as they are together. */
export function tracksFor(view) {
  const { shown, left } = flowsIn(view.from, view.to);
  const list = [];
  if (data.faults.length > 0) list.push({ kind: "faults", label: "faults", height: 22 });
  if (busiestLinks.length > 0)
    list.push({ kind: "curve", label: "link use: busiest, mean", height: 64, key: "use" });
  if (queues.length > 0)
    list.push({ kind: "curve", label: "waiting at all ports", height: 48, key: "waiting" });
  list.push({ kind: "curve", label: "flows in flight", height: 48, key: "inFlight" });
  for (const event of presentKinds)
    list.push({ kind: "events", label: LABELS[event] ?? `${event}s`, height: TICK, event });
  if (busiestLinks.length > 0)
    list.push({ kind: "heat", label: "busiest links", height: 10 * busiestLinks.length + 6 });
  if (shown.length > 0) {
    const more = left === 0 ? "" : `\n${left} shorter ones\nnot shown here`;
    list.push({ kind: "flows", label: `flows${more}`, height: 9 * shown.length + 8, shown });
  }
  let top = 20;
  for (const track of list) {
    track.top = top;
    top += track.height + 8;
  }
  return { list, height: top };
}

export function drawTracks(canvas, view, t, chosen, colours, tracks) {
  const { pen, width, height } = surface(canvas);
  const x = (time) => GUTTER + ((time - view.from) / (view.to - view.from)) * (width - GUTTER - 8);
  pen.font = "11px system-ui, sans-serif";
  drawAxis(pen, view, x, width, height);
  for (const track of tracks.list) {
    pen.fillStyle = colour("quiet");
    pen.textAlign = "right";
    for (const [line, text] of track.label.split("\n").entries())
      pen.fillText(text, GUTTER - 10, track.top + 10 + 13 * line);
    pen.save();
    pen.beginPath();
    pen.rect(GUTTER, track.top - 2, width - GUTTER - 8, track.height + 4);
    pen.clip();
    draw[track.kind](pen, track, view, x, chosen, colours);
    pen.restore();
  }
  pen.strokeStyle = colour("ink");
  pen.lineWidth = 1.2;
  pen.beginPath();
  pen.moveTo(x(t), 14);
  pen.lineTo(x(t), height);
  pen.stroke();
}

function drawAxis(pen, view, x, width, height) {
  const span = view.to - view.from;
  const wish = span / Math.max(2, Math.floor((width - GUTTER) / 120));
  const power = 10 ** Math.floor(Math.log10(wish));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= wish);
  pen.textAlign = "center";
  pen.lineWidth = 1;
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    pen.strokeStyle = colour("line");
    pen.beginPath();
    pen.moveTo(x(time), 14);
    pen.lineTo(x(time), height);
    pen.stroke();
    pen.fillStyle = colour("quiet");
    pen.fillText(timeText(time), Math.min(width - 34, Math.max(GUTTER + 30, x(time))), 10);
  }
}

/** Calls back for the bins that are seen, with their place in pixels. */
function eachBin(view, x, fn) {
  for (let bin = binOf(view.from); bin <= binOf(view.to); bin++)
    fn(bin, x(bin * data.binNs), Math.max(1, x((bin + 1) * data.binNs) - x(bin * data.binNs)));
}

const draw = {
  faults(pen, { top, height }, _view, x) {
    for (const { from, to, text } of data.faults) {
      pen.fillStyle = colour("fault");
      pen.globalAlpha = 0.3;
      pen.fillRect(x(from), top, Math.max(2, x(to ?? data.end) - x(from)), height);
      pen.globalAlpha = 1;
      pen.fillStyle = colour("ink");
      pen.textAlign = "left";
      pen.fillText(text, Math.max(GUTTER, x(from)) + 4, top + 15);
    }
  },

  curve(pen, { top, height, key }, view, x) {
    const lines =
      key === "use"
        ? [
            ["u2", totals.busiest],
            ["u1", totals.mean],
          ]
        : [[key === "waiting" ? "queue" : "flow", totals[key]]];
    const most = lines[0][1].reduce((a, b) => Math.max(a, b), key === "use" ? 0.01 : 1);
    for (const [name, values] of lines) {
      pen.fillStyle = colour(name);
      pen.globalAlpha = 0.75;
      eachBin(view, x, (bin, left, wide) => {
        const high = (values[bin] / most) * height;
        pen.fillRect(left, top + height - high, wide + 0.5, high);
      });
    }
    pen.globalAlpha = 1;
    pen.fillStyle = colour("quiet");
    pen.textAlign = "left";
    const text = key === "use" ? percent(most) : key === "waiting" ? bytesText(most) : `${most}`;
    pen.fillText(text, GUTTER + 3, top + 9);
  },

  events(pen, { top, height, event }, view, x) {
    const counts = data.counts[event];
    const most = counts.reduce((a, b) => Math.max(a, b), 1);
    pen.fillStyle = colour(event.startsWith("packet") ? "packet" : event);
    eachBin(view, x, (bin, left, wide) => {
      if (counts[bin] === 0) return;
      pen.globalAlpha = 0.35 + 0.65 * Math.sqrt(counts[bin] / most);
      pen.fillRect(left, top, Math.max(2, wide), height);
    });
    pen.globalAlpha = 1;
  },

  heat(pen, { top }, view, x, chosen, colours) {
    for (const [row, direction] of busiestLinks.entries()) {
      const own = use[direction];
      eachBin(view, x, (bin, left, wide) => {
        if (own[bin] === 0) return;
        pen.fillStyle = colours[own[bin]];
        pen.fillRect(left, top + 10 * row, wide + 0.5, 9);
      });
      if (chosen.link !== direction) continue;
      pen.strokeStyle = colour("accent");
      pen.strokeRect(GUTTER + 1, top + 10 * row - 0.5, 4000, 10);
    }
  },

  flows(pen, { top, shown }, view, x, chosen) {
    for (const [row, flow] of shown.entries()) {
      const y = top + 9 * row;
      pen.fillStyle = colour(chosen.flow === flow.index ? "accent" : "flow");
      pen.globalAlpha = chosen.flow === null || chosen.flow === flow.index ? 0.8 : 0.4;
      pen.fillRect(x(flow.start), y, Math.max(2, x(flow.end ?? data.end) - x(flow.start)), 6);
      pen.globalAlpha = 1;
    }
    const rows = new Map(shown.map((flow, row) => [flow.index, row]));
    for (let i = firstEvent(view.from); i < events.length && events[i].at <= view.to; i++) {
      const { flow, at, kind } = events[i];
      if (flow === null || !rows.has(flow)) continue;
      pen.fillStyle = colour(kind);
      pen.fillRect(x(at) - 1, top + 9 * rows.get(flow) - 1, 2.5, 8);
    }
  },
};

/** What is under the pointer. */
export function pickTrack(canvas, view, tracks, px, py) {
  const width = canvas.clientWidth;
  if (px < GUTTER) return null;
  const time = view.from + ((px - GUTTER) / (width - GUTTER - 8)) * (view.to - view.from);
  const track = tracks.list.find(({ top, height }) => py >= top - 3 && py < top + height + 5);
  const lines = [timeText(time)];
  const bin = binOf(time);
  const found = { time, link: null, flow: null, text: "" };
  if (track?.kind === "faults") lines.push(...faultsAt(time).map(({ text }) => text));
  if (track?.key === "use")
    lines.push(`busiest link ${percent(totals.busiest[bin])}, mean ${percent(totals.mean[bin])}`);
  if (track?.key === "waiting") lines.push(`up to ${bytesText(totals.waiting[bin])} wait at all ports`);
  if (track?.key === "inFlight") lines.push(`${totals.inFlight[bin]} flows in flight`);
  if (track?.kind === "events") lines.push(`${track.event}: ${data.counts[track.event][bin]} in this bin`);
  if (track?.kind === "heat") {
    const direction = busiestLinks[Math.floor((py - track.top) / 10)];
    if (direction !== undefined) {
      found.link = direction;
      lines.push(linkText(direction, time));
    }
  }
  if (track?.kind === "flows") {
    const flow = track.shown[Math.floor((py - track.top) / 9)];
    if (flow !== undefined) {
      found.flow = flow.index;
      lines.push(...flowLines(flow, time));
    }
  }
  found.text = lines.join("\n");
  return found;
}

function flowLines(flow, time) {
  const way = pathAt(flow, time);
  return [
    flowName(flow),
    `${flow.bytes === null ? "" : `${bytesText(flow.bytes)}, `}${timeText(flow.start)} to ${flow.end === null ? "the end" : timeText(flow.end)}`,
    `${flow.timeouts} timeouts${flow.retransmissions === null ? "" : `, ${flow.retransmissions} segments sent again`}${flow.moves === null ? "" : `, ${flow.moves} changes of its way`}`,
    ...(way === null ? [] : [pathText(way)]),
  ];
}
