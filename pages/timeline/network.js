/** The picture of the network: links coloured by how busy they are, queues at their ports, faults, and the way of the chosen flow. */
import {
  binOf,
  bytesText,
  directionName,
  faultsAt,
  flows,
  fromOf,
  isActive,
  links,
  nodes,
  pathAt,
  percent,
  queueAt,
  queueOf,
  queues,
  toOf,
  use,
  useAt,
} from "./model.js";

const PAD = 26;

/** CSS colours of the page, which follow the system's choice of light or dark. */
export const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** A canvas in the pixels of the screen; its context draws in CSS pixels. */
export function surface(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** Colours from idle to busy, 256 of them; a link that carries anything differs from an idle one. */
export function ramp() {
  const stops = ["u0", "u1", "u2", "u3"].map((name) => colour(name));
  const rgb = stops.map((hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)));
  return Array.from({ length: 256 }, (_, level) => {
    const place = (level === 0 ? 0 : 0.15 + (0.85 * level) / 255) * (rgb.length - 1);
    const low = Math.min(rgb.length - 2, Math.floor(place));
    const part = place - low;
    return `rgb(${rgb[low].map((value, i) => Math.round(value + (rgb[low + 1][i] - value) * part)).join()})`;
  });
}

const placeOf = ({ x, y }, width, height) => [PAD + x * (width - 2 * PAD), PAD + y * (height - 2 * PAD)];

/** The two ends of a directed link, beside the other direction. */
function lineOf(direction, width, height) {
  const [x1, y1] = placeOf(nodes[fromOf(direction)], width, height);
  const [x2, y2] = placeOf(nodes[toOf(direction)], width, height);
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(-(y2 - y1) / length) * 2, ((x2 - x1) / length) * 2];
  return [x1 + dx, y1 + dy, x2 + dx, y2 + dy];
}

export function drawNetwork(canvas, t, chosen, colours) {
  const { pen, width, height } = surface(canvas);
  const many = links.length > 150;
  const faults = faultsAt(t);
  for (let direction = 0; direction < 2 * links.length; direction++) {
    const share = useAt(direction, t);
    const [x1, y1, x2, y2] = lineOf(direction, width, height);
    pen.strokeStyle = colours[use[direction] === null ? 0 : use[direction][binOf(t)]];
    pen.lineWidth = (many ? 0.7 : 1.2) + share * (many ? 1.8 : 3);
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  }
  drawChosen(pen, t, chosen, width, height);
  const most = queues.reduce((sum, queue) => Math.max(sum, queue.most), 1);
  pen.fillStyle = colour("queue");
  for (const queue of queues) {
    const bytes = queueAt(queue, t);
    if (bytes === 0) continue;
    const [x1, y1, x2, y2] = lineOf(queue.direction, width, height);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const off = Math.min(13, length / 3) / length;
    pen.beginPath();
    pen.arc(x1 + (x2 - x1) * off, y1 + (y2 - y1) * off, 1.5 + 6 * Math.sqrt(bytes / most), 0, 7);
    pen.fill();
  }
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "center";
  const labelled = (node) => roomForLabels(pen, node.tier, width);
  for (const node of nodes) {
    const [x, y] = placeOf(node, width, height);
    const radius = node.tier === 0 ? (many ? 2 : 3.5) : many ? 4 : 6;
    pen.fillStyle = colour("ink");
    pen.beginPath();
    pen.arc(x, y, radius, 0, 7);
    pen.fill();
    pen.fillStyle = colour("quiet");
    if (labelled(node)) pen.fillText(node.name, x, node.tier === 0 ? y + 17 : y - 10);
  }
  pen.strokeStyle = colour("fault");
  pen.lineWidth = 2.5;
  for (const { node, link } of faults) {
    if (link !== null) {
      const [a, b] = [
        placeOf(nodes[links[link].a], width, height),
        placeOf(nodes[links[link].b], width, height),
      ];
      cross(pen, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, 6);
    } else if (node !== null) cross(pen, ...placeOf(nodes[node], width, height), 10);
  }
}

/** Whether the names of all nodes of a tier fit beside each other. */
function roomForLabels(pen, tier, width) {
  const own = nodes.filter((node) => node.tier === tier);
  const longest = own.reduce((most, { name }) => Math.max(most, pen.measureText(name).width), 0);
  return own.length * (longest + 4) < width;
}

function cross(pen, x, y, size) {
  pen.beginPath();
  pen.moveTo(x - size, y - size);
  pen.lineTo(x + size, y + size);
  pen.moveTo(x - size, y + size);
  pen.lineTo(x + size, y - size);
  pen.stroke();
}

function drawChosen(pen, t, chosen, width, height) {
  const way =
    chosen.flow === null
      ? chosen.link === null
        ? []
        : [chosen.link]
      : (pathAt(flows[chosen.flow], t) ?? []);
  pen.strokeStyle = colour("accent");
  pen.globalAlpha = 0.45;
  pen.lineWidth = 9;
  pen.lineCap = "round";
  for (const direction of way) {
    const [x1, y1, x2, y2] = lineOf(direction, width, height);
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** What is under the pointer: a node, or else the nearest directed link. */
export function pickNetwork(canvas, x, y) {
  const { clientWidth: width, clientHeight: height } = canvas;
  for (const [index, node] of nodes.entries()) {
    const [nx, ny] = placeOf(node, width, height);
    if (Math.hypot(nx - x, ny - y) < 9) return { node: index };
  }
  let [best, nearest] = [7, null];
  for (let direction = 0; direction < 2 * links.length; direction++) {
    const [x1, y1, x2, y2] = lineOf(direction, width, height);
    const length = (x2 - x1) ** 2 + (y2 - y1) ** 2 || 1;
    const along = Math.max(0, Math.min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
    const distance = Math.hypot(x1 + along * (x2 - x1) - x, y1 + along * (y2 - y1) - y);
    if (distance < best) [best, nearest] = [distance, { direction }];
  }
  return nearest;
}

export function linkText(direction, t) {
  const queue = queueOf.get(direction);
  return [
    directionName(direction),
    `${percent(useAt(direction, t))} of ${links[direction >> 1].rate / 1e9} Gbps`,
    ...(queue === undefined ? [] : [`queue: up to ${bytesText(queueAt(queue, t))}`]),
  ].join("\n");
}

export function nodeText(index, t) {
  const own = queues.filter(({ node }) => node === index);
  const waiting = own.reduce((sum, queue) => sum + queueAt(queue, t), 0);
  const ends = flows.filter((flow) => isActive(flow, t) && (flow.from === index || flow.to === index));
  return [
    nodes[index].name,
    ...(own.length === 0 ? [] : [`waits at its ports: up to ${bytesText(waiting)}`]),
    ...(nodes[index].tier > 0 ? [] : [`${ends.length} flows in flight begin or end here`]),
    ...faultsAt(t)
      .filter(({ node }) => node === index)
      .map(({ text }) => text),
  ].join("\n");
}
