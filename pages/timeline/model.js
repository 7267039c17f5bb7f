/** The data of the page, and what is asked of them. Times are nanoseconds. */

export const data = JSON.parse(document.getElementById("data").textContent);

/** Bytes in base64, one a bin; 255 is the greatest value. */
function levels(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

export const nodes = data.nodes.map(([name, tier, x, y]) => ({ name, tier, x, y }));
export const links = data.links.map(([a, b, rate]) => ({ a, b, rate }));
/** Directed links: 2 * link from its end a, + 1 from its end b. */
export const use = data.use.map((text) => (text === 0 ? null : levels(text)));
export const queues = data.queues.map(([node, port, direction, most, text]) => ({
  node,
  port,
  direction,
  most,
  levels: levels(text),
}));
export const queueOf = new Map(queues.map((queue) => [queue.direction, queue]));
export const flows = data.flows.number.map((number, i) => ({
  index: i,
  number,
  from: data.flows.from[i],
  to: data.flows.to[i],
  start: data.flows.start[i],
  end: data.flows.end[i] < 0 ? null : data.flows.end[i],
  bytes: data.flows.bytes[i] < 0 ? null : data.flows.bytes[i],
  timeouts: data.flows.timeouts[i],
  retransmissions: data.flows.retransmissions?.[i] ?? null,
  moves: data.flows.moves?.[i] ?? null,
  paths: pairs(data.flows.paths?.[i] ?? []),
}));
export const events = data.events.map(([at, kind, text, node, link, flow, count]) => ({
  at,
  kind: data.kinds[kind],
  text: data.texts[text],
  node: node < 0 ? null : node,
  link: link < 0 ? null : link,
  flow: flow < 0 ? null : flow,
  count,
}));
export const binOf = (t) => Math.max(0, Math.min(data.bins - 1, Math.floor(t / data.binNs)));

function pairs(list) {
  const out = [];
  for (let i = 0; i < list.length; i += 2) out.push({ at: list[i], way: data.ways[list[i + 1]] });
  return out;
}

export const fromOf = (direction) =>
  direction % 2 === 0 ? links[direction >> 1].a : links[direction >> 1].b;
export const toOf = (direction) => fromOf(direction ^ 1);
export const directionName = (direction) =>
  `${nodes[fromOf(direction)].name} > ${nodes[toOf(direction)].name}`;
export const useAt = (direction, t) => (use[direction] === null ? 0 : use[direction][binOf(t)] / 255);
export const queueAt = (queue, t) => (queue.levels[binOf(t)] / 255) * queue.most;
export const flowName = (flow) => `flow ${flow.number}, ${nodes[flow.from].name} to ${nodes[flow.to].name}`;
export const pathAt = (flow, t) => flow.paths.findLast((path) => path.at <= t)?.way ?? null;
export const pathText = (way) =>
  way === null ? "" : [nodes[fromOf(way[0])].name, ...way.map((one) => nodes[toOf(one)].name)].join(" > ");
export const isActive = (flow, t) => flow.start <= t && (flow.end === null || flow.end > t);
export const faultsAt = (t) =>
  data.faults.filter((fault) => fault.from <= t && (fault.to === null || fault.to > t));
export const between = (direction) => nodes[fromOf(direction)].tier > 0 && nodes[toOf(direction)].tier > 0;

/** By bin: the busiest link, the mean of the links that carry anything, bytes that wait, flows in flight. */
export const totals = (() => {
  const busiest = new Float32Array(data.bins);
  const mean = new Float32Array(data.bins);
  const used = use.filter((one) => one !== null);
  for (const one of used)
    for (let bin = 0; bin < data.bins; bin++) {
      const share = one[bin] / 255;
      if (share > busiest[bin]) busiest[bin] = share;
      mean[bin] += share / used.length;
    }
  const waiting = new Float64Array(data.bins);
  for (const { levels: own, most } of queues)
    for (let bin = 0; bin < data.bins; bin++) waiting[bin] += (own[bin] / 255) * most;
  const inFlight = new Float64Array(data.bins + 1);
  for (const { start, end } of flows) {
    inFlight[binOf(start)]++;
    if (end !== null) inFlight[binOf(end) + 1]--;
  }
  for (let bin = 1; bin < data.bins; bin++) inFlight[bin] += inFlight[bin - 1];
  return { busiest, mean, waiting, inFlight };
})();

/** Index of the first event at `t` or later. */
export function firstEvent(t) {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle].at < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function timeText(ns) {
  const span = data.end;
  if (span < 1e5) return `${(ns / 1e3).toFixed(3)} us`;
  if (span < 1e10) return `${(ns / 1e6).toFixed(span < 1e8 ? 4 : 3)} ms`;
  return `${(ns / 1e9).toFixed(4)} s`;
}

export function bytesText(bytes) {
  if (bytes === null) return "";
  if (bytes < 1e4) return `${Math.round(bytes)} B`;
  return bytes < 1e7 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
