/** Draws links, queues, packets and drops on a canvas; nodes are elements above it (`network-view.tsx`). */
import {
  FLOW_COLOURS,
  LANE_PX,
  type Layout,
  type Point,
  type SceneDrop,
  type SceneLink,
  type ScenePacket,
} from "./scene.js";

export interface Colours {
  idle: string;
  loads: readonly [string, string, string];
  broken: string;
  queue: string;
  ink: string;
  quiet: string;
  card: string;
  chosen: string;
  flows: readonly string[];
}

export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ...{
      idle: read("u0"),
      loads: [read("u1"), read("u2"), read("u3")],
      broken: read("bad"),
      queue: read("queue"),
    },
    ...{ ink: read("ink"), quiet: read("quiet"), card: read("card"), chosen: read("accent") },
    flows: Array.from({ length: FLOW_COLOURS }, (_, index) => read(`p${index}`)),
  };
}

export interface Picture {
  links: readonly SceneLink[];
  packets: readonly ScenePacket[];
  drops: readonly SceneDrop[];
  /** Links on the path of the selected packet. */
  way: ReadonlySet<number>;
  chosenLink: number | undefined;
  chosenPacket: number | undefined;
  /** Whether each packet has a label, because there are few. */
  labels: boolean;
}

const loadColour = (load: number, { idle, loads }: Colours): string =>
  load <= 0.001 ? idle : load < 0.5 ? loads[0] : load < 0.85 ? loads[1] : loads[2];

export function draw(
  canvas: CanvasRenderingContext2D,
  layout: Layout,
  picture: Picture,
  colours: Colours,
): void {
  canvas.lineCap = "round";
  for (const link of picture.links) drawLink(canvas, layout, link, picture, colours);
  drawPackets(canvas, layout, picture, colours);
  for (const drop of picture.drops) drawDrop(canvas, layout, drop, colours);
}

function drawLink(
  canvas: CanvasRenderingContext2D,
  layout: Layout,
  link: SceneLink,
  { way, chosenLink }: Picture,
  colours: Colours,
): void {
  const segment = layout.segments.get(link.id);
  if (segment === undefined) return;
  if (way.has(link.id) || chosenLink === link.id) {
    canvas.strokeStyle = colours.chosen;
    canvas.globalAlpha = 0.22;
    canvas.lineWidth = 4 * LANE_PX + 4;
    stroke(canvas, segment.from, segment.to);
    canvas.globalAlpha = 1;
  }
  if (!link.up) {
    canvas.strokeStyle = colours.broken;
    canvas.lineWidth = 1.5;
    canvas.setLineDash([4, 6]);
    stroke(canvas, segment.from, segment.to);
    canvas.setLineDash([]);
  } else {
    for (const lane of [0, 1] as const) {
      const { load, queue } = link.lanes[lane];
      canvas.strokeStyle = loadColour(load, colours);
      canvas.lineWidth = 1.5 + 2.5 * Math.min(1, load);
      stroke(canvas, layout.onLane(segment, lane, 0), layout.onLane(segment, lane, 1));
      if (queue > 0) {
        // The queue is drawn at the sender's end, next to its lane.
        const length = 6 + 26 * Math.min(1, queue);
        const size = Math.hypot(segment.to.x - segment.from.x, segment.to.y - segment.from.y) || 1;
        const sign = lane === 0 ? 1 : -1;
        const shift = (point: Point) => ({
          x: point.x + segment.side.x * sign * 5,
          y: point.y + segment.side.y * sign * 5,
        });
        canvas.strokeStyle = colours.queue;
        canvas.lineWidth = 5;
        canvas.lineCap = "butt";
        stroke(
          canvas,
          shift(layout.onLane(segment, lane, 0)),
          shift(layout.onLane(segment, lane, Math.min(0.5, length / size))),
        );
        canvas.lineCap = "round";
      }
    }
  }
  drawPorts(canvas, layout, link, colours);
}

function drawPorts(
  canvas: CanvasRenderingContext2D,
  layout: Layout,
  link: SceneLink,
  colours: Colours,
): void {
  const segment = layout.segments.get(link.id)!;
  const length = Math.hypot(segment.to.x - segment.from.x, segment.to.y - segment.from.y);
  if (layout.radius < 13 || length < 80) return;
  canvas.font = "11px system-ui, sans-serif";
  canvas.fillStyle = colours.quiet;
  canvas.textAlign = "center";
  canvas.textBaseline = "middle";
  const share = 13 / length;
  for (const [text, at] of [
    [link.fromPort, share],
    [link.toPort, 1 - share],
  ] as const) {
    if (text === "") continue;
    const { x, y } = layout.onLane(segment, 0, at);
    canvas.fillText(text, x + segment.side.x * 11, y + segment.side.y * 11);
  }
}

function drawPackets(
  canvas: CanvasRenderingContext2D,
  layout: Layout,
  picture: Picture,
  colours: Colours,
): void {
  const { packets, chosenPacket, labels } = picture;
  const size = labels ? 6 : packets.length > 400 ? 2.5 : 4;
  // One canvas path for each colour: one for each packet is too slow for thousands of packets.
  for (let flow = 0; flow < colours.flows.length; flow++) {
    canvas.beginPath();
    for (const packet of packets) {
      if (packet.flow % FLOW_COLOURS !== flow) continue;
      const segment = layout.segments.get(packet.link);
      if (segment === undefined) continue;
      const { x, y } = layout.onLane(segment, packet.lane, packet.at);
      canvas.moveTo(x + size, y);
      canvas.arc(x, y, size, 0, 2 * Math.PI);
    }
    canvas.fillStyle = colours.flows[flow]!;
    canvas.fill();
  }
  canvas.textBaseline = "middle";
  canvas.font = "11.5px system-ui, sans-serif";
  for (const packet of packets) {
    if (!labels && packet.id !== chosenPacket) continue;
    const segment = layout.segments.get(packet.link);
    if (segment === undefined) continue;
    const { x, y } = layout.onLane(segment, packet.lane, packet.at);
    // Next to its lane, on the side away from the other lane.
    const sign = packet.lane === 0 ? 1 : -1;
    const side = { x: segment.side.x * sign, y: segment.side.y * sign };
    canvas.textAlign = side.x > 0.35 ? "left" : side.x < -0.35 ? "right" : "center";
    const at = { x: x + side.x * 11, y: y + side.y * 15 };
    const text = shortLabel(packet.label);
    if (packet.id === chosenPacket) {
      canvas.strokeStyle = colours.ink;
      canvas.lineWidth = 2;
      canvas.beginPath();
      canvas.arc(x, y, size + 4, 0, 2 * Math.PI);
      canvas.stroke();
    }
    canvas.strokeStyle = colours.card;
    canvas.lineWidth = 3;
    canvas.strokeText(text, at.x, at.y);
    canvas.fillStyle = colours.ink;
    canvas.fillText(text, at.x, at.y);
  }
}

/** The label without addresses: the drawing shows the direction. */
const shortLabel = (label: string): string => label.replace(/ [\da-f.:]*[.:][\da-f.:]+.*$/i, "");

function drawDrop(canvas: CanvasRenderingContext2D, layout: Layout, drop: SceneDrop, colours: Colours): void {
  const place = layout.places.get(drop.node);
  if (place === undefined) return;
  const y = place.y - layout.radius - 8 - (1 - drop.strength) * 14;
  canvas.globalAlpha = Math.max(0, Math.min(1, drop.strength * 1.5));
  canvas.font = "600 11.5px system-ui, sans-serif";
  canvas.textAlign = "center";
  canvas.textBaseline = "bottom";
  canvas.strokeStyle = colours.card;
  canvas.lineWidth = 3;
  canvas.strokeText(`✕ ${drop.reason}`, place.x, y);
  canvas.fillStyle = colours.broken;
  canvas.fillText(`✕ ${drop.reason}`, place.x, y);
  canvas.globalAlpha = 1;
}

function stroke(canvas: CanvasRenderingContext2D, from: Point, to: Point): void {
  canvas.beginPath();
  canvas.moveTo(from.x, from.y);
  canvas.lineTo(to.x, to.y);
  canvas.stroke();
}
